"""Cases of make_golden.py: parameters of a module's own, and functions that the
language makes of others."""

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
