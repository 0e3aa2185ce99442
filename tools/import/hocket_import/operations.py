"""The text of operations that the language has by name, or can say with a few."""

import dataclasses

import torch

from .atoms import leaves, size_of
from .export import op_name
from .numbers import number
from .refuse import Unsupported

ATOM, PRODUCT, SUM, COMPARISON, NOT, AND, OR = range(3, -4, -1)
TYPES = {torch.float32: "f32", torch.int64: "i64", torch.int32: "i32",
         torch.bool: "bool"}
BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/", "add_": "+", "mul_": "*",
          "sub_": "-", "div_": "/"}
COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
SHAPED = {"select", "slice", "cat", "mean", "sum", "matmul", "bmm", "linear", "expand",
          "cumsum", "roll", "flip", "argmax"}
# Of one value, in words of the language.
FORMS = {"neg": "-{0}", "square": "pow({0}, 2)", "relu6": "minimum(relu({0}), 6.0)",
         "hardtanh": "minimum(maximum({0}, {1}), {2})",
         "hardswish": "{0} * minimum(relu({0} + 3.0), 6.0) / 6.0",
         "hardsigmoid": "minimum(relu({0} + 3.0), 6.0) / 6.0",
         "leaky_relu": "maximum({0}, {1} * {0})",
         "reciprocal": "1.0 / {0}", "log1p": "log(1.0 + {0})", "expm1": "exp({0}) - 1.0"}
DEFAULTS = {"hardtanh": (-1.0, 1.0), "leaky_relu": (0.01,)}
PLAIN = {"tanh", "silu", "relu", "sigmoid", "exp", "log", "sqrt", "rsqrt", "abs", "sin",
         "cos", "erf"}
LOGIC = {"__and__": ("{0} and {1}", AND), "__or__": ("{0} or {1}", OR),
         "logical_not": ("not {0}", NOT)}
LOGIC |= {"logical_and": LOGIC["__and__"], "bitwise_and": LOGIC["__and__"],
          "logical_or": LOGIC["__or__"], "bitwise_or": LOGIC["__or__"],
          "bitwise_not": LOGIC["logical_not"]}
OTHERS = {"gelu", "softplus", "type_as", "pow", "rsub", "softmax", "_softmax", "to", "clamp", "clamp_min",
          "clamp_max", "where", "masked_fill", "minimum", "maximum", "min", "max"}
ELEMENTS = FORMS.keys() | PLAIN | OTHERS | LOGIC.keys() | BINARY.keys() | COMPARE.keys()
KNOWN = ELEMENTS | SHAPED
# Arguments by name that change nothing of what is written.
HARMLESS = {"dtype", "layout", "device", "pin_memory", "memory_format", "alpha",
            "approximate"}


@dataclasses.dataclass
class Text:
    """An expression, and how tightly it binds."""
    text: str
    binds: int = ATOM

    def inside(self, least):
        return self.text if self.binds >= least else f"({self.text})"


