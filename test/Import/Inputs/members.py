"""Members of other kinds than layers that are alike: imported, and compared.

    members.py FOLDER
"""

import pathlib
import sys

import hocket_import
import models  # noqa: F401  (quiet logs)
import texts
import torch
import torch.nn.functional as F
from torch import nn


class Box(nn.Module):
    """Is not called itself."""

    def __init__(self, size):
        super().__init__()
        self.up = nn.Linear(size, size)
        self.layers = nn.ModuleList([nn.Linear(size, size), nn.Linear(size, size)])
        self.gain = nn.Parameter(torch.ones(size))


class Scale(nn.Module):
    """A weight that is none of a built-in module."""

    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return x * (1 + self.weight)


class Shifted(nn.Module):
    """Buffers of the file of weights, and what is computed of one."""

    def __init__(self, size):
        super().__init__()
        self.register_buffer("shift", torch.randn(size))
        self.register_buffer("scale", torch.tensor(0.0))

    def forward(self, x):
        return x * torch.exp(self.scale) + self.shift


class Lookup(nn.Embedding):
    def forward(self, ids):
        return 3 * super().forward(ids)


class Body(nn.Module):
    def __init__(self, kind, size=8):
        super().__init__()
        self.kind, self.table = kind, Lookup(30, size)
        self.start = nn.Parameter(torch.randn(1, 1, size))
        if kind == "sequential":
            self.net = nn.Sequential(nn.Linear(size, 12), nn.GELU(), nn.Linear(12, size))
        elif kind == "container":
            self.net = Box(size)
        elif kind == "buffers":
            self.net = nn.ModuleList([Shifted(size), Shifted(size)])
        elif kind == "twice":
            self.net = nn.Linear(size, size)
        elif kind == "packed":
            self.net = nn.Linear(size, 3 * size)
        elif kind == "repeated":
            self.net = nn.Sequential(nn.Linear(2 * size, size))
        elif kind == "first":
            self.net = nn.ModuleList([Scale(size), *(nn.Linear(size, size) for _ in "abc")])
        elif kind == "turns":
            self.net = nn.ModuleList([Scale(size) if k % 3 == 1 else nn.LayerNorm(size)
                                      for k in range(6)])
        elif kind == "tied":
            self.net = nn.ModuleDict({"head": nn.Linear(size, 30)})
            self.net["head"].weight = self.table.weight
        else:
            self.net = nn.ModuleList([nn.Linear(size, size), nn.Linear(size, size, bias=False)])

    def forward(self, ids):
        x = self.table(ids)
        if self.kind == "sequential":
            return self.net(x)
        if self.kind == "repeated":  # each of two groups as often as there are groups
            x = x.unflatten(-1, (2, 1, -1)).expand(-1, -1, 2, 2, -1).flatten(2)
            return self.net(x)
        if self.kind == "pairs":  # of positions, and a view of them
            seen = (ids > 3).float()[:, None, None]
            seen = seen * seen.squeeze(-2).unsqueeze(-1)
            scores = torch.bmm(x, x.transpose(1, 2))[:, None] + seen
            return torch.bmm(torch.tanh(scores / 9).flatten(0, 1), self.net[0](x))
        if self.kind == "twice":  # a value that one operation reads twice, and later again
            x = self.net(x)
            y = torch.tanh(x * x)
            return x * (y + torch.sigmoid(y))
        if self.kind == "packed":  # all heads' queries first, then keys, then values
            q, k, v = self.net(x).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
            return ((q @ k.mT * 0.5).softmax(-1) @ v).mH.flatten(1, 2).mT
        if self.kind == "container":
            return self.net.layers[1](self.net.layers[0](self.net.up(x))) * self.net.gain
        if self.kind == "part":
            return self.net[1](x)
        if self.kind == "float32":
            with torch.autocast("cpu", enabled=False):
                x = self.net[0](x)
            with torch.enable_grad():
                return self.net[1](x)
        if self.kind == "tied":
            return self.net["head"](x)
        if self.kind == "token":
            x = torch.cat([self.start.expand(x.shape[0], -1, -1), x], 1)
        for layer in self.net:
            x = layer(x)
        return F.relu(x)


root = pathlib.Path(sys.argv[1])
ids = torch.arange(24).reshape(2, 12)
for kind in ("sequential", "container", "array", "part", "first", "turns", "tied", "token",
             "buffers", "repeated", "pairs", "float32", "packed", "twice"):
    torch.manual_seed(2)
    folder = root / kind
    folder.mkdir(parents=True, exist_ok=True)
    module = Body(kind)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    dims = {"ids": ("batch", 12)} if kind == "token" else None
    text = hocket_import.to_hkt(module, kwargs={"ids": ids}, dims=dims)
    (folder / "body.hkt").write_text(text)
    texts.hocket("fmt", "--check", folder / "body.hkt")
    texts.compare(folder / "body.hkt", module, {"ids": ids})
    texts.compare_gradients(folder / "body.hkt", module, {"ids": ids})
    print(f"== {kind}\n{text}")
