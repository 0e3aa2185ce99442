"""Index by data: which elements along one axis a value of the graph picks."""

import torch

from .export import op_name
from .refuse import Unsupported
from .steps import Lookup
from .windows import recognise_relative

LOOKUPS = {"index", "gather", "take_along_dim", "index_select"}


def lookup(node, symbols, reach, at_sizes):
    """The step of one. `symbols` has the names of dims, `at_sizes(node, k)` gives what
    no input reaches at the k-th sizes."""
    def shape(of):
        return [symbols.get(str(size), str(size)) for size in of.meta["val"].shape]

    name, x = op_name(node), node.args[0]
    if not reach[x]:
        raise Unsupported(f"aten.{name} of a constant tensor")
    if name == "index":
        ids, axis, function = subscripts(x, node.args[1], shape, at_sizes)
    elif name == "index_select":
        axis, ids = node.args[1:3]
        function = "take"
    else:
        ids, axis = reversed(node.args[1:3]) if name == "gather" else node.args[1:3]
        function = "take_along"
    axis %= x.meta["val"].dim()
    kind = ids.meta["val"].dtype
    if kind == torch.bool or kind.is_floating_point:
        raise Unsupported(f"aten.{name} by a mask")
    if not reach[ids]:
        if function == "take" and (found := recognise_relative(x, at_sizes(ids, 0), axis)):
            return found
        raise Unsupported(f"aten.{name} by a constant tensor")
    repeats = ("1",) if name == "take_along_dim" else ()
    if name in ("gather", "take_along_dim") and any(
            own not in (size, *repeats) for place, (own, size) in enumerate(
                zip(shape(ids), shape(x))) if place != axis):
        raise Unsupported(f"aten.{name} of a part of the other dims")
    if name == "gather":
        ids = narrow(ids)
    return Lookup([x, ids], function, axis)


def narrow(ids):
    """What ids were repeated from, along dims of 1."""
    if op_name(ids) == "expand" and \
            ids.args[0].meta["val"].dim() == ids.meta["val"].dim():
        return ids.args[0]
    return ids


def subscripts(x, given, shape, at_sizes):
    """(ids, axis, function) of x[:, ids], and of x[arange(batch), ids]."""
    found = [(axis, ids) for axis, ids in enumerate(given) if ids is not None]
    if len(found) == 1:
        return *found[0][::-1], "take"
    (axis, rows), (other, ids) = found[0], found[-1]
    if len(found) == 2 and (axis, other) == (0, 1) and \
            rows.meta["val"].dim() == ids.meta["val"].dim() <= 2 and \
            shape(rows)[0] == shape(ids)[0] == shape(x)[0] and all(
                counts(at_sizes(rows, k)) for k in range(2)):
        return ids, 1, "take_along"
    raise Unsupported("aten.index by several tensors")


def counts(rows):
    """Values are 0, 1, ... along the first dim, and the others 1."""
    return rows.numel() == len(rows) and \
        torch.equal(rows.flatten(), torch.arange(len(rows)))
