"""Which built-in module or function the call of a leaf module is.

Neither its class nor its source decides, but numbers: the operations of the call
run on parameters and inputs drawn here, and a candidate must give the same.
"""

import itertools
import math

import torch
import torch.nn.functional as F

from .export import op_name
from .images import module_step
from .numbers import number, shortest
from .probe import close, evaluate, few, sized_inputs, sized_shape
from .refuse import Unsupported
from .steps import Call, Fill, Iota, Member, Tied

ELEMENTS = {
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "relu": F.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "exp": torch.exp, "abs": torch.abs, "erf": torch.erf,
}


class Region:
    """The operations of one call: a function of x and of parameters.

    nodes       in order; the last one that is read outside is the result
    x           the one operand from outside, or None for several
    parameters  placeholder -> its name below the module's path
    """

    def __init__(self, graph, path, nodes, reach):
        self.graph, self.path, self.nodes = graph, path, nodes
        inside, outside = set(nodes), {}
        self.parameters = {}
        for node in nodes:
            for operand in node.all_input_nodes:
                if operand in graph.parameters:
                    name = next((name for name in graph.aliases[operand]
                                 if name.rpartition(".")[0] == path),
                                graph.parameters[operand])
                    self.parameters[operand] = name.split(".")[-1]
                elif operand not in inside and operand not in graph.state:
                    outside[operand] = None
        data = [node for node in outside if reach[node]]
        given = data or [node for node in outside if torch.is_tensor(node.meta.get("val"))]
        given = given or [node for node in dict.fromkeys(
            operand for node in nodes for operand in node.all_input_nodes)
            if node in graph.buffers]
        self.x = given[0] if len(given) == 1 else None
        self.has_operand = bool(data)
        self.results = [node for node in nodes
                        if node in graph.outputs or set(node.users) - inside]
        # What is cast to float32 inside has no more digits than that.
        casts = any(op_name(node) in ("to", "_to_copy") and
                    node.meta["val"].dtype == torch.float32 for node in nodes)
        self.tolerance = 3e-6 if casts else 1e-10

    def numbers(self):
        """The float literals in the operations."""
        return [value for value in self.literals() if isinstance(value, float)]

    def literals(self):
        """The numbers in the operations, and constant tensors of one."""
        operands = itertools.chain.from_iterable(
            [*node.args, *node.kwargs.values()] for node in self.nodes)
        for operand in operands:
            value = self.graph.state.get(operand) if isinstance(
                operand, torch.fx.Node) else operand
            if torch.is_tensor(value) and value.numel() == 1:
                value = value.item()
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield value

    def reach(self, least):
        """How far the values go that show each number of the code: a clamp to 1e4
        is none below it."""
        sizes = [abs(float(value)) for value in self.literals()]
        return max([least, *(2 * size for size in sizes if size < 1e30)])

    def __call__(self, x, **parameters):
        feed = {node: parameters[name] for node, name in self.parameters.items()}
        sizes = sized_inputs(self.graph, few(self.graph))
        return evaluate(self.graph, [self.results[0]],
                        {**sizes, **feed, self.x: x.clone()})[0]

    def draw(self):
        """Values of x, in float64."""
        shape = sized_shape(self.graph, self.x, few(self.graph))
        return torch.randn(shape, dtype=torch.float64)


def recognise_leaf(region, owners):
    """The step of a call, or None where no candidate gives its numbers.

    `owners` maps a parameter to the path of the first leaf that has it; a leaf
    that has another's weight is tied to that.
    """
    if region.x is None or len(region.results) != 1:
        return None
    if any(op_name(node) == "dropout" for node in region.nodes):
        return dropout(region)
    step = module_step(region) or (
        parameter_free(region) if not region.parameters else with_parameters(region))
    if step is None:
        return None
    if not region.parameters:
        return step
    first = [owners.get(node, region.path) for node in region.parameters]
    if all(path == region.path for path in first) and all(
            f"{region.path}.{name}" in region.graph.aliases[node]
            for node, name in region.parameters.items()):
        owners.update(dict.fromkeys(region.parameters, region.path))
        return step
    weight = next(node for node, name in region.parameters.items() if name == "weight")
    if step.kind == "Linear" and len(first) == 1 and weight in owners:
        return Tied([*step.operands, weight], owners[weight], step.sizes)
    return None


def dropout(region):
    """A Dropout; what drops and does more beside is none of the leaves."""
    if len(region.nodes) != 1 or region.parameters:
        return None
    p = float(region.nodes[0].args[1])
    return Member([region.x], region.path, "Dropout", (), number(p))


def parameter_free(region):
    """A function of elements, on values from far below zero to far above."""
    value = region.x.meta["val"]
    if not torch.is_tensor(value) or not value.is_floating_point() or \
            not region.has_operand:
        return None
    far = torch.logspace(-6, math.log10(region.reach(1e6)), 199, dtype=torch.float64)
    wide = torch.cat([torch.linspace(-40, 40, 4001, dtype=torch.float64), far, -far])
    try:
        result = region(wide)
    except Exception:  # shapes that only the model's own fit
        return None
    if not torch.is_tensor(result) or not result.is_floating_point():
        return None
    for name, function in ELEMENTS.items():
        if close(result, function(wide), region.tolerance):
            return Call([region.x], name)
    return None


