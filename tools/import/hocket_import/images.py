"""Convolutions, their norms and poolings: each is one operation of PyTorch, whose
arguments say all that the language's module or function has."""

from .export import op_name
from .numbers import number
from .refuse import Unsupported
from .steps import Call, Member, Op

CONVOLUTIONS = {f"conv{rank}d": f"Conv{rank}d" for rank in (1, 2, 3)}
TRANSPOSED = {f"conv_transpose{rank}d": f"ConvTranspose{rank}d" for rank in (1, 2, 3)}
POOLINGS = {f"{kind}_pool{rank}d" for kind in ("max", "avg", "adaptive_avg")
            for rank in (1, 2, 3)}
UPSAMPLINGS = {f"upsample_{mode}{rank}d": mode for mode, rank in (
    ("nearest", 1), ("nearest", 2), ("nearest", 3), ("linear", 1), ("bilinear", 2),
    ("trilinear", 3))}
BORDERS = {"constant": "zero", "reflect": "reflect", "replicate": "replicate",
           "circular": "circular"}


def plain(value):
    """One number where all of a list are equal, else a tuple."""
    values = [int(item) for item in value] if isinstance(value, (list, tuple)) else [value]
    return str(values[0]) if len(set(values)) == 1 else str(tuple(values))


def option(name, value, default):
    text = plain(value)
    return "" if text == str(default) else f", {name} = {text}"


def argument(node, place, default=None):
    return node.args[place] if len(node.args) > place else default


def module_step(region):
    """The step of a call that is one convolution or norm, or None."""
    if len(region.nodes) != 1 or region.x is None:
        return None
    node = region.nodes[0]
    name = op_name(node)
    if name in CONVOLUTIONS or name in TRANSPOSED:
        return convolution(region, node, name)
    if name == "batch_norm":
        return batch_norm(region, node)
    if name == "group_norm":
        x, groups, weight, bias, eps = [argument(node, place) for place in range(5)]
        affine = "" if weight is not None else ", affine = false"
        size = int(x.meta["val"].shape[1])
        return Member([x], region.path, "GroupNorm", (size,),
                      f", {number(eps)}{affine}", lead=f"{groups}, ")
    return None


def convolution(region, node, name):
    x, weight, bias = (argument(node, place) for place in range(3))
    shape = [int(size) for size in weight.meta["val"].shape]
    kernel, transposed = shape[2:], name in TRANSPOSED
    stride, padding = argument(node, 3, [1]), argument(node, 4, [0])
    if isinstance(padding, str):
        raise Unsupported(f"aten.{name} with the padding '{padding}'")
    output, groups, dilation = (argument(node, 5, [0]), argument(node, 6, 1),
                                argument(node, 7, [1])) if transposed else \
        ([0], argument(node, 6, 1), argument(node, 5, [1]))
    source = int(x.meta["val"].shape[1])
    result = shape[1] * groups if transposed else shape[0]
    options = f", kernel = {plain(kernel)}" + option("stride", stride, 1) + \
        option("padding", padding, 0)
    if groups != 1:
        options += ", groups = {0}" if groups == source else f", groups = {groups}"
    options += option("dilation", dilation, 1) + option("output_padding", output, 0)
    if bias is None:
        options += ", bias = false"
    kind = (TRANSPOSED if transposed else CONVOLUTIONS)[name]
    return Member([x], region.path, kind, (source, result), options)


def batch_norm(region, node):
    x, weight, _, mean, _, _, momentum, eps = (argument(node, place) for place in range(8))
    if mean is None:
        raise Unsupported("aten.batch_norm without running statistics")
    rank = max(len(x.meta["val"].shape) - 2, 1)
    options = f", {number(eps)}"
    if momentum != 0.1:
        options += f", momentum = {number(momentum)}"
    if weight is None:
        options += ", affine = false"
    return Member([x], region.path, f"BatchNorm{rank}d",
                  (int(x.meta["val"].shape[1]),), options)


def pooling(node):
    """The step of one pooling."""
    name, x = op_name(node), node.args[0]
    rank = int(name[-2])
    if name.startswith("adaptive"):
        sizes = [int(size) for size in x.meta["val"].shape[-rank:]]
        wanted = [int(size) for size in node.meta["val"].shape[-rank:]]
        if set(wanted) == {1}:
            return Op([x], "mean")
        if any(size % want for size, want in zip(sizes, wanted)):
            raise Unsupported(f"aten.{name} to sizes that do not divide")
        kernel = [size // want for size, want in zip(sizes, wanted)]
        return Call([x], f"avg_pool{rank}d", f", kernel = {plain(kernel)}")
    kernel = node.args[1]
    stride = argument(node, 2) or kernel
    options = f", kernel = {plain(kernel)}" + option("stride", stride, plain(kernel)) + \
        option("padding", argument(node, 3, [0]), 0)
    if name.startswith("max"):
        options += option("dilation", argument(node, 4, [1]), 1)
        ceil = argument(node, 5, False)
    else:
        ceil = argument(node, 4, False)
        if not argument(node, 5, True):
            options += ", count_include_pad = false"
        if argument(node, 6) is not None:
            raise Unsupported(f"aten.{name} with another divisor")
    return Call([x], name, options + (", ceil_mode = true" if ceil else ""))


def interpolation(node):
    """The step of one resampling: by a factor where that is whole, else to sizes."""
    name, x = op_name(node), node.args[0]
    mode, rank = UPSAMPLINGS[name], int(name[-2])
    before, after = ([int(size) for size in value.meta["val"].shape[-rank:]]
                     for value in (x, node))
    aligned = mode != "nearest" and bool(node.args[2])
    factors = node.args[-1] if isinstance(node.args[-1], (list, tuple)) else []
    if any(abs(size * factor - to) > 1e-6
           for size, factor, to in zip(before, factors, after)):
        raise Unsupported(f"aten.{name} by a factor that gives no whole size")
    if aligned or any(to % size for size, to in zip(before, after)):
        options = f", size = {plain(after)}"
    else:
        options = f", scale = {plain([to // size for size, to in zip(before, after)])}"
    options += f", mode = {mode}" if mode != "nearest" else ""
    return Call([x], "interpolate", options + (", align_corners = true" if aligned else ""))


def padding(node):
    """The step of aten.pad: margins from the last dim back."""
    x, margins = node.args[:2]
    if not all(isinstance(margin, int) for margin in margins):
        raise Unsupported("aten.pad by a size that is computed")
    mode, value = argument(node, 2, "constant"), argument(node, 3) or 0
    if min(margins) < 0:
        raise Unsupported("aten.pad with a margin below zero")
    rank = x.meta["val"].dim()
    pairs = [(rank - 1 - place, *margins[2 * place:2 * place + 2])
             for place in range(len(margins) // 2)]
    axes, before, after = zip(*sorted(pair for pair in pairs if any(pair[1:])))

    def one_or_all(values):
        return str(values[0]) if len(values) == 1 else str(values)

    options = f", axis = {one_or_all(axes)}, before = {plain(before)}"
    if before != after:
        options += f", after = {plain(after)}"
    if mode != "constant":
        options += f", border = {BORDERS[mode]}"
    elif value:
        options += f", value = {number(float(value))}"
    return Call([x], "pad", options)
