"""Where a module cuts gradients off, which the text cannot."""

from .export import op_name
from .probe import depends_on


def cuts(graph):
    """The lines of a text that say where gradients of parameters end in the module:
    at `detach()`, and under torch.no_grad()."""
    reach, found = depends_on(graph), {}
    for node in graph.nodes:
        learned = any(source in graph.parameters for source in reach.get(node, ()))
        if learned and (op_name(node) == "detach" or node.meta.get("cuts_gradients")):
            what = "detach()" if op_name(node) == "detach" else "torch.no_grad()"
            path, line = graph.place(node)
            found[f"{what} at {line or path or graph.title}"] = None
    return [f"# The module cuts gradients off, and this text does not: {one}."
            for one in found]
