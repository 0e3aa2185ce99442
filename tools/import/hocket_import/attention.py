"""The steps of attention: PyTorch's own, and that which is written out."""

import torch

from .eager import Eager
from .export import op_name
from .numbers import number, shortest
from .masks import Scores, recognise_mask
from .probe import close, evaluate, few, sized_inputs, sized_shape
from .refuse import Unsupported
from .steps import Attention

VIEWS = {"view", "reshape", "_unsafe_view", "transpose", "permute", "t", "unsqueeze",
         "squeeze", "flatten", "unflatten", "movedim", "expand"}


def is_attention(node):
    return op_name(node) == "scaled_dot_product_attention"


class Attentions:
    def __init__(self, graph, reach):
        self.graph, self.reach = graph, reach
        self.written = set()  # constants that the text computes

    # PyTorch's.

    def sdpa(self, node, write_out):
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        given = dict(zip(names, node.args)) | node.kwargs
        q, k, v = given["query"], given["key"], given["value"]
        if q.meta["val"].dim() != 4:
            raise Unsupported("attention of other dims than [batch, heads, seq, head_dim]")
        masks, biases = self.terms(given.get("attn_mask"))
        if len(biases) > 1:
            raise Unsupported("attention with two biases that parameters make")
        if given.get("is_causal"):
            found = "causal", [], None
        elif not masks:
            found = "none", [], None
        elif biases and set(masks) <= self.written:
            found, biases = ("none", [], None), [given["attn_mask"]]
        else:
            try:
                found = recognise_mask(Scores(
                    self.graph, given["attn_mask"], list(dict.fromkeys(
                        source for mask in masks for source in self.reach[mask])),
                    lambda feed: self.added(masks, feed), *self.sizes(q, k)))
            except Unsupported as error:
                if not write_out(given["attn_mask"]):
                    raise error
                found, biases = self.computed(given["attn_mask"])
        return self.step(q, k, v, found, given.get("scale"),
                         given.get("dropout_p") or 0.0, biases)

    def computed(self, mask):
        """(what is found, biases) of a mask that has no name: the text computes it as
        the module does."""
        if mask.meta["val"].dtype == torch.bool:
            return ("{}", [mask], None), []
        if str(mask.meta["val"].shape[-1]) == "1":
            raise Unsupported("a bias that is one number for all keys")
        return ("none", [], None), [mask]

    def terms(self, mask):
        """(masks, biases) that a mask is the sum of: what parameters make is a bias."""
        if mask is None:
            return [], []
        if op_name(mask) == "add" and not mask.kwargs and all(
                isinstance(term, torch.fx.Node) for term in mask.args):
            masks, biases = [], []
            for term in mask.args:
                more = self.terms(term)
                masks += more[0]
                biases += more[1]
            return masks, biases
        if op_name(mask) == "where" and self.hides(mask.args[2]):
            masks, biases = self.terms(mask.args[1])
            return [mask.args[0], *masks], biases
        learned = mask.meta["val"].dtype != torch.bool and any(
            source in self.graph.parameters for source in self.reach[mask])
        return ([], [mask]) if learned else ([mask], [])

    def is_added(self, mask):
        """Numbers that hide nothing: a part of the bias."""
        value, = evaluate(self.graph, [mask], sized_inputs(self.graph, few(self.graph)))
        return value.is_floating_point() and bool((value > -1e4).all())

    def hides(self, node):
        """A constant so low that a score which it stands for has no weight."""
        if isinstance(node, torch.fx.Node):
            if self.reach[node]:
                return False
            node = evaluate(self.graph, [node], sized_inputs(
                self.graph, few(self.graph)))[0].max()
        return float(node) <= -1e4

    def added(self, masks, feed):
        values = evaluate(self.graph, masks, feed)
        if len(values) == 1:
            return values[0]
        low = torch.tensor(-torch.inf)
        return sum(torch.where(value, 0, low) if value.dtype == torch.bool else value
                   for value in values)

    def sizes(self, q, k):
        """(heads, queries, keys) of an attention: numbers, and names of dims."""
        def name(node):
            size = node.meta["val"].shape[2]
            found = self.graph.symbols.get(str(size), size)
            if not isinstance(found, (int, str)):
                raise Unsupported("a mask of attention whose positions have no name")
            return found
        return int(q.meta["val"].shape[1]), name(q), name(k)

    def step(self, q, k, v, found, scale, drop, biases=()):
        k, v = self.ungrouped(k), self.ungrouped(v)
        heads = int(q.meta["val"].shape[1])
        if heads % int(k.meta["val"].shape[1]):
            raise Unsupported("attention whose key heads do not divide its heads")
        text, sources, alibi = found
        if alibi and biases:
            raise Unsupported("attention with two biases")
        options = "" if text == "none" else f", mask = {text}"
        width = int(q.meta["val"].shape[3])
        if scale is not None and abs(scale - width ** -0.5) > 1e-9 * abs(scale):
            options += f", scale = {number(float(scale))}"
        if drop:
            options += f", dropout = {number(float(drop))}"
        if alibi or biases:
            options += ", bias = {}"
        return Attention([q, k, v, *sources, *biases], text, options, alibi)

    # Written out.

    def eager(self, node):
        """(the node that gives the result, its step), or None."""
        try:
            found = Eager(self.graph, node, self.reach)
            result = found.result()
            sizes = self.sizes(found.query, found.key)
            if any(name not in (1, *self.graph.symbols.values()) and
                   not isinstance(name, int) for name in sizes[1:]):
                return None
            factor = found.scale(few(self.graph))
            if not found.holds(result, factor, few(self.graph)):
                return None
            width = int(found.query.meta["val"].shape[3])
            exact = width ** -0.5
            factor = exact if abs(factor - exact) <= 1e-6 * exact else \
                shortest(factor, 1e-7)

            def read(feed):
                shape = found.shape(found.query, feed)[:3] + \
                    found.shape(found.key, feed)[2:3]
                return found.read(feed, torch.zeros(shape))

            mask = recognise_mask(Scores(self.graph, found.scores, found.sources(), read,
                                         *sizes))
            return result, self.step(found.query, found.key, found.value, mask, factor,
                                     found.drop, found.biases)
        except (Unsupported, RuntimeError, IndexError, AttributeError, KeyError):
            return None

    # Keys and values of fewer heads.

    def ungrouped(self, node):
        """Keys or values before each of their heads was repeated for a group of
        queries: by the numbers of the repetition."""
        here = node
        while op_name(here) in VIEWS | {"slice"}:
            here = here.args[0]
            if not isinstance(here, torch.fx.Node) or not self.reach[here]:
                break
            if here.meta["val"].dim() == 4 and self.repeats(here, node):
                return here
        return node

    def repeats(self, few_heads, many):
        a, b = few_heads.meta["val"].shape, many.meta["val"].shape
        if str(a[2]) != str(b[2]) or str(a[3]) != str(b[3]) or \
                int(b[1]) % int(a[1]) or int(b[1]) == int(a[1]):
            return False
        feed = sized_inputs(self.graph, few(self.graph))
        shape = torch.Size(sized_shape(self.graph, few_heads, few(self.graph)))
        x = torch.arange(shape.numel()).double().reshape(shape)
        value = evaluate(self.graph, [many], {**feed, few_heads: x})[0]
        return close(value, x.repeat_interleave(int(b[1]) // int(a[1]), 1), 0)
