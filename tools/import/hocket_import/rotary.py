"""Finds rotary embeddings: x turned by angles that only positions make.

A region of the graph between one value x and a result is run on values of x
drawn here, at two lengths, and compared with the language's `rotary`.
"""

import torch

from .export import op_name
from .numbers import shortest
from .probe import close, evaluate, sized_inputs, sized_shape
from .steps import Rotary

INSIDE = {"add", "sub", "mul", "neg", "cat", "slice", "stack", "select", "flatten",
          "view", "reshape", "unsqueeze", "split", "chunk", "getitem", "unbind",
          "view_as_complex", "view_as_real", "to", "unflatten", "squeeze", "rsub"}
LENGTHS = (7, 29)
LONG = 301


def turned(x, angles, style):
    """The language's rotary: `angles` broadcast to half of x's last dim."""
    half = x.shape[-1] // 2
    cos, sin = angles.cos(), angles.sin()
    if style == "half":
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)


def region_of(node, reach, taken):
    """(nodes, ends, tables) of the region that ends in `node`: what it computes, the
    data that enters, the constant tensors that do."""
    seen, ends, tables, ahead = {}, {}, {}, [node]
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen[here] = None
        if not reach[here]:
            value = here.meta.get("val")
            if torch.is_tensor(value) and value.dim() >= 2:
                tables[here] = None
        elif (here.op == "call_function" and here not in taken
              and op_name(here) in INSIDE):
            ahead += here.all_input_nodes
        else:
            ends[here] = None
    return seen, list(ends), list(tables)


def candidates(node, reach, taken):
    """Values x that the region may begin with: where all its paths meet."""
    seen, ends, tables = region_of(node, reach, taken)
    if not tables or not ends:
        return []
    shape = list(map(str, node.meta["val"].shape))
    found = [here for here in seen if here is not node and reach[here]
             and torch.is_tensor(here.meta.get("val"))
             and list(map(str, here.meta["val"].shape)) == shape]
    return [x for x in found if encloses(node, x, reach)]


def encloses(node, x, reach):
    """Every path from data to `node` passes x."""
    seen, ahead = set(), [node]
    while ahead:
        here = ahead.pop()
        if here is x or here in seen or not reach[here]:
            continue
        seen.add(here)
        if not here.all_input_nodes or op_name(here) not in INSIDE:
            return False
        ahead += here.all_input_nodes
    return True


def seq_axis(graph, node):
    """The axis of a named dim that is not the first: that of positions."""
    axes = [axis for axis, size in enumerate(node.meta["val"].shape)
            if axis and str(size) in graph.symbols]
    return axes[0] if len(axes) == 1 else None


def angles_of(graph, node, x, axis, length):
    """(x, result) for values of x drawn at this length, x in float64."""
    dim = graph.symbols[str(node.meta["val"].shape[axis])]
    length = min(length, graph.limits.get(dim) or length)
    sizes = {name: 2 for name in graph.symbols.values()} | {dim: length}
    feed = sized_inputs(graph, sizes)
    shape = sized_shape(graph, x, sizes)
    generator = torch.Generator().manual_seed(length)
    value = torch.randn(shape, generator=generator, dtype=torch.float64) * 3
    return value, evaluate(graph, [node], {**feed, x: value})[0]


def bases(x, result, axis, style):
    """The base that the turn of the second pair at position 1 shows, to more and
    fewer digits."""
    d = x.shape[-1]
    if d == 2:
        return [10000.0]
    row, out = x.select(axis, 1)[..., :].reshape(-1, d)[0], \
        result.select(axis, 1).reshape(-1, d)[0]
    i, j = (d // 2 - 1, d - 1) if style == "half" else (d - 2, d - 1)
    turn = torch.complex(out[i], out[j]) / torch.complex(row[i], row[j])
    angle = float(turn.angle())
    if angle <= 0:
        return []
    base = angle ** (-d / (d - 2))
    return [shortest(base, accuracy) for accuracy in (1e-3, 1e-4, 1e-5, 1e-6)]


def recognise_rotary(graph, node, reach, taken):
    """The step of a node that ends a rotary, or None."""
    shape = node.meta["val"].shape
    if len(shape) not in (3, 4) or not isinstance(shape[-1], int) or shape[-1] % 2:
        return None
    axis = seq_axis(graph, node)
    if axis is None:
        return None
    for x in candidates(node, reach, taken):
        drawn = [angles_of(graph, node, x, axis, length) for length in LENGTHS]
        for style in ("half", "interleaved"):
            for base in bases(*drawn[0], axis, style):
                if all(is_turn(value, out, axis, base, style) for value, out in drawn):
                    return Rotary([x], base, style, axis)
        found = by_table(graph, node, x, axis, drawn)
        if found:
            return found
    return None


def by_table(graph, node, x, axis, drawn):
    """A turn by frequencies that a constant of the module has, and a factor."""
    width = int(x.meta["val"].shape[-1])
    drawn = drawn + [angles_of(graph, node, x, axis, LONG)]
    for table in graph.state.values():
        if table.dtype != torch.float32 or table.numel() != width // 2 or \
                not table.any():  # which turns nothing
            continue
        steps = table.flatten()
        for style in ("half", "interleaved"):
            factor = length_ratio(*drawn[0])
            if all(close(out, factor * turned(value, table_angles(value, axis, steps),
                                              style), 1e-5) for value, out in drawn):
                return Rotary([x], None, style, axis, tuple(steps.tolist()),
                              as_written(graph, factor))
    return None


def as_written(graph, factor):
    """A factor that was measured, as the module's own code has it."""
    written = [1.0, *(arg for node in graph.nodes for arg in node.args
                      if isinstance(arg, float))]
    near = min(written, key=lambda number: abs(number - factor))
    return near if abs(near - factor) <= 1e-6 * abs(factor) else \
        shortest(factor, 1e-6)


def length_ratio(x, out):
    """A turn keeps lengths; what it does not keep is its factor."""
    return float(out.norm() / x.norm())


def table_angles(x, axis, steps):
    places = torch.arange(x.shape[axis], dtype=torch.float32)[:, None]
    shape = [1] * x.dim()
    shape[axis], shape[-1] = x.shape[axis], len(steps)
    return (places * steps).double().reshape(shape)


def is_turn(x, out, axis, base, style):
    d, length = x.shape[-1], x.shape[axis]
    steps = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * steps
    shape = [1] * x.dim()
    shape[axis], shape[-1] = length, d // 2
    return close(out, turned(x, angles.reshape(shape), style), 3e-6)