def with_parameters(region):
    """The built-in module with these parameters that gives the same numbers."""
    names = set(region.parameters.values())
    if not names <= {"weight", "bias"}:
        return None
    torch_state = torch.random.get_rng_state()
    torch.manual_seed(0)
    try:
        drawn = {name: torch.randn(node.meta["val"].shape, dtype=torch.float64)
                 for node, name in region.parameters.items()}
        return match(region, drawn)
    except (RuntimeError, IndexError, Unsupported):  # shapes that are no candidate's
        return None
    finally:
        torch.random.set_rng_state(torch_state)


def match(region, drawn):
    weight, bias = drawn["weight"], drawn.get("bias")
    is_float = region.x.meta["val"].is_floating_point()
    options = "" if bias is not None else ", bias = false"
    operands = [region.x] if region.has_operand else []
    if weight.dim() == 2 and not is_float and bias is None:
        return embedding(region, weight, operands)
    if weight.dim() == 2 and is_float and operands:
        for kind, product in (("Linear", weight.T), ("Conv1D", weight)):
            rows, columns = product.shape
            x = region.draw()
            if x.shape[-1] == rows and all(
                    close(region(x * scale, **drawn) / scale,
                          x @ product + (0 if bias is None else bias / scale),
                          region.tolerance) for scale in (10, region.reach(1e6))):
                return Member(operands, region.path, kind, (rows, columns), options)
    if weight.dim() == 1 and is_float and operands:
        return norm(region, drawn, operands, options)
    return None


def embedding(region, weight, operands):
    """A table; its index is data, or 0, 1, ... or one number everywhere."""
    shape = region.draw().shape
    ids = torch.arange(shape.numel()).reshape(shape) * 7 % weight.shape[0]
    if not close(region(ids, weight=weight), weight[ids], region.tolerance):
        return None
    return Member(operands, region.path, "Embedding", tuple(weight.shape), "")


def norm(region, drawn, operands, options):
    """LayerNorm or RmsNorm, with the epsilon that the numbers have."""
    weight, bias = drawn["weight"], drawn.get("bias", 0)
    size = weight.shape[0]
    wide = region.draw()
    rows = wide.numel() // size
    scales = torch.logspace(-5, math.log10(region.reach(1e6)), rows, dtype=torch.float64)
    wide = (wide + 0.5) * scales.reshape(*wide.shape[:-1], 1)

    def rms(x, eps):
        return x * torch.rsqrt(x.pow(2).mean(-1, True) + eps) * weight + bias

    def layer(x, eps):
        return rms(x - x.mean(-1, True), eps)

    kinds = [("LayerNorm", layer, options)]
    if "bias" not in drawn:
        kinds.append(("RmsNorm", rms, ""))
    result = region(wide, **drawn)
    for kind, formula, tail in kinds:
        for eps in epsilons(region, drawn):
            if close(result, formula(wide, eps), region.tolerance * 10):
                return Member(operands, region.path, kind, (size,),
                              f", {number(eps)}{tail}")
    return None


def epsilons(region, drawn):
    """What the epsilon may be: literals of the code that agree with it, then the
    number that the values near zero show."""
    weight, bias = drawn["weight"], drawn.get("bias", 0)
    size = weight.shape[0]
    small = torch.ones(size, dtype=torch.float64) * 1e-7
    small[1::2] *= -1
    if size % 2:
        small[-1] = 0
    mean = float((small ** 2).mean())
    x = small.expand(region.draw().shape)
    result = region(x, **drawn).reshape(-1, size)[0]
    ratio = float(((result - bias) / (weight * small))[0])
    if not math.isfinite(ratio) or ratio <= 0:
        return []
    seen = 1 / ratio ** 2 - mean
    accuracy = max(region.tolerance, 1e-9) * (1 + mean / max(seen, 1e-300))
    near = [value for value in region.numbers()
            if abs(value - seen) <= accuracy * max(abs(value), abs(seen))]
    return near + [shortest(seen, accuracy)]


def constant_index(graph, node, evaluate_at):
    """Iota or Fill of an index that no input reaches, by its values at two sizes.

    `evaluate_at(node, k)` gives the value at the k-th sizes.
    """
    found = None
    for k in range(2):
        value = evaluate_at(node, k)
        rows = value.reshape(-1, value.shape[-1])
        row = rows[0]
        if (value == row[0]).all() and row.numel() > 1:
            index = Fill(int(row[0]))
        elif (rows == torch.arange(row.numel()) + row[0]).all():
            index = Iota(int(row[0]))
        else:
            return None
        if found not in (None, index):
            return None
        found = index
    return found
