"""The dims of every value, as atoms: node -> list of dims."""

import torch

from .atoms import Atom, broadcast, leaves, size_of, unify
from .buckets import Buckets
from .export import op_name
from .factors import Factors
from .operations import ELEMENTS
from .refuse import Unsupported
from .steps import (Attention, Call, Count, Fill, Iota, Lookup, Member, Op, Part,
                    Relative, Rotary, Split, Table, Tied, View)
from .windows import relative_dims


class Shapes(Factors):
    """dims      node -> its dims
    members   path of a member -> its (in, out), (rows, out) or (dim,)
    leading   Split node -> the dim that counts its parts
    before    View node -> the dims of its operand, where it takes these for others
    """

    def __init__(self, graph, recognised):
        self.graph, self.recognised = graph, recognised
        self.dims, self.members, self.leading, self.before = {}, {}, {}, {}
        for node in graph.inputs:
            self.dims[node] = [self.input_dim(dim, size) for dim, size in zip(
                graph.dims[node.name], node.meta["val"].shape)]
        for node, step in recognised.steps.items():
            try:
                for operand in step.operands:
                    if operand in graph.parameters and operand not in self.dims:
                        self.dims[operand] = self.parameter(operand)
                if all(operand in self.dims for operand in step.operands):
                    self.dims[node] = self.of(node, step)
            except Unsupported as error:
                recognised.refuse(node, str(error))

    def input_dim(self, dim, size):
        if isinstance(dim, str):
            return [Atom(dim)]
        return [Atom(int(size))] if int(size) > 1 else []

    def parameter(self, node):
        """The dims of a parameter: those of the module that has it, or new ones."""
        path = self.recognised.owners.get(node)
        if path is None:
            return [self.input_dim(None, size) for size in node.meta["val"].shape]
        kind, dims = self.kind_of(path), self.members[path]
        if len(node.meta["val"].shape) == 1:
            return [dims[-1]]
        return dims[::-1] if kind == "Linear" else dims

    def of(self, node, step):
        first = self.dims[step.operands[0]] if step.operands else None
        if isinstance(step, Member):
            return self.member(node, step, first)
        if isinstance(step, Table):
            size = self.graph.symbols[step.size]
            return [[]] * (len(node.meta["val"].shape) - 2) + [
                [Atom(size, name)] for name in ("queries", "keys")]
        if isinstance(step, Tied):
            result, source = self.dims[step.operands[1]]
            unify(first[-1], source)
            return first[:-1] + [result]
        if isinstance(step, Call):
            return self.spatial(node, first)
        if isinstance(step, Rotary):
            return first
        if isinstance(step, Attention):
            return self.attention(step)
        if isinstance(step, Relative):
            return relative_dims(step, first[1])
        if isinstance(step, Count):
            return [self.count(step)]
        if isinstance(step, Lookup):
            return self.lookup(step, first, self.dims[step.operands[1]])
        self.check_rank(step)
        if isinstance(step, View):
            return self.view(node, first)
        if isinstance(step, Split):
            return self.split(node, step, first)
        if isinstance(step, Part):
            return self.dims[step.operands[0]]
        return self.operation(node, step, first)

    @staticmethod
    def count(step):
        if step.real:
            return [Atom(step.size)]
        return [Atom(step.size, free=True)] if step.size > 1 else []

    def kind_of(self, path):
        return next(step.kind for step in self.recognised.steps.values()
                    if isinstance(step, Member) and step.path == path)

    def check_rank(self, step):
        """Positions are written without their leading dims of 1."""
        for operand in step.operands:
            value = operand.meta["val"]
            lacks = torch.is_tensor(value) and value.dim() != len(self.dims[operand])
            made = isinstance(self.recognised.steps.get(operand), Relative)
            if lacks and not (isinstance(step, Op) and step.name in ELEMENTS) and not (
                    made and isinstance(step, View)):
                raise Unsupported("positions that are not added to a value")

    def member(self, node, step, first):
        if step.kind == "Dropout":
            return first
        fresh = step.path not in self.members
        if fresh:
            self.members[step.path] = [[Atom(size)] if size > 1 else []
                                       for size in step.sizes]
        dims = self.members[step.path]
        if step.kind.startswith("Conv") and step.kind != "Conv1D":
            unify(dims[0], first[1])
            if "groups = {0}" in step.options and step.sizes[0] == step.sizes[1]:
                unify(dims[0], dims[1])  # each channel by itself
            return self.spatial(node, [first[0], dims[1], *first[2:]])
        if step.kind.startswith(("BatchNorm", "GroupNorm")):
            unify(dims[0], first[1])
            return first
        if step.kind == "Embedding":
            return (first if step.operands else self.positions(node, step)) + [dims[1]]
        if len(dims) == 1:
            unify(dims[0], first[-1])
            return first
        unify(dims[0], first[-1])
        return first[:-1] + [dims[1]]

    def spatial(self, node, dims):
        """The dims of a result, of which some have other sizes than `dims`."""
        result = []
        for dim, size in zip(dims, self.sizes(node)):
            same = size[0] or size_of(dim) == size[1]
            result.append(dim if same else
                          [Atom(size[1], free=True)] if size[1] > 1 else [])
        return result

    def positions(self, node, step):
        sizes = [self.size(size) for size in node.meta["val"].shape[:-1]]
        shape = [[Atom(name) for name in names] + ([Atom(number)] if number > 1 else [])
                 for names, number in sizes]
        if isinstance(step.index, Iota):
            return shape[-1:]
        if isinstance(step.index, Buckets):
            return [[Atom(shape[0][0].size, name)] for name in ("queries", "keys")]
        assert isinstance(step.index, Fill)
        return shape

    def attention(self, step):
        q, k, v = (self.dims[operand] for operand in step.operands[:3])
        for a, b in ((q[0], k[0]), (q[0], v[0]), (q[3], k[3]), (k[1], v[1]), (k[2], v[2])):
            unify(a, b)
        sizes = [operand.meta["val"].shape for operand in step.operands[:3]]
        if int(sizes[0][1]) == int(sizes[1][1]):
            unify(q[1], k[1])
        if int(sizes[0][3]) == int(sizes[2][3]):
            unify(q[3], v[3])
        if step.options.endswith("bias = {}") and not step.alibi:
            bias = self.dims[step.operands[-1]]
            if len(bias) > 2 and bias[-3]:
                unify(q[1], bias[-3])
            if len(bias) == 4 and bias[0]:
                unify(q[0], bias[0])
        return [q[0], q[1], q[2], v[3]]

    def lookup(self, step, first, ids):
        """The dims of ids in place of the axis; of take_along only that one, as the
        ids' others are those of the value."""
        before, after = first[:step.axis], first[step.axis + 1:]
        if step.function == "take":
            return before + ids + after
        broadcast([before, ids[:step.axis]])
        behind = ids[step.axis + 1:]
        broadcast([after, behind + [[]] * (len(after) - len(behind))])
        return before + ids[step.axis:step.axis + 1] + after

    def size(self, size):
        """(names of dims, number) of a size that torch has as an expression."""
        if isinstance(size, int):
            return [], size
        number, factors = size.node.expr.as_coeff_mul()
        names = [self.graph.symbols.get(str(factor)) for factor in factors]
        if None in names or not number.is_integer:
            raise Unsupported(f"a size that is computed ({size})")
        return names, int(number)

    def sizes(self, node):
        return [self.size(size) for size in node.meta["val"].shape]

    def put_together(self, step, axis, name):
        """The dim that a concatenation of its own slices, some turned, has again."""
        sources, found = set(), 0
        for node in step.operands:
            while isinstance(self.recognised.steps.get(node), (Call, Rotary)):
                node = self.recognised.steps[node].operands[0]
            if name != "cat" or op_name(node) != "slice":
                return None
            sources.add(node.args[0])
            found += int(node.meta["val"].shape[axis])
        source = sources.pop()
        whole = source.meta["val"].shape[axis]
        return None if sources or int(whole) != found else self.dims[source][axis]

    @staticmethod
    def distinct(dims):
        """The dims of a value that has one of them twice, with others for the second."""
        seen, result = set(), []
        for dim in dims:
            if seen & set(leaves(dim)):
                dim = [Atom(leaf.size, free=leaf.free) for leaf in leaves(dim)]
            seen |= set(leaves(dim))
            result.append(dim)
        return result

    def expanded(self, node, first):
        sizes = self.sizes(node)
        first = [[]] * (len(sizes) - len(first)) + first
        return [dim or [Atom(name) for name in names] + ([Atom(size)] if size > 1 else [])
                for dim, (names, size) in zip(first, sizes)]

    def operation(self, node, step, first):
        name, args = step.name, node.args
        if name in ELEMENTS:
            return self.distinct(broadcast(
                [self.dims[operand] for operand in step.operands]))
        rank = len(first)
        if name == "expand":
            return self.expanded(node, first)
        if name in ("cumsum", "roll", "flip"):
            return first
        if name == "argmax":
            axis, keep = args[1] % rank, len(args) > 2 and args[2]
            return first[:axis] + ([[]] if keep else []) + first[axis + 1:]
        if name == "select":
            axis = args[1] % rank
            return first[:axis] + first[axis + 1:]
        if name in ("slice", "cat"):
            axis = (args[1] if len(args) > 1 else 0) % rank
            names, size = self.size(node.meta["val"].shape[axis])
            if names:
                raise Unsupported(f"aten.{name} along a dim that has a name")
            shapes = [self.dims[operand] for operand in step.operands]
            if name == "cat" and len(shapes) != len(args[0]):
                raise Unsupported("aten.cat with a constant tensor")
            others = broadcast([shape[:axis] + [[]] + shape[axis + 1:]
                                for shape in shapes])
            others[axis] = self.put_together(step, axis, name) or (
                [Atom(size, free=name == "cat")] if size > 1 else [])
            return others
        if name == "mean" and op_name(node) != "mean":
            return self.spatial(node, first)
        if name in ("mean", "sum") and len(args) > 1 and args[1] is not None:
            axes = {axis % rank for axis in args[1]}
            keep = len(args) > 2 and args[2]
            return [[] if axis in axes else dim for axis, dim in enumerate(first)
                    if keep or axis not in axes]
        if name == "linear":
            weight = self.dims[args[1]]
            unify(first[-1], weight[1])
            for bias in step.operands[2:]:
                unify(self.dims[bias][0], weight[0])
            return first[:-1] + [weight[0]]
        if name in ("matmul", "bmm"):
            a, b = (self.dims[operand] for operand in node.args)
            if len(a) != len(b):
                raise Unsupported("aten.matmul of other ranks")
            unify(a[-1], b[-2])
            above = broadcast([a[:-2], b[:-2]]) if len(a) > 2 else []
            return self.distinct(above + [a[-2], b[-1]])
        raise Unsupported(f"aten.{name}")
