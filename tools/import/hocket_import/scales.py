"""Queries that are scaled before their attention: the attention does that."""

import torch

from .export import op_name
from .attention import VIEWS, is_attention


def scaled(q):
    """(the product, its number) that a view of queries is made of, or None."""
    while op_name(q) in VIEWS and len(q.users) == 1:
        q = q.args[0]
    if op_name(q) not in ("mul", "div") or len(q.users) != 1 or not (
            isinstance(q.args[0], torch.fx.Node) and isinstance(q.args[1], float)):
        return None
    return q, q.args[1] if op_name(q) == "mul" else 1 / q.args[1]


def join_scales(graph):
    """The same graph with one scale for an attention and its queries."""
    for node in filter(is_attention, list(graph.nodes)):
        if (found := scaled(node.args[0])) is None:
            continue
        product, factor = found
        width = int(node.args[0].meta["val"].shape[-1])
        own = node.kwargs.get("scale")
        node.kwargs = node.kwargs | {
            "scale": factor * (width ** -0.5 if own is None else own)}
        product.replace_all_uses_with(product.args[0])
        product.graph.erase_node(product)
        graph.nodes.remove(product)
    return graph
