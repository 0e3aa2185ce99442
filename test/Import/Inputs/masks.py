"""Masks that have no name, made of the data: imported, and compared.

    masks.py FOLDER
"""

import pathlib
import sys

import hocket_import
import models  # noqa: F401  (quiet logs)
import texts
import torch
import torch.nn.functional as F
from torch import nn


class Masked(nn.Module):
    """Attention under a mask of two inputs."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.table = kind, nn.Embedding(30, 8)

    def mask(self, ids, keep):
        if self.kind == "of keys":
            return (((ids > 3) & ~keep.bool()) | (ids == 7))[:, None, None]
        if self.kind == "of rows":
            return ((ids > 0) | (keep == 1))[:, None, :, None]
        if self.kind == "of numbers":
            return ((ids > 3).float() * keep)[:, None, None] * -3.0
        later = ids[:, None, :] > ids[:, :, None]  # of queries and keys
        return later[:, None] | (keep == 1)[:, None, None]

    def forward(self, ids, keep):
        x = self.table(ids).unflatten(-1, (2, 4)).transpose(1, 2)
        return F.scaled_dot_product_attention(x, x, x, attn_mask=self.mask(ids, keep))


root = pathlib.Path(sys.argv[1])
generator = torch.Generator().manual_seed(4)
for kind in ("of keys", "of rows", "of numbers", "of pairs"):
    folder = root / kind.split()[1]
    folder.mkdir(parents=True, exist_ok=True)
    module = Masked(kind)
    ids = torch.randint(3, 30, (2, 9), generator=generator)
    keep = torch.randint(0, 2, (2, 9), generator=generator)
    ids[:, 2], keep[:, 5] = 7, 1  # each query sees a key
    text = hocket_import.to_hkt(module, kwargs={"ids": ids, "keep": keep})
    (folder / "masked.hkt").write_text(text)
    texts.hocket("fmt", "--check", folder / "masked.hkt")
    texts.compare(folder / "masked.hkt", module, {"ids": ids, "keep": keep})
    texts.compare_gradients(folder / "masked.hkt", module, {"ids": ids, "keep": keep})
    print(f"== {kind}\n{text[text.index('  forward'):]}")
