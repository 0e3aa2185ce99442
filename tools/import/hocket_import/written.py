"""Constants that an operation reads: numbers, masks that are added, and biases of
attention that are computed of places, which the text computes as well."""

import torch

from .attention import is_attention
from .buckets import ancestors
from .export import op_name
from .operations import ELEMENTS
from .refuse import Unsupported
from .steps import Count

RANDOM = {"rand", "rand_like", "randn", "randn_like", "bernoulli", "randint", "randperm"}


class Written:
    """Of a Recognised: what becomes of them."""

    def constant(self, node, name, operand):
        """Notes a tensor that no input reaches, or refuses it."""
        value = operand.meta.get("val")
        if not torch.is_tensor(value) or operand in self.all:
            return
        if any(op_name(above) in RANDOM for above in ancestors(operand)):
            raise Unsupported("random numbers other than dropout's (a drop path: set "
                              "its rate to 0)")
        data = [other.meta["val"] for other in node.all_input_nodes if self.reach[other]]
        if name in ELEMENTS and self.constants.number(operand) is not None and any(
                list(map(str, other.shape)) == list(map(str, node.meta["val"].shape))
                for other in data):
            return
        steps = self.constants.steps(operand, name)
        self.all.update(steps)
        if steps or self.keep(operand):
            return
        if name != "add" or not all(map(is_attention, node.users)) or \
                not self.attentions.is_added(operand) or not self.write_out(operand):
            raise Unsupported(f"aten.{name} with a constant tensor")

    def keep(self, operand):
        """Whether it is computed of buffers of the weight file, which are read as
        parameters are from now on: everything is looked at again."""
        buffers = self.constants.stored(operand)
        for buffer in buffers:
            name, kind = self.graph.buffers[buffer], buffer.meta["val"].dtype
            if kind != torch.float32:
                raise Unsupported(f"a buffer of {kind} of the weight file ('{name}')")
            self.graph.parameters[buffer], self.graph.aliases[buffer] = name, [name]
            self.again = True
        return bool(buffers)

    def write_out(self, operand):
        """Gives steps to a bias or mask, and to what it is computed of: places and
        inputs; False where one of them has none."""
        above = ancestors(operand)
        nodes = [node for node in self.graph.nodes if node in above
                 and torch.is_tensor(node.meta.get("val"))
                 and node not in self.graph.inputs]
        if any(node.op != "call_function" for node in nodes):
            return False
        constants = [node for node in nodes if not self.reach[node]]
        self.reach.update(dict.fromkeys(constants, frozenset([operand])))
        steps = {node: Count([], node.args[0], False) if op_name(node) == "arange" and
                 isinstance(node.args[0], int) and len(node.args) == 1 else
                 self.operation(node) for node in nodes}
        if any(isinstance(step, str) for step in steps.values()):
            self.reach.update(dict.fromkeys(constants, frozenset()))
            return False
        self.all.update(steps)
        self.attentions.written.add(operand)
        return True
