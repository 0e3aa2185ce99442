"""Index by data, as PyTorch has it by several names: imported, and compared.

    lookups.py FOLDER
"""

import pathlib
import sys

import hocket_import
import models  # noqa: F401  (quiet logs)
import texts
import torch
from torch import nn

KINDS = {
    "one of each": lambda x, at: x[torch.arange(x.shape[0]), at[:, 0]],
    "some of each": lambda x, at: x[torch.arange(x.shape[0])[:, None], at],
    "gather": lambda x, at: x.gather(1, at[:, :, None].expand(-1, -1, x.shape[2])),
    "last dim": lambda x, at: x[:, 1].gather(-1, at),
    "take_along_dim": lambda x, at: x.take_along_dim(at[:, :, None], 1),
    "all rows": lambda x, at: x[:, at],
    "index_select": lambda x, at: x.index_select(2, at[:, 1]),
    # Refused.
    "by a mask": lambda x, at: x[:, :, torch.arange(8) > 3],
    "two places": lambda x, at: x[at[:, 0], at[:, 1]],
    "not its own row": lambda x, at: x[1 - torch.arange(2), at[:, 0]],
    "constant": lambda x, at: x[:, [2, 0]] * at.sum(),
    "of a part": lambda x, at: x.gather(1, at[:, :, None]),
}


class Picks(nn.Module):
    def __init__(self, kind, size=8):
        super().__init__()
        self.table, self.kind = nn.Embedding(30, size), kind

    def forward(self, ids, at):
        return KINDS[self.kind](self.table(ids).tanh(), at)


def show(kind, folder):
    torch.manual_seed(1)
    inputs = {"ids": torch.randint(30, (2, 12)), "at": torch.randint(8, (2, 3))}
    module = Picks(kind)
    print(f"== {kind}")
    # Of two, torch.export takes one size only.
    fixed = kind in ("take_along_dim", "not its own row")
    dims = {"ids": (2, 12), "at": (2, 3)} if fixed else \
        {"ids": ("batch", "seq"), "at": ("batch", 3)}
    try:
        text = hocket_import.to_hkt(module, kwargs=inputs, dims=dims)
    except hocket_import.Refused as refused:
        print(str(refused).splitlines()[1].strip())
        return
    file = folder / "text.hkt"
    file.write_text(text)
    texts.hocket("fmt", "--check", file)
    assert texts.compare(file, module, inputs) < texts.TOLERANCE
    texts.compare_gradients(file, module, inputs)
    print(text.split("forward(")[1].split("\n    ", 1)[1].rstrip().removesuffix("}").rstrip()
          .removesuffix("}").rstrip())


root = pathlib.Path(sys.argv[1])
root.mkdir(parents=True, exist_ok=True)
for kind in KINDS:
    show(kind, root)
