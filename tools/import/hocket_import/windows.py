"""Rows of a learned bias that two places of a window share by how far apart they are."""

import torch

from .atoms import Atom
from .steps import Relative


def relative_rows(height, width):
    """The row for each pair of places of a window, as Swin numbers them."""
    row, column = (part.flatten() for part in torch.meshgrid(
        torch.arange(height), torch.arange(width), indexing="ij"))
    down = row[:, None] - row[None]
    across = column[:, None] - column[None]
    return (down + height - 1) * (2 * width - 1) + across + width - 1


def recognise_relative(table, ids, x_axis):
    """The step of a table's rows at constant ids, or None."""
    if x_axis != 0 or table.meta["val"].dim() != 2:
        return None
    area, rows = round(ids.numel() ** 0.5), int(table.meta["val"].shape[0])
    for height in range(1, area + 1):
        width = area // height
        if height * width == area and (2 * height - 1) * (2 * width - 1) == rows and \
                torch.equal(ids.flatten(), relative_rows(height, width).flatten()):
            return Relative([table], height, width)
    return None


def relative_dims(step, heads):
    """[rows, columns] of queries and of keys, and heads."""
    return [[Atom(size, f"{of}_{name}")] if size > 1 else []
            for of in ("query", "key")
            for name, size in (("row", step.height), ("column", step.width))] + [heads]


def relative_lines(step, word):
    """(lines, the expression of the rows); `word` makes a name that is free."""
    down, across = word("row_offset"), word("column_offset")
    lines = []
    for name, size, axis, dim in ((down, step.height, 0, "row"),
                                  (across, step.width, 1, "column")):
        queries, keys = (" ".join(dim if place == at else "1" for place in range(4))
                         for at in (axis, axis + 2))
        lines.append(f'{name} = rearrange(iota({size}), "{dim} -> {queries}") - '
                     f'rearrange(iota({size}), "{dim} -> {keys}")')
    return lines, f"({down} + {step.height - 1}) * {2 * step.width - 1} + {across} + " \
                  f"{step.width - 1}"
