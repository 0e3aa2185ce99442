"""Takes operations without effect out of a graph.

They go before anything is recognised: a cast inside a norm, say, is what the
residual behind it reads, and would tear the norm apart.
"""

import operator

import torch

from .export import op_name

# Give their first operand where shape and element type stay the same.
COPIES = {"alias", "clone", "contiguous", "detach", "to", "_to_copy", "type_as",
          "expand", "view", "reshape", "_unsafe_view", "slice", "lift_fresh_copy"}
CHECKS = {"_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range",
          "sym_constrain_range_for_size", "_assert_async"}


def same_type(a, b):
    """Shape and element type of two nodes are equal, symbols included."""
    x, y = a.meta.get("val"), b.meta.get("val")
    return (torch.is_tensor(x) and torch.is_tensor(y) and x.dtype == y.dtype
            and list(map(str, x.shape)) == list(map(str, y.shape)))


def is_narrowed_id(node, first):
    """Ids of a table as shorter integers, which are compared alone."""
    kind = node.meta["val"].dtype if torch.is_tensor(node.meta.get("val")) else None
    return (op_name(node) in ("to", "_to_copy") and kind == torch.int32
            and first.meta["val"].dtype == torch.int64
            and all(op_name(user) in ("argmax", "eq", "ne") for user in node.users)
            and any(op_name(user) == "embedding" for user in first.users))


def stands_for(node):
    """The operand that a node only repeats, or None."""
    name, first = op_name(node), node.args[0] if node.args else None
    if not isinstance(first, torch.fx.Node):
        return None
    if is_narrowed_id(node, first):
        return first
    if name == "slice" and calls(first, "cat") and (part := part_of(node, first)):
        return part
    if name == "unsqueeze" and node.args[1] == 0 and counts(first) and all(
            spreads(user, node) for user in node.users):
        return first
    if not same_type(node, first):
        return None
    if name in COPIES:
        steps = node.args[4] if name == "slice" and len(node.args) > 4 else 1
        return first if steps == 1 else None
    second = node.args[1] if len(node.args) > 1 else None
    if name == "mul" and isinstance(second, torch.fx.Node) and calls(second, "ones"):
        return first
    if name == "pad":
        return first if not any(second) else None
    if name.startswith("upsample_"):  # to the size that it has
        return first
    if name == "dropout":
        return first if second == 0 or not node.args[2] else None
    if isinstance(second, (int, float)) and not isinstance(second, bool):
        if name in ("mul", "div") and second == 1:
            return first
        if name in ("add", "sub") and second == 0:
            return first
    return None


def calls(node, name):
    return node.op == "call_function" and op_name(node) == name


def part_of(node, whole):
    """The part of a concatenation that a slice takes again, or None."""
    if len(node.args) != 4 or None in node.args[1:]:
        return None
    axis, begin, end = node.args[1:]
    size = whole.meta["val"].shape[axis]
    along = whole.args[1] if len(whole.args) > 1 else 0
    rank = whole.meta["val"].dim()
    if along % rank != axis % rank or not isinstance(size, int):
        return None
    place, bounds = 0, (begin, min(end, size))
    for part in whole.args[0]:
        after = place + part.meta["val"].shape[axis]
        if bounds == (place, after):
            return part
        place = after
    return None


def counts(node):
    """One dim of numbers that no input reaches: computed from 0, 1, ... alone."""
    one = node.meta["val"].dim() == 1 and node.meta["val"].is_floating_point()
    while node.op == "call_function" and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    return one and calls(node, "arange")


def spreads(user, node):
    """The user is a product that would give a leading dim of 1 to a value itself."""
    return op_name(user) == "mul" and all(
        isinstance(other, torch.fx.Node)
        and other.meta["val"].dim() >= node.meta["val"].dim() for other in user.args)


def respell(node):
    """An attribute of a tensor as the operation that it stands for: x.mT."""
    if op_name(node) in ("mT", "mH", "adjoint") and not node.meta["val"].is_complex():
        node.target, node.args = torch.ops.aten.transpose.int, (node.args[0], -2, -1)


def erase(graph):
    """The same graph without them; `graph.nodes` and its outputs change."""
    kept = []
    for node in graph.nodes:
        if node.op == "call_function":
            respell(node)
            if op_name(node) in CHECKS:
                node.graph.erase_node(node)
                continue
            if (first := stands_for(node)) is not None:
                graph.outputs = [first if out is node else out
                                 for out in graph.outputs]
                node.replace_all_uses_with(first)
                node.graph.erase_node(node)
                continue
        kept.append(node)
    graph.nodes = kept
    return graph


def selects(node):
    """(axis, the selects by index) where all that reads a value are the selects of
    each place along one axis, else None."""
    value = node.meta.get("val")
    users = list(node.users)
    if not torch.is_tensor(value) or len(users) < 2 or any(
            op_name(user) != "select" for user in users):
        return None
    axes = {user.args[1] % value.dim() for user in users}
    axis = axes.pop()
    size = value.shape[axis]
    if axes or not isinstance(size, int) or len(users) != size:
        return None
    parts = {user.args[2] % size: user for user in users}
    return (axis, parts) if len(parts) == size else None


def unbind(graph):
    """The same graph with one unbind for the selects of all parts of a value."""
    order = {node: place for place, node in enumerate(graph.nodes)}
    found = [(node, *parts) for node in graph.nodes if (parts := selects(node))]
    for node, axis, parts in found:
        first = min(parts.values(), key=order.get)
        with first.graph.inserting_before(first):
            whole = first.graph.call_function(torch.ops.aten.unbind.int, (node, axis))
        whole.meta = first.meta | {
            "val": [parts[index].meta["val"] for index in sorted(parts)]}
        graph.nodes.insert(graph.nodes.index(first), whole)
        for index, part in parts.items():
            part.target, part.args = operator.getitem, (whole, index)
    return graph


ALIASES = {"view", "reshape", "transpose", "permute", "t", "slice", "select", "unsqueeze",
           "squeeze", "expand", "getitem", "split", "chunk", "unbind", "alias", "detach",
           "flatten", "unflatten", "movedim", "split_with_sizes", "_unsafe_view"}


def is_in_place(node):
    return isinstance(node.target, torch._ops.OpOverload) and \
        node.target._schema.is_mutable and node.args


def changed_under_readers(graph):
    """Operations that change a value in place which is read later as it was."""
    order = {node: place for place, node in enumerate(graph.nodes)}
    found = []
    for node in filter(is_in_place, graph.nodes):
        root = node.args[0]
        while root.op == "call_function" and op_name(root) in ALIASES:
            root = root.args[0]
        family, ahead = set(), [root]
        while ahead:
            here = ahead.pop()
            if here not in family and here is not node:
                family.add(here)
                ahead += [user for user in here.users if op_name(user) in ALIASES]
        if any(order.get(user, 0) > order[node] for here in family for user in here.users):
            found.append(node)
    return found
