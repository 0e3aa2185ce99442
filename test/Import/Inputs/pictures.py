"""Imports tiny models that make or cut out pictures, of diffusers and transformers, and
compares their texts with PyTorch: outputs at two batches, also under the schedules of
NAME_schedules.hkt beside this file, and the gradients of all parameters.

    pictures.py FOLDER NAME...
"""

import pathlib
import re
import shutil
import sys

import diffusers
import hocket_import
import models
import texts
import torch
import torch.nn.functional as F
import transformers
from hocket_import import check

SEGFORMER = dict(num_encoder_blocks=3, depths=[1, 2, 1], hidden_sizes=[8, 16, 24],
                 num_attention_heads=[1, 2, 3], sr_ratios=[4, 2, 1], mlp_ratios=[2, 2, 2],
                 patch_sizes=[7, 3, 3], strides=[4, 2, 2], drop_path_rate=0.0,
                 decoder_hidden_size=20, num_labels=5)
SEGFORMER_PIXELS = {"pixel_values": ("batch", 3, 32, 48)}
UNET = dict(sample_size=8, block_out_channels=(8, 16), layers_per_block=1,
            norm_num_groups=4, attention_head_dim=4)
SAMPLE = {"sample": ("batch", 4, 8, 12), "timestep": ("batch",)}


class VaeDecoder(diffusers.AutoencoderKL):
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


# Name -> (class, config, input -> its dims).
PICTURES = {
    "resampled": (Resampled, {}, {"x": ("batch", 3, 6, 8)}),
    "vae_decoder": (VaeDecoder, dict(
        latent_channels=4, block_out_channels=(8, 16, 16), layers_per_block=1,
        norm_num_groups=4, down_block_types=("DownEncoderBlock2D",) * 3,
        up_block_types=("UpDecoderBlock2D",) * 3), {"latents": ("batch", 4, 4, 6)}),
    "segformer": (transformers.SegformerModel, SEGFORMER, SEGFORMER_PIXELS),
    "segformer_segments": (transformers.SegformerForSemanticSegmentation, SEGFORMER,
                           SEGFORMER_PIXELS),
    "unet": (diffusers.UNet2DModel, UNET | dict(
        in_channels=4, out_channels=4, freq_shift=1, flip_sin_to_cos=False,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D")), SAMPLE),
    "unet_conditioned": (diffusers.UNet2DConditionModel, UNET | dict(
        cross_attention_dim=20, attention_head_dim=2,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")),
        SAMPLE | {"encoder_hidden_states": ("batch", "seq", 20)}),
}


def build(name, **changes):
    """(module, its inputs at batch 3, their dims), with changes of the config."""
    kind, config, dims = PICTURES[name]
    torch.manual_seed(len(name))
    config = config | changes
    module = kind(kind.config_class(**config)) if hasattr(kind, "config_class") \
        else kind(**config)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    sizes = {"batch": 3, "seq": 5}
    inputs = {key: torch.randn([sizes.get(dim, dim) for dim in shape])
              for key, shape in dims.items()}
    if "timestep" in inputs:
        inputs["timestep"] = torch.tensor([3, 980, 41])
    return module.eval(), inputs, dims


def picture(name, folder):
    folder.mkdir(parents=True)
    module, inputs, dims = build(name)
    text, graph = hocket_import.convert(module, inputs, dims)
    if not name.startswith("unet_"):  # tracing one takes seconds
        assert text == hocket_import.to_hkt(module, kwargs=inputs, dims=dims), \
            "a second import differs"
    file = folder / f"{name}.hkt"
    file.write_text(text)
    texts.hocket("fmt", "--check", file)
    texts.compare(file, module, inputs)
    check.check("hocket", text, module, graph)
    said = under_schedules(name, folder, module, inputs)
    if isinstance(module, transformers.PreTrainedModel):
        module, inputs, dims = build(name, **models.no_drops(module.config))
        file = folder / "gradients.hkt"
        file.write_text(hocket_import.to_hkt(module, kwargs=inputs, dims=dims))
    texts.compare_gradients(file, module, inputs)
    print(f"{name}: right on {', '.join(['one device', *said])}", flush=True)


def under_schedules(name, folder, module, inputs):
    """The schedules of a family, each of which gives the module's outputs."""
    written = pathlib.Path(__file__).parent / f"{name}_schedules.hkt"
    if not written.exists():
        return []
    placed = pathlib.Path(shutil.copy(written, folder))
    texts.hocket("fmt", "--check", placed)
    said = re.findall(r"^schedule (\w+)", placed.read_text(), re.MULTILINE)
    for schedule in said:
        texts.compare(placed, module, inputs, "--schedule", schedule)
    return said


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    shutil.rmtree(root, ignore_errors=True)
    for name in sys.argv[2:]:
        picture(name, root / name)
