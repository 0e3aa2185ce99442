"""From a torch.nn.Module to the graph that the other pieces read.

The graph is torch.export's raw one, in train mode: attention, linear and norms
are still one operation each there, and dropout is in it. Dims with a name stay
symbols, so that two dims of one size are not taken for each other.
"""

import contextlib
import dataclasses
import inspect
import re

import torch
from torch.export import Dim

from .branches import check_branches
from .inline import inline
from .refuse import Refused


@dataclasses.dataclass
class Graph:
    """A traced module.

    nodes       the operations and placeholders in order
    inputs      placeholders of the user's tensors
    outputs     what the module returns, tensors only
    state       placeholder -> tensor: parameters, buffers, constants
    parameters  placeholder -> name in the state_dict: parameters only
    dims        input's name -> its dims: names and numbers
    symbols     a symbol of torch ("s70") -> the name of the dim
    limits      a dim's name -> the largest size that the module takes, or None
    examples    input's name -> an example tensor, of 2 or more in dims with a name
    sizes       a dim's name -> the size that the caller's tensors have
    """
    title: str
    nodes: list
    inputs: list
    outputs: list
    state: dict
    parameters: dict
    dims: dict
    symbols: dict
    limits: dict
    examples: dict
    sizes: dict
    names: list  # of tensors in files, read or not: see stored_names
    buffers: dict  # placeholder -> its name
    aliases: dict  # placeholder -> the names that its parameter may have in a file

    def scope(self, node):
        """The calls around a node, outermost first: (key, path, class)."""
        stack = node.meta.get("nn_module_stack") or {}
        return [(key, path, kind if isinstance(kind, str) else
                 f"{kind.__module__}.{kind.__qualname__}")
                for key, (path, kind) in stack.items() if path]

    def place(self, node):
        """Where a node comes from: (module path, "file.py:12")."""
        scope = self.scope(node)
        path = scope[-1][1] if scope else ""
        trace = (node.meta.get("stack_trace") or "").strip().splitlines()
        files = [line.strip() for line in trace if line.strip().startswith("File ")]
        if not files:
            return path, ""
        file, number = files[-1].split('"')[1], files[-1].split("line ")[1]
        short = "/".join(file.split("/")[-2:])
        return path, f"{short}:{number.split(',')[0]}"


def op_name(node):
    """`add` of aten.add.Tensor; the name of a Python function. What works in place
    has the name of what does not: `dropout` of aten.dropout_."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        name = target.__name__.split(".")[0]
        return name.rstrip("_") if not name.startswith("_") else name
    return getattr(target, "__name__", str(target))


def bind(module, args, kwargs):
    """All example inputs by the names of forward's arguments, in its order."""
    signature = inspect.signature(module.forward)
    bound = signature.bind(*args, **(kwargs or {}))
    given = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        else:
            given[name] = value
    for name, value in given.items():
        if not torch.is_tensor(value):
            raise Refused(f"input '{name}' is {type(value).__name__}, not a tensor; "
                          "leave it out, or set it in a module around this one")
    return given


def check_dims(inputs, dims):
    """Every input has as many dims as its tensor, and a name one size."""
    sizes = {}
    for name, tensor in inputs.items():
        if name not in dims:
            raise Refused(f"the dims of input '{name}' are missing: it has "
                          f"{tensor.dim()}, say {name}=batch,...")
        if len(dims[name]) != tensor.dim():
            raise Refused(f"input '{name}' has {tensor.dim()} dims, "
                          f"and {len(dims[name])} are named")
        for dim, size in zip(dims[name], tensor.shape):
            if isinstance(dim, str) and sizes.setdefault(dim, size) != size:
                raise Refused(f"dim '{dim}' is {sizes[dim]} and, of input "
                              f"'{name}', {size}")
    for name in dims:
        if name not in inputs:
            raise Refused(f"'{name}' is no input; there are {', '.join(inputs)}")
    return sizes


