"""Neighbours in an image that strided slices and a concatenation put together: views."""

import itertools

import torch

from .export import op_name

aten = torch.ops.aten


def strides(node):
    """(what is sliced, {axis: (start, step)}) of slices with steps that divide."""
    found = {}
    while op_name(node) == "slice":
        source, axis, start, end, step = (*node.args, 1)[:5]
        size = source.meta["val"].shape[axis]
        if axis in found or not isinstance(size, int) or end < size or step < 2 or \
                size % step or not 0 <= start < step:
            return None
        found[axis] = start, step
        node = source
    return (node, found) if found else None


def merged(cat):
    """(source, steps by axis, the axes from the slowest on) of a concatenation of all
    strided slices of a value along its last dim, or None."""
    parts = [strides(part) for part in cat.args[0]]
    rank = cat.meta["val"].dim()
    if None in parts or (cat.args[1] if len(cat.args) > 1 else 0) % rank != rank - 1:
        return None
    sources, axes = {part[0] for part in parts}, {tuple(sorted(part[1])) for part in parts}
    steps = {tuple(part[1][axis][1] for axis in sorted(part[1])) for part in parts}
    named = sum(not isinstance(size, int) for size in cat.meta["val"].shape)
    if len(sources) != 1 or len(axes) != 1 or len(steps) != 1 or named > 1:
        return None
    steps = dict(zip(axes.pop(), steps.pop()))
    for order in itertools.permutations(steps):
        wanted = list(itertools.product(*(range(steps[axis]) for axis in order)))
        if wanted == [tuple(part[1][axis][0] for axis in order) for part in parts]:
            return sources.pop(), steps, order
    return None


def join_neighbours(graph):
    """The same graph with views for them."""
    for cat in [node for node in graph.nodes if op_name(node) == "cat"]:
        if (found := merged(cat)) is None:
            continue
        source, steps, order = found
        shape, outer, inner = [], [], {}
        for axis, size in enumerate(source.meta["val"].shape):
            outer.append(len(shape))
            shape.append(size // steps[axis] if axis in steps else size)
            if axis in steps:
                inner[axis] = len(shape)
                shape.append(steps[axis])
        dims = outer[:-1] + [inner[axis] for axis in order] + outer[-1:]
        place = graph.nodes.index(cat)
        for function, value in ((aten.view.default, shape), (aten.permute.default, dims),
                                (aten.reshape.default, list(cat.meta["val"].shape))):
            with cat.graph.inserting_before(cat):  # the one size with a name is -1
                numbers = [size if isinstance(size, int) else -1 for size in value]
                node = cat.graph.call_function(function, (source, numbers))
            node.meta = cat.meta | {"val": function(source.meta["val"], value)}
            if function is aten.view.default:
                node.meta["factors"] = steps
            graph.nodes.insert(place, node)
            source, place = node, place + 1
        cat.replace_all_uses_with(source)
        graph.outputs = [source if out is cat else out for out in graph.outputs]
        remove(graph, cat)
    return graph


def remove(graph, node):
    """Takes out a node without users, and what only it has read."""
    above = node.all_input_nodes
    graph.nodes.remove(node)
    node.graph.erase_node(node)
    for other in above:
        if other.op == "call_function" and not other.users:
            remove(graph, other)
