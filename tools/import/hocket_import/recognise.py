"""Gives every value of the graph that an output needs its step.

Calls of leaf modules come first, then attention with its mask, then rotary; what
is left is a view, a split or an operation by its name.
"""

import contextlib

import torch

from .attention import VIEWS, Attentions, is_attention
from .buckets import recognise_buckets
from .constants import Constants
from .erase import changed_under_readers
from .export import op_name
from .images import (CONVOLUTIONS, POOLINGS, TRANSPOSED, UPSAMPLINGS, interpolation,
                     padding, pooling)
from .leaves import Region, constant_index, recognise_leaf
from .lookups import LOOKUPS, lookup
from .numbers import number
from .probe import depends_on, evaluate, sized_inputs
from .refuse import Findings, Unsupported
from .rotary import recognise_rotary
from .operations import ELEMENTS, KNOWN, check_arguments
from .steps import Call, Member, Op, Part, Split, Tied, View
from .written import Written

CORES = {"embedding", "linear", "layer_norm", "batch_norm", "group_norm"} | \
    CONVOLUTIONS.keys() | TRANSPOSED.keys()
ENDS_OF_ROTARY = {"add", "cat", "flatten", "reshape", "view"}


class Recognised(Written):
    """steps     node -> Step, for what outputs need, in the graph's order
    leaves    nodes whose step stands for the call of a whole leaf module
    inside    such a node -> the other nodes of its call, which have no step
    dissolved the calls whose steps belong to their callers: (key, path)
    readers   node -> the nodes whose steps read it
    reach     node -> the inputs and parameters that it depends on
    findings  what has no step
    again     whether the graph has got parameters meanwhile
    """

    def __init__(self, graph):
        self.graph, self.findings, self.again = graph, Findings(), False
        self.reach = depends_on(graph)
        self.all, self.hidden, self.owners = {}, set(), {}
        self.leaves, self.inside, self.dissolved = set(), {}, set()
        self.constants = Constants(graph, self.at_sizes, self.at)
        self.attentions = Attentions(graph, self.reach)
        self.find_leaves()
        self.find_operations()
        for node in changed_under_readers(graph):
            if self.reach[node]:
                self.refuse(node, f"aten.{op_name(node)} of a value that is read later")
        self.steps = self.live()
        made = {step.path for step in self.steps.values() if isinstance(step, Member)}
        self.owners = {node: path for node, path in self.owners.items() if path in made}
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
            try:
                step = recognise_leaf(region, self.owners)
            except Unsupported as error:
                self.all[nodes[-1]] = str(error)
                continue
            if step is None:
                self.find_core(path, nodes)
                if len(nodes) == 1 and (not region.parameters
                                        or op_name(nodes[0]) == "linear"):
                    self.dissolved.add(self.graph.scope(nodes[0])[-1][:2])
                continue
            if isinstance(step, Member) and step.kind == "Embedding" and \
                    not step.operands:
                step.index = constant_index(self.graph, region.x, self.at_sizes) or \
                    self.buckets(region.x, step)
                if step.index is None:
                    step = "an Embedding of constant ids other than 0, 1, ... or one number"
            result = region.results[0]
            self.all[result] = step
            self.leaves.add(result)
            self.inside[result] = [node for node in nodes if node is not result]
            self.hidden |= set(self.inside[result])

    def find_core(self, path, nodes):
        """The one operation with parameters of a call that does more than that, or has
        another's table: what is beside it belongs to the caller then."""
        cores = [node for node in nodes if op_name(node) in CORES and any(
            operand in self.graph.parameters for operand in node.all_input_nodes)]
        if len(cores) != 1:
            return
        node = cores[0]
        step = recognise_leaf(Region(self.graph, path, [node], self.reach), self.owners) \
            or (self.table(path, node) if op_name(node) == "embedding" else None)
        own = {operand for other in nodes for operand in other.all_input_nodes
               if operand in self.graph.parameters}
        if isinstance(step, Member) and step.operands and own <= set(node.all_input_nodes):
            self.all[node] = step
            self.dissolved.add(self.graph.scope(node)[-1][:2])

    def table(self, path, node):
        """A lookup of another module's rows."""
        weight, ids = node.args[:2]
        place = self.graph.aliases[weight][0].rpartition(".")[0]
        if not self.reach[ids] or self.owners.setdefault(weight, place) != place:
            return None
        return Member([ids], place, "Embedding",
                      tuple(map(int, weight.meta["val"].shape)), "")

    def buckets(self, node, step):
        """T5's, of a constant [queries, keys]."""
        shape = node.meta["val"].shape
        seq = self.graph.symbols.get(str(shape[0]))
        if len(shape) != 2 or seq is None or str(shape[0]) != str(shape[1]):
            return None
        return recognise_buckets(
            node, step.sizes[0], self.graph.limits.get(seq) or 2**31,
            lambda length: self.at(node, {seq: length}))

    def at(self, node, sizes):
        """The value of a node that no input reaches, at these sizes of dims."""
        names = dict.fromkeys(self.graph.symbols.values(), 2)
        return evaluate(self.graph, [node], sized_inputs(self.graph, names | sizes))[0]

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
                with contextlib.suppress(Unsupported):
                    step = recognise_rotary(self.graph, node, self.reach, taken)
                    if step:
                        self.all[node] = step
        for node in self.graph.nodes:
            if node.op == "call_function" and op_name(node) in ("matmul", "bmm") and \
                    self.reach[node] and (found := self.attentions.eager(node)):
                self.all[found[0]] = found[1]
        for node in self.graph.nodes:
            if (node.op == "call_function" and self.reach[node]
                    and node not in self.hidden and node not in self.all):
                self.all[node] = self.operation(node)

    def operands(self, node):
        return [operand for operand in node.all_input_nodes
                if self.reach[operand] or operand in self.constants.written]

    def parameter(self, node):
        """(the name of a parameter, whether a built-in module has it)."""
        name = self.graph.parameters[node]
        if node in self.owners:
            own = next(name for name in self.graph.aliases[node]
                       if name.rpartition(".")[0] == self.owners[node])
            return own, True
        return name, False

    def operation(self, node):
        """The step of one operation, or the sentence that says what is lacking."""
        name = op_name(node)
        try:
            if name == "linear" and len(node.args) == 2 and node.args[1] in self.owners:
                rows, columns = node.args[1].meta["val"].shape
                return Tied(self.operands(node), self.owners[node.args[1]],
                            (int(columns), int(rows)))
            if is_attention(node):
                return self.attentions.sdpa(node, self.write_out)
            if name == "dropout":
                return Call(self.operands(node), "dropout", f", {number(node.args[1])}")
            if name in ("split", "chunk", "split_with_sizes", "unbind"):
                return self.split(node, name)
            if name == "getitem":
                return Part(self.operands(node), node.args[1])
            if name in POOLINGS:
                return pooling(node)
            if name in UPSAMPLINGS:
                return interpolation(node)
            if name == "pad":
                return padding(node)
            if name in LOOKUPS:
                return lookup(node, self.graph.symbols, self.reach, self.at_sizes)
            if name == "expand" and not self.spreads(node):
                return Op(self.operands(node), name)
            if name == "expand_as":
                return Op([node.args[0]], "expand")
            if name in VIEWS:
                return View(self.operands(node))
            if name not in KNOWN:
                raise Unsupported("torch.autocast" if name == "wrap_with_autocast"
                                  else f"aten.{name}")
            check_arguments(node)
            for operand in node.all_input_nodes:
                if not self.reach[operand]:
                    self.constant(node, name, operand)
            return Op(self.operands(node), name)
        except Unsupported as error:
            return str(error)

    def spreads(self, node):
        """What reads an expanded value would expand it itself, or it is as it was."""
        before, after = (list(map(str, other.meta["val"].shape))
                         for other in (node.args[0], node))
        return ["1"] * (len(after) - len(before)) + before == after or all(
            op_name(user) in ELEMENTS and any(
                other is not node and list(map(str, other.meta["val"].shape)) ==
                list(map(str, user.meta["val"].shape))
                for other in user.all_input_nodes if self.reach[other])
            for user in node.users)

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

    # What outputs need.

    def live(self):
        """Steps from the outputs back; what has none is a finding."""
        needed, ahead = set(), list(self.graph.outputs)
        while ahead:
            node = ahead.pop()
            if node in needed:
                continue
            needed.add(node)
            step = self.all.get(node)
            if not isinstance(step, str) and step is not None:
                ahead += step.operands
            elif isinstance(step, str):
                ahead += self.operands(node) if not is_attention(node) else [
                    operand for operand in node.args[:3] if self.reach[operand]]
        steps = {}
        for node in self.graph.nodes:
            if node not in needed or node in self.graph.inputs or \
                    node in self.graph.parameters and node not in self.graph.outputs:
                continue
            step = self.all.get(node)
            if node in self.graph.state or not self.reach[node] and \
                    node not in self.constants.written:
                self.refuse(node, "an output or operand that no input reaches")
            elif isinstance(step, str):
                self.refuse(node, step)
            elif step is None:
                self.refuse(node, f"aten.{op_name(node)}")
            else:
                steps[node] = step
        return steps
