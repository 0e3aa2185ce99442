"""A bias that falls, or grows, with the distance of keys: ALiBi, by its numbers.

What a bias adds to all keys of one query does not change the softmax, so each row
is compared up to a constant.
"""

import torch

from .refuse import Unsupported


def slopes(heads):
    """Those of the paper: 2^(-8 / heads), 2^(-16 / heads), ..."""
    return 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)


def form(kind, heads, queries, keys):
    """The bias that the text computes: of keys' places, or of distances."""
    place = torch.arange(keys, dtype=torch.float64)[None]
    if kind == "distance":
        place = -(place - torch.arange(queries, dtype=torch.float64)[:, None]).abs()
    return slopes(heads)[:, None, None] * place.expand(queries, keys)


def same_rows(a, b, visible):
    """Equal where visible, up to a constant of each row."""
    difference = torch.where(visible, a - b, 0)
    count = visible.sum(-1, keepdim=True).clamp(min=1)
    rest = torch.where(visible, difference - difference.sum(-1, keepdim=True) / count, 0)
    return bool((rest.abs() <= 1e-5 * (1 + b.abs().max())).all())


def recognise_alibi(samples):
    """"places" where the bias grows with the places of keys, "distance" where it falls
    with their distances."""
    for kind in ("places", "distance"):
        if all(sample.bias is not None and same_rows(
                sample.bias.double(), form(kind, *sample.bias.shape[1:]),
                sample.visible[:, None]) for sample in samples):
            return kind
    raise Unsupported("attention with a bias that is no mask")
