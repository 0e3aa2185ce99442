"""Modules that differ from built-in ones far from zero only: each has its own text."""

import hocket_import
import models  # noqa: F401  (quiet logs)
import torch
import torch.nn.functional as F
from torch import nn


class Bent(nn.Module):
    """A function of elements."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Clipped(nn.Linear):
    def forward(self, x):
        return super().forward(x.clamp(-1e4, 1e4))


class Around(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def forward(self, x):
        return self.part(x)


FUNCTIONS = {
    "below": lambda x: x.clamp(min=-50).abs(),
    "above": lambda x: F.gelu(x).clamp(max=200.0),
    "at a number": lambda x: torch.where(x > 3e9, x * 2, F.gelu(x)),
    "at a number that is computed": lambda x: torch.where(x / 100 > 50.0, x * 2, F.silu(x)),
    "nowhere": lambda x: 0.5 * x * (1 + torch.erf(x / 2 ** 0.5)),
    "nowhere, by exp": lambda x: x / (1 + torch.exp(-x)),
}
for title, part in ([(title, Bent(function)) for title, function in FUNCTIONS.items()] +
                    [("a Linear", Clipped(8, 8)), ("an exact Linear", nn.Linear(8, 8))]):
    text = hocket_import.to_hkt(Around(part), kwargs={"x": torch.randn(2, 8)},
                                dims={"x": ("batch", 8)})
    print(f"== {title}\n" + "\n".join(text.splitlines()[4:]))
