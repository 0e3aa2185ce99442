"""Gives every value of the graph that an output needs its step.

Calls of leaf modules come first, then attention with its mask, then rotary; what
is left is a view, a split or an operation by its name.
"""

import torch

from .export import op_name
from .leaves import Region, constant_index, number, recognise_leaf
from .masks import recognise_mask
from .probe import close, depends_on, evaluate, few, sized_inputs, sized_shape
from .refuse import Findings, Unsupported
from .rotary import recognise_rotary
from .shapes import BINARY, SHAPED, UNARY
from .steps import Attention, Call, Member, Op, Part, Split, Tied, View

VIEWS = {"view", "reshape", "_unsafe_view", "transpose", "permute", "t", "unsqueeze",
         "squeeze", "flatten", "unflatten", "movedim", "expand"}
ENDS_OF_ROTARY = {"add", "cat", "flatten", "reshape", "view"}


def is_attention(node):
    return op_name(node) == "scaled_dot_product_attention"


class Recognised:
    """steps     node -> Step, for what outputs need, in the graph's order
    leaves    nodes whose step stands for the call of a whole leaf module
    inside    such a node -> the other nodes of its call, which have no step
    readers   node -> the nodes whose steps read it
    reach     node -> the inputs and parameters that it depends on
    findings  what has no step
    """

    def __init__(self, graph):
        self.graph, self.findings = graph, Findings()
        self.reach = depends_on(graph)
        self.all, self.hidden, self.owners = {}, set(), {}
        self.leaves, self.inside = set(), {}
        self.find_leaves()
        self.find_operations()
        self.steps = self.live()
        self.readers = {}
        for node, step in self.steps.items():
            for operand in dict.fromkeys(step.operands):
                self.readers.setdefault(operand, []).append(node)

    def refuse(self, node, what):
        self.findings.add(what, *self.graph.place(node))

    # Calls of leaf modules.

    def calls(self):
        """(path, nodes) of each call in which no other is."""
        inner, outer = {}, set()
        for node in self.graph.nodes:
            scope = self.graph.scope(node)
            if node.op != "call_function" or not scope or not self.reach[node]:
                continue
            inner.setdefault(scope[-1][:2], []).append(node)
            outer |= {entry[:2] for entry in scope[:-1]}
        return [(path, nodes) for (key, path), nodes in inner.items()
                if (key, path) not in outer]

    def find_leaves(self):
        for path, nodes in self.calls():
            region = Region(self.graph, path, nodes, self.reach)
            step = recognise_leaf(region, self.owners)
            if step is None:
                continue
            if isinstance(step, Member) and step.kind == "Embedding" and \
                    not step.operands:
                step.index = constant_index(self.graph, region.x, self.at_sizes)
                if step.index is None:
                    step = "an Embedding of constant ids other than 0, 1, ... or one number"
            result = region.results[0]
            self.all[result] = step
            self.leaves.add(result)
            self.inside[result] = [node for node in nodes if node is not result]
            self.hidden |= set(self.inside[result])

    def at_sizes(self, node, k):
        """The value of a node that no input reaches, at the k-th sizes."""
        sizes = {}
        for dim in self.graph.symbols.values():
            size = (5, 9)[k] if dim not in self.graph.limits or \
                not self.graph.limits[dim] else min((5, 9)[k], self.graph.limits[dim])
            sizes[dim] = size
        return evaluate(self.graph, [node], sized_inputs(self.graph, sizes))[0]

    # Everything else.

    def find_operations(self):
        taken = self.hidden | set(self.all)
        for node in reversed(self.graph.nodes):  # a large region before its parts
            if (node.op == "call_function" and self.reach[node] and node not in taken
                    and op_name(node) in ENDS_OF_ROTARY
                    and torch.is_tensor(node.meta.get("val"))):
                step = recognise_rotary(self.graph, node, self.reach, taken)
                if step:
                    self.all[node] = step
        for node in self.graph.nodes:
            if (node.op == "call_function" and self.reach[node]
                    and node not in self.hidden and node not in self.all):
                self.all[node] = self.operation(node)

    def operands(self, node):
        return [operand for operand in node.all_input_nodes
                if self.reach[operand] and operand not in self.graph.parameters]

    def operation(self, node):
        """The step of one operation, or the sentence that says what is lacking."""
        name = op_name(node)
        try:
            if name == "linear" and len(node.args) == 2 and node.args[1] in self.owners:
                rows, columns = node.args[1].meta["val"].shape
                return Tied(self.operands(node), self.owners[node.args[1]],
                            (int(columns), int(rows)))
            if any(operand in self.graph.parameters for operand in node.all_input_nodes):
                raise Unsupported(f"aten.{name} with a parameter that is no weight of "
                                  "a built-in module")
            if is_attention(node):
                return self.attention(node)
            if name == "dropout":
                return Call(self.operands(node), "dropout", f", {number(node.args[1])}")
            if name in ("split", "chunk", "split_with_sizes", "unbind"):
                return self.split(node, name)
            if name == "getitem":
                return Part(self.operands(node), node.args[1])
            if name in VIEWS:
                return View(self.operands(node))
            if name not in BINARY.keys() | UNARY | SHAPED:
                raise Unsupported(f"aten.{name}")
            if any(self.is_table(operand) for operand in node.all_input_nodes):
                raise Unsupported(f"aten.{name} with a constant tensor")
            return Op(self.operands(node), name)
        except Unsupported as error:
            return str(error)

    def is_table(self, node):
        """A tensor that no input reaches, of more than one element."""
        value = node.meta.get("val")
        if self.reach[node] or not torch.is_tensor(value):
            return False
        return node not in self.graph.state or value.numel() != 1

    def split(self, node, name):
        parts = node.meta["val"]
        if name == "unbind":
            axis = node.args[1] if len(node.args) > 1 else 0
            return Split(self.operands(node), axis % (parts[0].dim() + 1), len(parts), True)
        shapes = {tuple(map(str, part.shape)) for part in parts}
        if len(shapes) != 1:
            raise Unsupported(f"aten.{name} into parts that are not equal")
        axis = node.args[2] if len(node.args) > 2 else 0
        rank = parts[0].dim()
        return Split(self.operands(node), axis % rank, len(parts))

    # Attention.

    def attention(self, node):
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        given = dict(zip(names, node.args)) | node.kwargs
        q, k, v = given["query"], given["key"], given["value"]
        if q.meta["val"].dim() != 4:
            raise Unsupported("attention of other dims than [batch, heads, seq, head_dim]")
        k, v = self.ungrouped(k), self.ungrouped(v)
        heads = int(q.meta["val"].shape[1])
        if heads % int(k.meta["val"].shape[1]):
            raise Unsupported("attention whose key heads do not divide its heads")
        text, sources = "none", []
        if given.get("is_causal"):
            text = "causal"
        elif given.get("attn_mask") is not None:
            seq = self.graph.symbols.get(str(q.meta["val"].shape[2]))
            keys = self.graph.symbols.get(str(k.meta["val"].shape[2]))
            if seq is None or keys != seq:
                raise Unsupported("a mask of attention whose positions have no name")
            text, sources = recognise_mask(self.graph, given["attn_mask"], self.reach, seq)
        options = "" if text == "none" else f", mask = {text}"
        width = int(q.meta["val"].shape[3])
        scale = given.get("scale")
        if scale is not None and abs(scale - width ** -0.5) > 1e-9 * abs(scale):
            options += f", scale = {number(float(scale))}"
        if given.get("dropout_p"):
            options += f", dropout = {number(float(given['dropout_p']))}"
        return Attention([q, k, v] + sources, text, options)

    def ungrouped(self, node):
        """Keys or values before each of their heads was repeated for a group of
        queries: by the numbers of the repetition."""
        here = node
        while op_name(here) in VIEWS | {"slice"}:
            here = here.args[0]
            if not isinstance(here, torch.fx.Node) or not self.reach[here]:
                break
            if here.meta["val"].dim() == 4 and self.repeats(here, node):
                return here
        return node

    def repeats(self, few_heads, many):
        a, b = few_heads.meta["val"].shape, many.meta["val"].shape
        if str(a[2]) != str(b[2]) or str(a[3]) != str(b[3]) or \
                int(b[1]) % int(a[1]) or int(b[1]) == int(a[1]):
            return False
        feed = sized_inputs(self.graph, few(self.graph))
        shape = torch.Size(sized_shape(self.graph, few_heads, few(self.graph)))
        x = torch.arange(shape.numel()).double().reshape(shape)
        value = evaluate(self.graph, [many], {**feed, few_heads: x})[0]
        return close(value, x.repeat_interleave(int(b[1]) // int(a[1]), 1), 0)

    # What outputs need.

    def live(self):
        """Steps from the outputs back; what has none is a finding."""
        needed, todo = set(), list(self.graph.outputs)
        while todo:
            node = todo.pop()
            if node in needed:
                continue
            needed.add(node)
            step = self.all.get(node)
            if not isinstance(step, str) and step is not None:
                todo += step.operands
            elif isinstance(step, str):
                todo += self.operands(node) if not is_attention(node) else [
                    operand for operand in node.args[:3] if self.reach[operand]]
        steps = {}
        for node in self.graph.nodes:
            if node not in needed or node in self.graph.inputs:
                continue
            step = self.all.get(node)
            if node in self.graph.state or not self.reach[node]:
                self.refuse(node, "an output or operand that no input reaches")
            elif isinstance(step, str):
                self.refuse(node, step)
            elif step is None:
                self.refuse(node, f"aten.{op_name(node)}")
            else:
                steps[node] = step
        return steps
