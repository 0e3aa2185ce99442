"""Tensors that no input reaches: numbers, and masks that are added to scores."""

import torch

from .buckets import ancestors
from .export import op_name
from .masks import Scores, band, lengths, window
from .steps import Count, Op, Table

OF_COUNTS = {"add", "sub", "mul", "div", "neg", "exp", "log", "pow", "sqrt", "rsqrt",
             "reciprocal"}


class Constants:
    """`at_sizes(node, k)` gives a node's value at the k-th sizes, `at(node, sizes)` at
    these sizes of dims. `written`: the nodes that have steps."""

    def __init__(self, graph, at_sizes, at):
        self.graph, self.at_sizes, self.at, self.numbers = graph, at_sizes, at, {}
        self.written = set()

    def steps(self, node, reader):
        """node -> Step of a tensor that the operation `reader` reads, or {}."""
        steps = self.counted(node) if reader == "mul" else {}
        if not steps and reader == "add" and (table := self.table(node)):
            steps = {node: table}
        self.written |= steps.keys()
        return steps

    def stored(self, node):
        """The buffers of the weight file that a tensor is computed of."""
        return [above for above in ancestors(node) if above in self.graph.buffers
                and self.graph.buffers[above] in self.graph.names]

    def number(self, node):
        """The one number that a tensor has everywhere, or None."""
        if node not in self.numbers:
            if self.stored(node):
                return None
            seen = [self.at_sizes(node, k) for k in range(2)]
            value = seen[0].reshape(-1)[0] if seen[0].numel() else None
            same = value is not None and all(bool((x == value).all()) for x in seen)
            self.numbers[node] = value.item() if same else None
        return self.numbers[node]

    def counted(self, node):
        """node -> Step of what computes a tensor from 0.0, 1.0, ... and numbers, an
        element from each of them, or {}."""
        name, size = op_name(node), node.meta["val"].shape
        if node.op != "call_function":
            return {}
        if name == "arange":
            first = node.args[0] if len(node.args) > 1 else 0
            steps = node.args[2] if len(node.args) > 2 else 1
            plain = first == 0 and steps == 1 and isinstance(size[0], int) and \
                node.meta["val"].dtype == torch.float32
            return {node: Count([], size[0], True)} if plain else {}
        if name not in OF_COUNTS or len(node.all_input_nodes) != 1 or node.kwargs:
            return {}
        operand = node.all_input_nodes[0]
        below = self.counted(operand)
        return {**below, node: Op([operand], name)} if below else {}

    def table(self, node):
        """A causal mask or window [..., queries, keys] of zeros and -1e4 or less."""
        shape = node.meta["val"].shape
        if len(shape) < 2 or isinstance(shape[-1], int) or str(shape[-1]) != str(shape[-2]) \
                or node.meta["val"].dtype not in (torch.float32, torch.bool):
            return None
        dim, seen = self.graph.symbols.get(str(shape[-1])), []
        if dim is None:
            return None
        for size in lengths(Scores(self.graph, node, [], None, 1, dim, dim), dim):
            value = self.at(node, {dim: size}).reshape(-1, size, size)
            keep = value if value.dtype == torch.bool else value == 0
            if not (value == value[:1]).all() or not (keep | (value <= -1e4)).all():
                return None
            seen.append(keep[0])
        before, after = band(seen[-1])
        if after != 0 or not all(torch.equal(keep, window(before, after, *keep.shape))
                                 for keep in seen):
            return None
        return Table([], str(shape[-1]), before)
