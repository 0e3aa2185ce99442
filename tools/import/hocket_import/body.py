"""The forward of one module: its lines, from the steps that are its own.

A value that is used once becomes part of the expression that uses it; the others
get a name, x again where the dims are those of x and the old x is not needed.
"""

import collections
import re

import torch

from .atoms import leaves
from .buckets import Buckets
from .numbers import number, short
from .operations import TYPES, Operations, Text
from .refuse import Unsupported
from .steps import (Attention, Call, Count, Fill, Member, Op, Part, Rotary, Split, Table,
                    Tied, View)
from .views import Views

LONGEST = 84  # of an expression that is part of another


class Body(Operations, Views):
    """args     nodes that the forward takes
    outs     nodes that it returns
    uses     node -> how often what is left reads it
    member   path -> how the forward names that member
    """

    def __init__(self, names, args, outs, uses, avoid):
        self.names, self.shapes = names, names.shapes
        self.recognised, self.graph = names.recognised, names.graph
        self.outs, self.uses, self.avoid = outs, collections.Counter(uses), set(avoid)
        self.words, self.lines = set(), []
        self.env, self.pending, self.holder, self.angles = {}, {}, {}, {}
        self.args = {}
        fresh = ["x", "y", "z", "u", "w", *(f"x{k}" for k in range(2, 99))]
        for node in args:
            name = node.name if node in self.graph.inputs else next(
                name for name in self.wanted(node, fresh)
                if name not in self.avoid and name not in self.holder)
            self.args[node] = name
            self.env[node], self.holder[name] = Text(name), node
        self.places, self.place_names = {}, {}
        for node in args:
            self.name_places(self.shapes.dims[node])

    # Names and dims.

    def wanted(self, node, fresh):
        """Names for an argument: x, y, ...; of a parameter its own."""
        if node in self.graph.parameters:
            yield self.graph.parameters[node].split(".")[-1]
        yield from fresh

    def dim(self, dim):
        """A dim in a type or a constructor: hidden, (qkv = 3, heads), 1."""
        words = []
        for leaf in leaves(dim):
            if leaf.name in self.names.counted:
                words.append(f"{leaf.name} = {leaf.size}")
            else:
                self.words.add(leaf.name)
                words.append(self.spelled(leaf))
        return "1" if not words else words[0] if len(words) == 1 else \
            f"({', '.join(words)})"

    def parameters(self, dims):
        """The names of sizes that these dims need."""
        return {leaf.name for dim in dims for leaf in leaves(dim)} - self.names.counted

    def type(self, node):
        kind = TYPES.get(node.meta["val"].dtype)
        if kind is None:
            raise Unsupported(f"a value of {node.meta['val'].dtype}")
        return f"{kind}[{', '.join(map(self.dim, self.shapes.dims[node]))}]"

    def signature(self):
        return ", ".join(f"{name}: {self.type(node)}" for node, name in self.args.items())

    # Values.

    def use(self, node):
        """The expression of a value, for one more use."""
        self.uses[node] -= 1
        if node in self.graph.parameters and node not in self.args:
            return Text(self.parameter(node))
        if node in self.pending:
            return self.pending.pop(node)
        if node not in self.env:
            raise Unsupported("a value whose own operation is not supported")
        return self.env[node]

    def free(self, node):
        """A name for a value."""
        role = self.names.roles.get(node)
        first = next(iter(self.args), None)
        same = first is None or self.dims_of(node) == self.dims_of(first)
        names = ([role] if role else []) + \
            (["x"] if same or "x" not in self.holder else []) + \
            ["y", "z", "u", "w"] + [f"y{k}" for k in range(2, 99)]
        waiting = " ".join(text.text for text in self.pending.values())
        for name in names:
            held = self.holder.get(name)
            if name not in self.avoid and (held is None or self.uses[held] <= 0) and \
                    not re.search(rf"\b{name}\b", waiting):
                return name

    def dims_of(self, node):
        return [[id(leaf) for leaf in leaves(dim)] for dim in self.shapes.dims[node]]

    def bind(self, node, text):
        """Gives a value its expression: kept for its one use, or a line. Those of
        q, k and v wait for the attention, which writes them in this order."""
        role = self.names.roles.get(node)
        short = len(text.text) <= LONGEST and role is None
        if self.uses[node] == 1 and (short or role in ("q", "k", "v")):
            self.pending[node] = self.env[node] = text
        else:
            self.line(node, text)

    def line(self, node, text):
        name = self.free(node)
        self.hold(node, name)
        self.lines.append(f"{name} = {text.text}")

    def hold(self, node, name):
        self.holder[name], self.env[node] = node, Text(name)

    def finish(self):
        """Returns; what the last line has bound for that alone is returned itself."""
        text = ", ".join(self.use(out).text for out in self.outs)
        if self.lines and self.lines[-1].startswith(f"{text} = "):
            text = self.lines.pop().removeprefix(f"{text} = ")
        self.lines.append(f"return {text}")

    # Steps.

    def write(self, node, step, member):
        """One step; `member(path)` is how the forward names a member."""
        if isinstance(step, View):
            return self.view(node)
        if isinstance(step, Split):
            return self.split(node, step)
        if isinstance(step, Part):
            return None
        text = self.expression(node, step, member)
        return text and self.bind(node, text)

    def expression(self, node, step, member):
        if isinstance(step, Member):
            if step.operands or step.kind != "Embedding":
                return Text(f"{member(step.path)}({self.use(step.operands[0]).text})")
            return Text(f"{member(step.path)}({self.index(node, step)})")
        if isinstance(step, Tied):
            x, weight = (self.use(operand).text for operand in step.operands)
            return Text(f"matmul({x}, transpose({weight}))")
        if isinstance(step, Op):
            return self.operation(node, step)
        if isinstance(step, Table):
            return self.table(node, step)
        if isinstance(step, Count):
            return Text(f"f32(iota({self.dim(self.shapes.dims[node][0])}))")
        if isinstance(step, Call):
            return Text(f"{step.function}({self.use(step.operands[0]).text}{step.options})")
        if isinstance(step, Rotary) and step.table:
            return self.turn(node, step)
        if isinstance(step, Rotary):
            axis = self.dim(self.shapes.dims[node][step.axis])
            return Text(f"rotary({self.use(step.operands[0]).text}, axis = {axis}, "
                        f"base = {number(step.base)}, style = {step.style})")
        assert isinstance(step, Attention)
        for operand in step.operands[:3]:
            if operand in self.pending:
                self.line(operand, self.pending.pop(operand))
        q, k, v, *rest = [self.use(operand).text for operand in step.operands]
        if step.alibi:
            rest.append(self.alibi(node, step))
        return Text(f"attention({q}, {k}, {v}{step.options.format(*rest)})")

    def turn(self, node, step):
        """A rotary by frequencies of its own; angles are made once in a forward."""
        dims = self.shapes.dims[node]
        seq, rank = self.dim(dims[step.axis]), len(dims)
        if (seq, step.table) not in self.angles:
            ones = " 1" * (rank - step.axis - 2)
            self.angles[seq, step.table] = name = self.word("angle")
            self.lines += [f"frequencies = constant([{', '.join(map(short, step.table))}])",
                           f'{name} = rearrange(f32(iota({seq})), "{seq} -> {seq}{ones} 1") '
                           f"* frequencies"]
        angle, x = self.angles[seq, step.table], self.use(step.operands[0]).text
        a, b = self.word("a"), self.word("b")
        if step.style == "half":
            self.lines.append(f"{a}, {b} = split({x}, 2, axis = {rank - 1})")
            parts = (f"{a} * cos({angle}) - {b} * sin({angle})",
                     f"{b} * cos({angle}) + {a} * sin({angle})")
            factor = "" if step.factor == 1 else f"{number(step.factor)} * "
            return self.line(node, Text(f"{factor}concat({', '.join(parts)}, "
                                        f"axis = {rank - 1})"))
        raise Unsupported("an interleaved rotary with frequencies of its own")

    def word(self, name):
        """A name for a value of the text's own."""
        return next(word for word in (name, *(f"{name}_{k}" for k in range(2, 99)))
                    if word not in self.avoid and word not in self.holder)

    def table(self, node, step):
        """A causal mask, as numbers to add."""
        seq, ones = self.shapes.dims[node][-1][0].size, "1 " * (len(self.shapes.dims[node]) - 2)
        self.lines += [f'queries = rearrange(iota({seq}), "queries -> {ones}queries 1")',
                       f'keys = rearrange(iota({seq}), "keys -> {ones}1 keys")']
        mask = "where(keys <= queries, 0.0, -1e30)"
        return Text(mask if step.before is None else
                    f"where(keys + {step.before} >= queries, {mask}, -1e30)")

    def alibi(self, node, step):
        """The name of the bias, which takes lines of its own."""
        heads, seq = (self.dim(self.shapes.dims[node][axis]) for axis in (1, 2))
        keys = self.dim(self.shapes.dims[step.operands[1]][2])
        slopes = f"pow(2.0, (f32(iota({heads})) + 1.0) * (-8.0 / {heads}))"
        places = f"iota({keys})"
        if step.alibi == "distance":
            self.lines.append(f'distances = abs(rearrange(iota({keys}), "keys -> 1 keys") '
                              f'- rearrange(iota({seq}), "queries -> queries 1"))')
            slopes, places = f"-{slopes}", "distances"
        self.lines.append(f'slopes = rearrange({slopes}, "{heads} -> {heads} 1 1")')
        return f"slopes * f32({places})"

    def index(self, node, step):
        """Positions, or one number for each id."""
        dims = self.shapes.dims[node][:-1]
        inside = {leaf.name for arg in self.args for dim in self.shapes.dims[arg]
                  for leaf in leaves(dim)} | set(self.names.sizes)
        if isinstance(step.index, Buckets):
            inside |= {leaf.name for dim in dims for leaf in leaves(dim)
                       if leaf.size in inside}
        if not {leaf.name for dim in dims for leaf in leaves(dim)} <= inside:
            raise Unsupported("positions in a module that takes no value with them")
        if isinstance(step.index, Fill):
            for arg, name in self.args.items():
                if [list(map(str, d)) for d in self.names_of(arg)] == \
                        [list(map(str, d)) for d in self.names_in(dims)] and \
                        not arg.meta["val"].is_floating_point():
                    return f"fill({step.index.value}, like = {name})"
            raise Unsupported("an Embedding of one row for all, where no ids have its dims")
        if isinstance(step.index, Buckets):
            lines, rows = step.index.lines(leaves(dims[0])[0].size)
            self.lines += lines
            return rows
        first = f" + {step.index.first}" if step.index.first else ""
        return f"iota({self.dim(dims[0])}){first}"

    def names_of(self, node):
        return self.names_in(self.shapes.dims[node])

    def names_in(self, dims):
        return [[leaf.name for leaf in leaves(dim)] for dim in dims]
