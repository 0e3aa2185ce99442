"""What one value of the graph is in the text: a step. `operands` are the nodes
that it reads."""

import dataclasses

from torch.fx.node import map_arg


@dataclasses.dataclass
class Step:
    operands: list

    def reads(self, node):
        """The operands, as often as the text has each."""
        return self.operands


@dataclasses.dataclass
class Member(Step):
    """A call of a built-in module at `path`, whose parameters are its own."""
    path: str
    kind: str        # Linear, Conv1D, Embedding, LayerNorm, RmsNorm, Conv2d, ...
    sizes: tuple     # (in, out), (rows, out), (dim,) or ()
    options: str     # ", 1e-5" and the like; {0} is the first of the sizes
    index: object = None  # of an Embedding without operand: Iota, Fill or Buckets
    lead: str = ""   # what stands before the sizes: "8, "


@dataclasses.dataclass
class Iota:
    """0, 1, ... along the last dim, plus a number."""
    first: int


@dataclasses.dataclass
class Fill:
    """One integer everywhere."""
    value: int


@dataclasses.dataclass
class Tied(Step):
    """x times the transposed weight of the member at `path`."""
    path: str
    sizes: tuple     # (in, out)


@dataclasses.dataclass
class Call(Step):
    """A function of elements."""
    function: str    # "gelu", "dropout"
    options: str = ""


@dataclasses.dataclass
class Attention(Step):
    """operands: q, k, v, where the mask has one, the tensor of its padding, and a
    bias that is data."""
    mask: str        # "none", "causal * padding(bool({}))"
    options: str     # ", scale = 1.0, dropout = 0.1", {} for what is data, then a bias
    alibi: str = None  # "places" or "distance": a bias that the text computes


@dataclasses.dataclass
class Rotary(Step):
    base: object     # a number, or None with a table
    style: str
    axis: int        # of the positions
    table: tuple = ()    # frequencies
    factor: float = 1.0  # of the result


@dataclasses.dataclass
class View(Step):
    """Another shape or order of the same elements."""


@dataclasses.dataclass
class Split(Step):
    """Equal parts along an axis, which they lack if `drops`; only Parts read it."""
    axis: int
    parts: int
    drops: bool = False


@dataclasses.dataclass
class Part(Step):
    index: int


@dataclasses.dataclass
class Op(Step):
    """Any other operation, written by its name."""
    name: str

    def reads(self, node):
        """x * x has x twice."""
        found = []
        map_arg(node.args, found.append)
        return [operand for operand in self.operands
                for _ in range(max(1, found.count(operand)))]


@dataclasses.dataclass
class Count(Step):
    """0, 1, ..., size - 1: what a constant is computed from that the text has too."""
    size: int
    real: bool       # 0.0, 1.0, ...: of a table of frequencies


@dataclasses.dataclass
class Lookup(Step):
    """operands: a value and the ids of what is picked along one of its axes."""
    function: str    # take: the dims of ids take the axis' place; take_along
    axis: int


@dataclasses.dataclass
class Relative(Step):
    """operands: a table, of whose rows each pair of places of a window has one."""
    height: int
    width: int


@dataclasses.dataclass
class Table(Step):
    """Zero where a query sees a key, -1e30 elsewhere: a causal mask that is added."""
    size: str        # torch's symbol of queries and keys
    before: object   # the reach of a window, or None
