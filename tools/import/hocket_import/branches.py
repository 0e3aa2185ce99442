"""Branches of a module on sizes: `if ids.shape[1] > 100`. Tracing takes the one of the
example, and the text would take it for all sizes."""

import itertools
import pathlib

import torch
from torch.fx.node import map_arg
from torch.utils._sympy.printers import PythonPrinter

from .refuse import Refused

TORCH = str(pathlib.Path(torch.__file__).parent)


def written_guards(program):
    """What tracing took for granted of sizes in lines that are not PyTorch's own, which
    guards sizes of its operands: (expression, "file.py:12")."""
    values = (node.meta.get("val") for node in program.graph.nodes)
    environment = next((value.fake_mode.shape_env for value in values
                        if hasattr(value, "fake_mode")), None)
    for guard in environment.guards if environment else ():
        frames = guard.sloc.framework_loc or guard.sloc.user_loc or ()
        frame = frames[-1] if isinstance(frames, (list, tuple)) and frames else frames
        file = getattr(frame, "filename", "")
        if file and not file.startswith(TORCH):
            short = "/".join(file.split("/")[-2:])
            yield guard.expr, f"{short}:{frame.lineno}"


def violated(expression, names, sizes):
    """Sizes of named dims for which an expression is false, near to `sizes` first, or
    None where none of those tried is."""
    symbols = {symbol: names.get(str(symbol)) for symbol in expression.free_symbols}
    if None in symbols.values():
        return None
    edges = [int(number) + step for number in expression.atoms() if number.is_Integer
             for step in (-1, 0, 1)]
    tried = [size for size in (*range(2, 40), *edges) if 2 <= size < 2**20]
    free = dict.fromkeys(symbols.values())
    for count in (1, 2):
        for changed in itertools.combinations(free, count):
            for chosen in itertools.product(tried, repeat=count):
                other = {**sizes, **dict(zip(changed, chosen))}
                if not expression.subs({symbol: other[name]
                                        for symbol, name in symbols.items()}):
                    return other
    return None


def repeats(node):
    """A copy to another order in memory, or all of a dim: what it is of."""
    return node.target is torch.ops.aten.contiguous.default or \
        node.target is torch.ops.aten.slice.Tensor and node.args[2:] == (0, 2**63 - 1)


def operations(program):
    """What a program does, without what only repeats a value."""
    places, found = {}, []
    for node in program.graph.nodes:
        if repeats(node):
            places[node] = places[node.args[0]]
            continue
        places[node] = f"%{len(found)}"
        found.append((node.op, str(node.target),
                      str(map_arg((node.args, node.kwargs), places.__getitem__))))
    return found


def differs(program, other, export):
    """Whether a module computes something else at other sizes. Where a branch is for one
    size, such as `== 64`, tracing takes that as a number only."""
    try:
        return operations(export(other, False)) != operations(program)
    except Refused:
        pass
    try:
        return bool(export(other, True))
    except Refused:  # sizes that the module does not take
        return False


def check_branches(title, program, names, sizes, export):
    """Refuses a module that computes something else at other sizes than the example's.

    names   a symbol of torch -> the name of the dim
    export  the program at given sizes, which are numbers in it or not; raises Refused
            where the module does not take them
    """
    for expression, place in written_guards(program):
        other = violated(expression, names, sizes)
        if other is None:
            continue
        if differs(program, other, export):
            spelled = expression.subs({symbol: type(symbol)(names[str(symbol)])
                                       for symbol in expression.free_symbols})
            dims = sorted({names[str(symbol)] for symbol in expression.free_symbols})
            raise Refused(
                f"{title} is not imported: it computes something else where "
                f"'{PythonPrinter().doprint(spelled)}' does not hold ({place})\n"
                "note: leave one branch in the module, or give a number instead of a "
                f"name for {' and '.join(repr(dim) for dim in dims)}")
