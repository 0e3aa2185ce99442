"""Puts what stands under torch.no_grad(), or under an autocast that is off, where it
is called: torch.export makes a graph of its own of it."""

import torch

OFF = {"wrap_with_set_grad_enabled": lambda args: (args[1], args[2:]),
       "wrap_with_autocast": lambda args: None if args[2] else (args[4], args[5:])}


def body(graph_module, node):
    """(the graph that a node calls, its operands), or None for other calls."""
    name = getattr(node.target, "__name__", "") if node.op == "call_function" else ""
    called = OFF[name](node.args) if name in OFF else None
    if called is None:
        return None
    inner = graph_module.get_submodule(called[0].target)
    inline(inner)
    if any(part.op == "get_attr" for part in inner.graph.nodes):
        return None
    return inner.graph, called[1]


def inline(graph_module):
    """The same program; its graph changes."""
    graph = graph_module.graph
    for node in list(graph.nodes):
        called = body(graph_module, node)
        if called is None:
            continue
        places = [part for part in called[0].nodes if part.op == "placeholder"]
        values = dict(zip(places, called[1], strict=True))
        with graph.inserting_before(node):
            results = graph.graph_copy(called[0], values)
        if "set_grad" in node.target.__name__ and not node.args[0]:
            for part in called[0].nodes:
                if part in values and part.op == "call_function":
                    values[part].meta["cuts_gradients"] = True
        for user in list(node.users):  # getitem
            user.replace_all_uses_with(results[user.args[1]])
            graph.erase_node(user)
        graph.erase_node(node)
    for node in list(graph.nodes):
        if node.op == "get_attr" and not node.users:
            graph.erase_node(node)
    if isinstance(graph_module, torch.fx.GraphModule):
        graph_module.recompile()
