"""A decoder in plain PyTorch, with the parts that importers take for each other. Tests
change single lines of this text, and import what comes out."""

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def angles(length, width):
    steps = 10000.0 ** (-torch.arange(0, width, 2).float() / width)
    return torch.arange(length).float()[:, None] * steps


def turn(x):
    at = angles(x.shape[2], x.shape[3])
    cos, sin = torch.cat([at, at], -1).cos(), torch.cat([at, at], -1).sin()
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


def allowed(length, keep):
    query = torch.arange(length)[:, None]
    key = torch.arange(length)[None, :]
    mask = (key <= query) & (key > query - 6)
    return mask[None, None] & keep.bool()[:, None, None, :]


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.out = nn.Linear(size, size, bias=False)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x, keep):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        q, k = turn(q), turn(k)
        mask = allowed(x.shape[1], keep)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.norm1 = Norm(size)
        self.attend = Attention(size, heads)
        self.norm2 = nn.LayerNorm(size, eps=1e-5)
        self.up = nn.Linear(size, 3 * size)
        self.down = nn.Linear(3 * size, size)

    def forward(self, x, keep):
        x = x + self.attend(self.norm1(x), keep)
        y = self.down(F.gelu(self.up(self.norm2(x))))
        return x + 0.5 * y


class Plain(nn.Module):
    def __init__(self, count=2, size=32, heads=4, rows=50):
        super().__init__()
        self.table = nn.Embedding(rows, size)
        self.places = nn.Embedding(40, size)
        self.blocks = nn.ModuleList(Block(size, heads) for _ in range(count))
        self.norm = Norm(size)

    def forward(self, ids, keep):
        x = self.table(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x, keep)
        return F.linear(self.norm(x), self.table.weight)
