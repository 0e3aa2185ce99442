"""What one value of the graph is in the text: a step. `operands` are the nodes
that it reads."""

import dataclasses


@dataclasses.dataclass
class Step:
    operands: list


@dataclasses.dataclass
class Member(Step):
    """A call of a built-in module at `path`, whose parameters are its own."""
    path: str
    kind: str        # Linear, Conv1D, Embedding, LayerNorm, RmsNorm, Dropout
    sizes: tuple     # (in, out), (rows, out), (dim,) or ()
    options: str     # ", 1e-5" and the like
    index: object = None  # of an Embedding without operand: Iota or Fill


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
    """operands: q, k, v and, where the mask has one, the tensor of its padding."""
    mask: str        # "none", "causal * padding(bool({}))"
    options: str     # ", scale = 1.0, dropout = 0.1"


@dataclasses.dataclass
class Rotary(Step):
    base: float
    style: str
    axis: int        # of the positions


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