def resized(tensor, dims, sizes):
    """The example with other sizes of its named dims: repeated, then cut."""
    for axis, dim in enumerate(dims):
        if dim in sizes:
            times = -(-sizes[dim] // tensor.shape[axis])
            tensor = torch.cat([tensor] * times, axis).narrow(axis, 0, sizes[dim])
    return tensor.clone()


@contextlib.contextmanager
def exportable(module, training=True):
    """Train mode, or not; of transformers' models, without the cache of keys."""
    was, configs = module.training, {}
    for part in module.modules():
        config = getattr(part, "config", None)
        if getattr(config, "use_cache", None) is not None:
            configs.setdefault(id(config), (config, config.use_cache))
            config.use_cache = False
    try:
        yield module.train(training)
    finally:
        module.train(was)
        for config, cached in configs.values():
            config.use_cache = cached


def export_program(module, inputs, dims):
    """torch.export's program, each named dim a symbol of its own size."""
    dynamic = {name: {axis: Dim.DYNAMIC for axis, dim in enumerate(dims[name])
                      if isinstance(dim, str)} for name in inputs}
    try:
        with exportable(module), torch.enable_grad():  # to see where it is off
            program = torch.export.export(module, (), kwargs=inputs,
                                          dynamic_shapes=dynamic, strict=False)
    except Exception as error:  # of any kind: what tracing ran into
        lines = str(error).strip().splitlines() or [type(error).__name__]
        advice = r" (For more information, run|If you're using) .*"
        text = "\n".join(re.sub(advice, "", line) for line in lines[:2])
        raise Refused(f"torch.export cannot trace {type(module).__name__}: {text}\n"
                      "note: a dim that the module takes in one size only is "
                      "given as a number, not as a name") from error
    inline(program.graph_module)
    return program


def stored_names(module):
    """The state_dict's names, and those of buffers of whole numbers: positions and
    the like, which older versions of transformers wrote into files."""
    buffers = [name for name, buffer in module.named_buffers()
               if not buffer.is_floating_point()]
    return list(dict.fromkeys([*module.state_dict(), *buffers]))


def trace(module, inputs, dims, program=None):
    """The graph of a module that is called with `inputs` by name."""
    sizes = check_dims(inputs, dims)
    # A symbol of size 1 would be a constant of torch.export.
    grown = {dim: max(size, 2) for dim, size in sizes.items()}
    examples = {name: resized(tensor, dims[name], grown)
                for name, tensor in inputs.items()}
    for name, parameter in module.named_parameters():
        if parameter.dtype != torch.float32:
            raise Refused(f"parameter '{name}' is {parameter.dtype}; convert the "
                          "module with .float()")
    saved = program
    program = saved or export_program(module, examples, dims)
    graph = read_program(program, type(module).__name__, examples, dims, sizes,
                         stored_names(module))

    def at(others, fixed):
        changed = {name: resized(tensor, dims[name], others)
                   for name, tensor in examples.items()}
        return export_program(module, changed, dict.fromkeys(dims, ()) if fixed else dims)

    if not saved:  # a file has one of the branches only
        check_branches(type(module).__name__, program, graph.symbols, grown, at)
    names = names_by_parameter(module)
    graph.aliases = {node: names[name] for node, name in graph.parameters.items()}
    graph.parameters = {node: names[0] for node, names in graph.aliases.items()}
    return graph


def names_by_parameter(module):
    """A parameter's name -> those that it may have: of one that is tied all of them,
    or what transformers writes into files."""
    shared, sources = {}, getattr(module, "all_tied_weights_keys", None) or {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        shared.setdefault(id(parameter), []).append(name)
    found = {}
    for names in shared.values():
        written = [name for name in names if name not in sources]
        found |= dict.fromkeys(names, names if len(written) != 1 else written)
    return found


def read_program(program, title, examples, dims, sizes, names):
    """Graph of an exported program."""
    signature = program.graph_signature
    tensors = {**program.state_dict, **program.constants}
    held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants}
    nodes = list(program.graph.nodes)
    places = [node for node in nodes if node.op == "placeholder"]
    named = {node.name: node for node in places}
    inputs = [named[name] for name in examples]
    symbols, limits = {}, {}
    for node in inputs:
        for dim, size in zip(dims[node.name], node.meta["val"].shape):
            if isinstance(dim, str) and not isinstance(size, int):
                symbols[str(size)] = dim
                limit = program.range_constraints[size.node.expr].upper
                limit = int(limit) if limit.is_integer and limit < 2**40 else None
                limits[dim] = min(filter(None, [limits.get(dim), limit]), default=None)
    outputs = [node for node, spec in zip(nodes[-1].args[0], signature.output_specs)
               if isinstance(node, torch.fx.Node) and spec.kind.name == "USER_OUTPUT"]
    return Graph(title, nodes[:-1], inputs, outputs,
                 {node: tensors[held[node.name]] for node in places
                  if node.name in held},
                 {node: signature.inputs_to_parameters[node.name] for node in places
                  if node.name in signature.inputs_to_parameters},
                 dims, symbols, limits, examples, sizes, names,
                 {node: signature.inputs_to_buffers[node.name] for node in places
                  if node.name in signature.inputs_to_buffers}, {})
