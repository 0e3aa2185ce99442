"""Cases of make_golden.py: parameters of a module's own, and functions that the
language makes of others."""

import math

import torch
import torch.nn.functional as F


def functions(case, normal, whole, ids):
    def topk(x):
        values, places = x.topk(4, 1)
        return values * (places + 1)

    def chunk(x):
        a, b, c = x.chunk(3, 1)
        return torch.cat([a * b, c * 2], 1)

    case("parameters", lambda x, token, scale: torch.cat([token.expand(2, 1, 5), x], 1) * (scale + 1),
         x=normal(2, 4, 5), token=normal(1, 1, 5), scale=normal(5))
    numbers = torch.tensor([[0.5, -1, 2.25], [1, 0.5, 3], [0, 0, 1], [7, 8, 9]])
    for name, function, *shape in (
        ("broadcast", lambda x: x.broadcast_to(2, 4, 3), 4, 1),
        ("chunk", chunk, 2, 7, 3),
        ("roll", lambda x: x.roll(1, 1) * 2, 2, 4, 5),
        ("roll_two", lambda x: x.roll((-1, 8), (1, 2)) * x, 2, 4, 5),
        ("flip", lambda x: x.flip(0, 2) * x, 2, 4, 5),
        ("take", lambda x: x[:, [3, 0, -1, 3]], 2, 4, 5),
        ("softplus", F.softplus, 4, 5),
        ("softplus_beta", lambda x: F.softplus(x, 2.5), 4, 5),
        ("cumsum", lambda x: x.cumsum(1), 2, 7, 3),
        ("argmax", lambda x: x.sum(1) * x.argmax(1), 2, 4, 5),
        ("topk", topk, 2, 6, 3),
        ("constant", lambda x: x * numbers + torch.tensor([3, -1, 3]), 2, 4, 3),
    ):
        case(name, function, x=2 * normal(*shape))
    case("argmax_equal", lambda x: x + x.argmax(2, keepdim=True), x=whole(2, 4, 5))
    case("take_by_data", lambda x, at: x[:, at], x=normal(2, 4, 3), at=ids(4, 5, 2))
    case("cumsum_of_ints", lambda x, at: x * at.cumsum(1), x=normal(2, 7), at=ids(4, 2, 7))


def turned(x, rates, factor=1.0):
    a, b = x.chunk(2, -1)
    angles = torch.arange(x.shape[-2])[:, None] * rates
    cos, sin = angles.cos(), angles.sin()
    return factor * torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


def plain(base, size=16):
    return 1 / base ** (torch.arange(0, size, 2) / size)


def yarn(base, factor, original, fast=32, slow=1, truncate=True, size=16):
    """The correction range of arXiv 2309.00071, as transformers computes it."""
    low, high = (size * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base))
                 for turns in (fast, slow))
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, size - 1)
    ramp = ((torch.arange(size // 2) - low) / (high - low)).clamp(0, 1)
    rates = plain(base)
    return rates / factor * ramp + rates * (1 - ramp)


def llama3(base, factor, original, low=1.0, high=4.0):
    rates = plain(base)
    lengths = 2 * math.pi / rates
    smooth = (original / lengths - low) / (high - low)
    between = (1 - smooth) * rates / factor + smooth * rates
    rates = torch.where(lengths > original / low, rates / factor, rates)
    return torch.where((lengths <= original / low) & (lengths >= original / high), between, rates)


def rotaries(case, normal):
    for name, rates, factor in (
        ("linear", plain(1e4) / 4, 1),
        ("ntk", plain(1e4 * (2 * 5 / 4 - 1) ** (16 / 14)), 1),
        ("ntk_short", plain(1e4), 1),
        ("yarn", yarn(1e4, 4, 64), 0.1 * math.log(4) + 1),
        ("yarn_smooth", yarn(500, 8, 90, 4, 2, False), 1.5),
        ("llama3", llama3(500, 8, 64), 1),
        ("frequencies", torch.tensor([1, 0.5, 0.25, 1e-3, 0, 2, 3, 0.125]), 1),
    ):
        case("rotary_" + name, lambda x: turned(x, rates, factor), x=normal(2, 3, 5, 16))


def lookups(case, normal, ids):
    """Places that differ from row to row, along one dim."""
    rows = torch.arange(2)
    case("take_along_one", lambda x, at: x[rows, at], x=normal(2, 4, 3), at=ids(4, 2))
    case("take_along_some", lambda x, at: x[rows[:, None], at], x=normal(2, 4, 3), at=ids(4, 2, 5))
    case("take_along_each", lambda x, at: x.gather(1, at) * 2, x=normal(2, 4, 3), at=ids(4, 2, 2, 3))
    case("take_along_wide", lambda x, at: x.take_along_dim(at, 1), x=normal(2, 4, 3), at=ids(4, 1, 3, 1))
    case("take_along_last", lambda x, at: x.gather(2, at[..., None])[..., 0] * x[..., 0],
         x=normal(2, 4, 3), at=ids(3, 2, 4))
