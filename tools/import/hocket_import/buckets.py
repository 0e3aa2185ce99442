"""The rows of a learned bias that distances of keys share: T5's buckets, by their
numbers."""

import dataclasses
import math

import torch

from .numbers import short

LONGEST = 2048  # of the lengths that are compared


@dataclasses.dataclass
class Buckets:
    """Rows [queries, keys] of a table: the first ones of each distance, then of the
    logarithm of distances, the last one of all from `reach` on; with `both`, half of
    them are of keys behind the query."""
    count: int
    reach: int
    both: bool

    def of(self, length):
        place = torch.arange(length)
        offset = place[None] - place[:, None]
        half, near = self.halves()
        distance = offset.abs() if self.both else (-offset).clamp(min=0)
        far = near + ((distance.clamp(min=1).float() / near).log()
                      / math.log(self.reach / near) * (half - near)).long()
        rows = torch.where(distance < near, distance, far.clamp(max=half - 1))
        return rows + (offset > 0) * half if self.both else rows

    def halves(self):
        half = self.count // 2 if self.both else self.count
        return half, half // 2

    def lines(self, seq):
        """The lines of the text, and what they make."""
        half, near = self.halves()
        wide = short(math.log(self.reach / near))
        distance = "abs(offset)" if self.both else "maximum(-offset, 0)"
        rows = f"where(distance < {near}, distance, minimum(far, {half - 1}))" + (
            f" + i32(offset > 0) * {half}" if self.both else "")
        return [f'offset = rearrange(iota({seq}), "keys -> 1 keys") - '
                f'rearrange(iota({seq}), "queries -> queries 1")',
                f"distance = {distance}",
                f"far = i32(log(f32(maximum(distance, 1)) / {near}.0) / {wide} * "
                f"{half - near}.0) + {near}"], rows


def ancestors(node):
    found, ahead = set(), [node]
    while ahead:
        here = ahead.pop()
        if here not in found:
            found.add(here)
            ahead += here.all_input_nodes
    return found


def recognise_buckets(node, count, limit, evaluate_at):
    """Buckets of a constant [queries, keys], or None.

    `evaluate_at(length)` gives its value; the logarithm of the reach is a number of
    the code.
    """
    literals = {value for here in ancestors(node) for value in here.args
                if isinstance(value, float) and 0 < value < 12}
    small = evaluate_at(min(17, limit))
    for both in (True, False):
        half, near = Buckets(count, 0, both).halves()
        for value in literals if near else ():
            reach = round(near * math.exp(value))
            found = Buckets(count, reach, both)
            if reach > near and torch.equal(small, found.of(len(small))):
                long = min(reach + 5, limit, LONGEST)
                if torch.equal(evaluate_at(long), found.of(long)):
                    return found
    return None
