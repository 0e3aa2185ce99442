"""Writes a PyTorch module as the .hkt text that one would have written by hand.

    text = hocket_import.to_hkt(module, kwargs={"input_ids": ids},
                                dims={"input_ids": ("batch", "seq")})

raises hocket_import.Refused, whose message names every operation that the language
lacks, where it cannot.
"""

import torch

from .cuts import cuts
from .erase import erase, unbind
from .export import bind, trace
from .fold import fold
from .members import Tree
from .names import Names
from .neighbours import join_neighbours
from .recognise import Recognised
from .refuse import Lacking, Refused
from .scales import join_scales
from .shapes import Shapes
from .steps import Member
from .write import file_text

__all__ = ["Refused", "to_hkt"]


def parameters_read(recognised):
    """The names in a state_dict of the parameters that the text's members have."""
    read = {recognised.parameter(operand)[0] for step in recognised.steps.values()
            for operand in step.operands if operand in recognised.graph.parameters}
    for step in recognised.steps.values():
        if isinstance(step, Member) and step.kind != "Dropout":
            read.add(f"{step.path}.weight")
            if step.kind not in ("Embedding", "RmsNorm") and \
                    "bias = false" not in step.options:
                read.add(f"{step.path}.bias")
            if step.kind.startswith("BatchNorm"):
                read |= {f"{step.path}.{name}" for name in (
                    "running_mean", "running_var", "num_batches_tracked")}
    return read


def write_graph(graph, source, config=None, tree=Tree()):
    """The text of a graph."""
    notes = cuts(graph)
    graph = join_neighbours(join_scales(unbind(erase(graph))))
    recognised = Recognised(graph)
    while recognised.again:
        recognised = Recognised(graph)
    shapes = Shapes(graph, recognised)
    if recognised.findings:
        raise Lacking(recognised.findings.message(graph.title))
    folder = fold(Names(graph, recognised, shapes, config), tree)
    if recognised.findings:
        raise Lacking(recognised.findings.message(graph.title))
    return file_text(folder, [f"# Made by hocket import of {source}.", *notes],
                     graph.sizes, parameters_read(recognised))


def convert(module, inputs, dims, name=None, program=None):
    """(text, graph) of a module that is called with `inputs` by name, in any order;
    `program` is what torch.export made of it, where that is there."""
    inputs = bind(module, (), inputs)
    with torch.no_grad():
        graph = trace(module, inputs, dims, program)
        graph.title = name or graph.title
        kind = type(module)
        text = write_graph(graph, f"{kind.__module__}.{kind.__qualname__}",
                           getattr(module, "config", None), Tree(module))
    return text, graph


def to_hkt(module, args=(), kwargs=None, dims=None, name=None):
    """The text of a module that is called with these example tensors.

    dims   input's name -> its dims, in order: names of those that vary ("batch"),
           numbers of the others; by default batch, seq for tensors [n, m]
    name   of the model in the text; by default the class's
    """
    inputs = bind(module, args, kwargs)
    named = {key: ("batch", "seq") for key, tensor in inputs.items()
             if tensor.dim() == 2}
    return convert(module, inputs, {**named, **(dims or {})}, name)[0]
