"""Models that make pictures: those of diffusers, and two that are written here."""

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, UNet2DConditionModel, UNet2DModel  # noqa: F401


class VaeDecoder(AutoencoderKL):
    """From latents to a picture; the weights of the encoder stay unread."""

    def forward(self, latents):
        return self.decode(latents, return_dict=False)[0]


class Resampled(torch.nn.Module):
    """Pictures in other sizes: by whole factors, by others, and to sizes."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 1)

    def forward(self, x):
        x = self.conv(x)
        return (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(4, 12)),
                F.interpolate(x, scale_factor=0.5, mode="bilinear"),
                F.interpolate(x, size=(9, 5), mode="bilinear", align_corners=True),
                F.interpolate(x.flatten(2), scale_factor=1.5, mode="linear"),
                F.interpolate(x[:, :, None], size=(2, 6, 8), mode="trilinear"),
                F.interpolate(x, size=(6, 8), mode="bilinear"))
