"""The forward of one module: its lines, from the steps that are its own.

A value that is used once becomes part of the expression that uses it; the others
get a name, x again where the dims are those of x and the old x is not needed.
"""

import collections
import re

import torch

from .atoms import leaves
from .numbers import number
from .operations import TYPES, Operations, Text
from .positions import Positions
from .refuse import Unsupported
from .steps import (Attention, Call, Count, Lookup, Member, Op, Part, Relative, Rotary,
                    Split, Table, Tied, View)
from .views import Views
from .windows import relative_lines

LONGEST = 84  # of an expression that is part of another


class Body(Operations, Positions, Views):
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
        if isinstance(step, Relative):
            lines, rows = relative_lines(step, self.word)
            self.lines += lines
            return Text(f"take({self.use(step.operands[0]).text}, {rows}, axis = 0)")
        if isinstance(step, Count):
            size = self.dim(self.shapes.dims[node][0]) if step.real else step.size
            return Text(f"f32(iota({size}))" if step.real else f"iota({size})")
        if isinstance(step, Lookup):
            x, ids = (self.use(operand).text for operand in step.operands)
            return Text(f"{step.function}({x}, {ids}, axis = {step.axis})")
        if isinstance(step, Table):
            return self.table(node, step)
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
