"""Runs parts of a graph on values of the caller's: what is recognised, is
recognised by such numbers."""

import torch
from torch.fx.node import map_arg

from .export import op_name, resized
from .refuse import Unsupported

aten = torch.ops.aten
# The values of these do not depend on those of their operands.
SHAPE_ONLY = {"sym_size", "new_ones", "new_zeros", "new_full", "new_empty",
              "zeros_like", "ones_like", "full_like", "empty_like"}


def depends_on(graph):
    """node -> the inputs and parameters whose values, not only shapes, reach it."""
    reach = {}
    for node in graph.nodes:
        if node in graph.inputs or node in graph.parameters:
            reach[node] = frozenset([node])
        elif node.op != "call_function" or op_name(node) in SHAPE_ONLY or \
                op_name(node) == "gather" and is_uniform(graph, node.args[0]):
            reach[node] = frozenset()
        else:
            reach[node] = frozenset().union(
                *(reach[operand] for operand in node.all_input_nodes))
    return reach


def is_uniform(graph, node):
    """A constant of the module that is one number everywhere."""
    while op_name(node) in ("expand", "slice", "view", "to", "_to_copy"):
        node = node.args[0]
    value = graph.state.get(node)
    return value is not None and node not in graph.parameters and \
        bool((value == value.reshape(-1)[0]).all())


def call(node, args, kwargs):
    """One operation on values, dropout off."""
    name, target = op_name(node), node.target
    if name == "dropout":
        return args[0]
    if name == "view":  # values of other strides than those that were traced
        target = aten.reshape.default
    return target(*args, **kwargs)


def evaluate(graph, targets, feed):
    """Values of the nodes `targets`, given those of `feed`: node -> value.

    Parameters, buffers and constants are the module's unless they are fed. A node
    that is needed and is neither is computed from its operands.
    """
    values, needed, waiting = dict(feed), set(), list(targets)
    while waiting:
        node = waiting.pop()
        if node in needed or node in values:
            continue
        needed.add(node)
        if node not in graph.state:
            waiting += node.all_input_nodes
    with torch.no_grad():
        for node in graph.nodes:
            if node not in needed:
                continue
            if node in graph.state:
                values[node] = graph.state[node]
                continue
            if node.op != "call_function":
                raise KeyError(f"no value of {node}")
            args = map_arg(node.args, lambda operand: values[operand])
            kwargs = map_arg(node.kwargs, lambda operand: values[operand])
            try:
                values[node] = call(node, args, kwargs)
            except (RuntimeError, TypeError, IndexError) as error:
                raise Unsupported(f"values of aten.{op_name(node)} that cannot be "
                                  "computed alone") from error
    return [values[target] for target in targets]


def sized_inputs(graph, sizes):
    """node -> example of each input, with these sizes of named dims."""
    return {node: resized(graph.examples[node.name], graph.dims[node.name], sizes)
            for node in graph.inputs}


def sized_shape(graph, node, sizes):
    """The shape of a node's value, with these sizes of named dims."""
    def size_of(size):
        if isinstance(size, int):
            return size
        expression = size.node.expr
        return int(expression.subs({symbol: sizes[graph.symbols[str(symbol)]]
                                    for symbol in expression.free_symbols}))

    return [size_of(size) for size in node.meta["val"].shape]


def few(graph):
    """Small sizes of all named dims, each another one."""
    names = dict.fromkeys(graph.symbols.values())
    return {name: 3 + 2 * k for k, name in enumerate(names)}


def close(a, b, tolerance):
    """Equal shapes, and each element within tolerance * (1 + |b|)."""
    if a.shape != b.shape:
        return False
    a, b = a.double(), b.double()
    return bool(((a == b) | ((a - b).abs() <= tolerance * (1 + b.abs()))).all())