def plain_list(value):
    """One number, or a tuple of them."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return str(values[0]) if len(values) == 1 else str(tuple(values))


def check_arguments(node):
    """Refuses arguments that the text would not say."""
    name = op_name(node)
    for key, value in node.kwargs.items():
        if key not in HARMLESS and value is not None:
            raise Unsupported(f"aten.{name} with {key}")
    if name in ("min", "max") and (len(node.args) != 2 or not isinstance(
            node.args[1], torch.fx.Node)):
        raise Unsupported(f"aten.{name} over a dim")
    kind = node.kwargs.get("dtype")
    if kind is not None and kind != torch.float32 and name != "to":
        raise Unsupported(f"aten.{name} in {kind}")
    if name == "leaky_relu" and len(node.args) > 1 and not 0 <= node.args[1] <= 1:
        raise Unsupported("aten.leaky_relu with a slope above 1 or below 0")
    if name in LOGIC and any(operand.meta["val"].dtype != torch.bool
                             for operand in node.all_input_nodes):
        raise Unsupported(f"aten.{name} of numbers")
    if name in ("roll", "argmax") and len(node.args) < 2 + (name == "roll"):
        raise Unsupported(f"aten.{name} over all dims")


class Operations:
    """Of a Body: expressions of single operations."""

    def operation(self, node, step):
        """An operation by its name; scalars as PyTorch has them."""
        name, args = step.name, node.args
        if name in BINARY:
            if node.kwargs.get("alpha", 1) != 1:
                raise Unsupported(f"aten.{name} with a factor")
            return self.binary(BINARY[name], args[0], args[1])
        if name in COMPARE:
            return self.binary(COMPARE[name], args[0], args[1])
        if name == "rsub":
            return self.binary("-", args[1], args[0])
        if name in FORMS:
            return self.form(name, args)
        if name in ("to", "type_as"):
            return self.cast(node, args[0])
        if name in LOGIC:
            form, binds = LOGIC[name]
            return Text(form.format(*(self.value(arg).inside(binds) for arg in args)), binds)
        if name == "softplus":
            factor = f", beta = {number(float(args[1]))}" if len(args) > 1 else ""
            return Text(f"softplus({self.use(args[0]).text}{factor})")
        if name == "pow":
            return Text(f"pow({self.value(args[0]).text}, {self.value(args[1]).text})")
        if name == "gelu":
            tanh = node.kwargs.get("approximate") == "tanh"
            return Text(f"gelu{'_tanh' if tanh else ''}({self.use(args[0]).text})")
        if name in ("softmax", "_softmax"):
            rank = len(self.shapes.dims[node])
            return Text(f"softmax({self.use(args[0]).text}, axis = {args[1] % rank})")
        if name in ("clamp", "clamp_min", "clamp_max"):
            return self.clamp(name, *args)
        if name == "where":
            return self.where(*args)
        if name == "masked_fill":
            return self.where(args[1], args[2], args[0])
        if name in ("min", "max", "minimum", "maximum"):
            return Text(f"{name[:3]}imum({self.value(args[0]).text}, "
                        f"{self.value(args[1]).text})")
        if name in SHAPED:
            return self.shaped(node, name, args)
        return Text(f"{name}({self.use(args[0]).text})")

    def form(self, name, args):
        """A few words of the language, of a value that has a name if they use it
        twice."""
        numbers = args[1:] or DEFAULTS.get(name, ())
        name = "relu6" if name == "hardtanh" and tuple(numbers) == (0, 6) else name
        form = FORMS[name]
        x = self.use(args[0])
        if form.count("{0}") > 1 and not x.text.isidentifier():
            self.uses[args[0]] += 1
            self.line(args[0], x)
            x = self.use(args[0])
        text = form.format(x.inside(ATOM) if form[0] in "-{" or "+ {0}" in form else x.text,
                           *(number(float(value)) for value in numbers))
        binds = PRODUCT if form[0] == "-" or " / " in form or " * " in form[:5] else SUM
        return Text(text, ATOM if form[0].isalpha() and " / " not in form
                    and " + " not in form and " - " not in form else binds)

    def clamp(self, name, x, low=None, high=None):
        if name == "clamp_max":
            low, high = None, low
        text = self.use(x).text
        if low is not None:
            text = f"maximum({text}, {self.scalar(low)})"
        return Text(f"minimum({text}, {self.scalar(high)})" if high is not None else text)

    def where(self, condition, a, b):
        words = [self.value(x).text for x in (condition, a, b)]
        return Text(f"where({', '.join(words)})")

    def value(self, x):
        """The expression of a value, or a number."""
        if not isinstance(x, torch.fx.Node) or x not in self.shapes.dims:
            return Text(self.scalar(x))
        return self.use(x)

    def scalar(self, value):
        """A number, or a constant tensor of one."""
        if isinstance(value, torch.fx.Node):
            value = self.recognised.constants.number(value)
        return number(value)

    def binary(self, sign, a, b):
        least = PRODUCT if sign in "*/" else SUM if sign in "+-" else COMPARISON
        values = [x.meta["val"] for x in (a, b) if isinstance(x, torch.fx.Node)]
        if not all(torch.is_tensor(value) for value in values):
            raise Unsupported(f"'{sign}' of a value and a number made of sizes of inputs")
        floats = sign == "/" or any(
            value.is_floating_point() for value in values) or any(
            isinstance(x, float) for x in (a, b))

        kinds = {value.dtype for value in values}
        wide = torch.float32 if floats else torch.int64 if torch.int64 in kinds \
            else torch.int32

        def operand(x):
            text = self.value(x) if sign != "/" or x is a else self.divisor(a, x)
            mixed = isinstance(x, torch.fx.Node) and x in self.shapes.dims and \
                x.meta["val"].dtype != wide and (len(kinds) > 1 or floats or (
                    x.meta["val"].dtype == torch.bool and sign in "+-*"))
            return Text(f"{TYPES[wide]}({text.text})") if mixed else text

        left, right = operand(a), operand(b)
        tight = least + 1 if sign in "-/" or least == COMPARISON else least
        loose = least + 1 if least == COMPARISON else least
        return Text(f"{left.inside(loose)} {sign} {right.inside(tight)}", least)

    def divisor(self, a, x):
        """What divides, a dim's name where it is the size of counted numbers."""
        counted = isinstance(a, torch.fx.Node) and a in self.recognised.constants.written
        if counted and not isinstance(x, torch.fx.Node):
            dim = self.shapes.dims[a][-1]
            if size_of(dim) == x:
                return Text(self.dim(dim))
        return self.value(x)

    def cast(self, node, x):
        """Another element type, where the language's has the same values."""
        kind, before = node.meta["val"].dtype, x.meta["val"].dtype
        exact = not before.is_floating_point
        if not exact or kind not in TYPES:
            raise Unsupported(f"a cast from {before} to {kind}")
        return Text(f"{TYPES[kind]}({self.use(x).text})")

    def shaped(self, node, name, args):
        rank = len(self.shapes.dims[args[0] if name != "cat" else args[0][0]])
        if name == "cat":
            parts = ", ".join(self.use(part).text for part in args[0])
            return Text(f"concat({parts}, axis = "
                        f"{(args[1] if len(args) > 1 else 0) % rank})")
        if name in ("matmul", "bmm"):
            return Text(f"matmul({self.use(args[0]).text}, {self.use(args[1]).text})")
        if name == "linear":
            x, weight, *bias = [self.use(arg) for arg in args if arg is not None]
            product = f"matmul({x.text}, transpose({weight.text}))"
            return Text(f"{product} + {bias[0].inside(SUM)}", SUM) if bias \
                else Text(product)
        x = self.use(args[0])
        if name == "expand":
            dims = ", ".join(self.dim(dim) for dim in self.shapes.dims[node])
            return Text(f"broadcast({x.text}, ({dims}))")
        if name == "cumsum":
            kind, before = node.meta["val"].dtype, args[0].meta["val"].dtype
            text = x.text if kind == before else f"{TYPES[kind]}({x.text})"
            return Text(f"cumsum({text}, axis = {args[1] % rank})")
        if name in ("roll", "flip"):
            shift = f", {plain_list(args[1])}" if name == "roll" else ""
            axes = args[-1] if isinstance(args[-1], (list, tuple)) else [args[-1]]
            return Text(f"{name}({x.text}{shift}, "
                        f"axis = {plain_list([axis % rank for axis in axes])})")
        if name == "argmax":
            keep = ", keepdim = true" if len(args) > 2 and args[2] else ""
            return Text(f"argmax({x.text}, axis = {args[1] % rank}{keep})")
        if name == "select":
            return Text(f"{x.inside(ATOM)}[{self.place(node, args, rank)}]")
        if name == "slice":
            axis, start = args[1] % rank, args[2] or 0
            whole, size = args[0].meta["val"].shape[axis], node.meta["val"].shape[axis]
            start = start + int(whole) if start < 0 else start
            if len(args) > 4 and args[4] != 1:
                raise Unsupported("aten.slice with a step")
            return Text(f"slice({x.text}, axis = {axis}, start = {start}, size = {size})")
        if op_name(node) != name:  # an adaptive pooling to one value
            axes, keep = tuple(range(2, rank)), ", keepdim = true"
        else:
            axes = tuple(sorted(axis % rank for axis in args[1]))
            keep = ", keepdim = true" if len(args) > 2 and args[2] else ""
        axis = self.axis(args[0], axes[0]) if len(axes) == 1 else axes
        return Text(f"{name}({x.text}, axis = {axis}{keep})")

    def axis(self, node, axis):
        """The name of an axis of a value that has the dims of an argument, or which."""
        names = [[leaf.name for leaf in leaves(dim)] for dim in self.shapes.dims[node]]
        known = any(self.dims_of(node) == self.dims_of(arg) for arg in self.args)
        unique = len(names[axis]) == 1 and names.count(names[axis]) == 1
        return names[axis][0] if known and unique else axis

    def place(self, node, args, rank):
        """The subscript of a select."""
        axis, index = args[1] % rank, args[2]
        if index < 0:
            size = args[0].meta["val"].shape[axis]
            if not isinstance(size, int):
                raise Unsupported("aten.select from the end of a dim that has a name")
            index += size
        return ", ".join([":"] * axis + [str(index)])
