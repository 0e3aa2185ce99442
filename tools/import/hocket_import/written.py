"""Constants that an operation reads: numbers, and what the text computes as well."""

import torch

from .buckets import ancestors
from .export import op_name
from .operations import ELEMENTS
from .refuse import Unsupported

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
        if not steps:
            raise Unsupported(f"aten.{name} with a constant tensor")
        self.all.update(steps)
