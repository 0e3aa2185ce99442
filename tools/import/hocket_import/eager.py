"""Finds attention that is written out: a softmax of products, times values.

What lies between the products of queries and keys and the softmax is run with
products of the caller's, and must be a multiple of them plus what is added.
"""

import torch

from .export import op_name
from .probe import close, evaluate, sized_inputs, sized_shape
from .refuse import Unsupported

PRODUCTS = {"matmul", "bmm", "baddbmm"}
THROUGH = {"add", "add_", "view", "reshape", "masked_fill"}
BETWEEN = {"view", "reshape", "_unsafe_view", "clone", "contiguous", "to", "_to_copy"}


def through(node, names):
    """What a chain of these operations begins with."""
    while node.op == "call_function" and op_name(node) in names:
        node = node.args[0]
    return node


def is_transposed(node, before):
    """The value is `before` with its last two dims swapped."""
    return op_name(node) == "transpose" and node.args[0] is before and \
        {axis % node.meta["val"].dim() for axis in node.args[1:3]} == \
        {node.meta["val"].dim() - 2, node.meta["val"].dim() - 1}


class Eager:
    """The attention that ends in `node`.

    query, key, value   nodes [batch, heads, seq, head_dim]
    softmax, product    nodes; drop: the probability
    """

    def __init__(self, graph, node, reach):
        self.graph, self.node, self.reach = graph, node, reach
        weights = node.args[0]
        self.drop = 0.0
        self.softmax = through(weights, BETWEEN | {"dropout"})
        here = weights
        while here is not self.softmax:
            if op_name(here) == "dropout":
                self.drop = float(here.args[1])
            here = here.args[0]
        if op_name(self.softmax) != "softmax":
            raise Unsupported("a product that is no attention")
        self.scores = self.softmax.args[0]
        self.product = self.find_product()
        first, second = self.product.args[-2:] if op_name(self.product) != "baddbmm" \
            else self.product.args[1:3]
        if op_name(second) != "transpose" or not is_transposed(second, second.args[0]):
            raise Unsupported("a product of queries with keys that are not transposed")
        self.query, self.key = self.split(first), self.split(second.args[0])
        self.value = self.split(node.args[1])
        self.biases = self.find_biases()

    def find_product(self):
        """The one product of data that the scores are computed from."""
        found, seen, ahead = [], set(), [self.scores]
        while ahead:
            node = ahead.pop()
            if node in seen or not self.reach[node]:
                continue
            seen.add(node)
            if op_name(node) in PRODUCTS:
                found.append(node)
                if op_name(node) == "baddbmm":
                    ahead.append(node.args[0])
            else:
                ahead += node.all_input_nodes
        if len(found) != 1:
            raise Unsupported("a softmax of more or less than one product")
        return found[0]

    def find_biases(self):
        """What parameters make, and what is added to the products."""
        node, found = self.scores, []
        while op_name(node) in THROUGH and node is not self.product:
            terms = [term for term in node.args[:2] if isinstance(term, torch.fx.Node)]
            if not op_name(node).startswith("add") or len(terms) < 2:
                node = node.args[0]
                continue
            after = [term for term in terms if self.above(term)]
            if len(after) != 1:
                break
            found += [term for term in terms if term is not after[0] and any(
                source in self.graph.parameters for source in self.reach[term])]
            node = after[0]
        return found

    def above(self, node):
        """The products are among what a value is computed from."""
        seen, ahead = set(), [node]
        while ahead:
            here = ahead.pop()
            if here is self.product:
                return True
            if here not in seen and self.reach[here]:
                seen.add(here)
                ahead += here.all_input_nodes
        return False

    def split(self, node):
        """The value before its batch and heads were made one dim."""
        if node.meta["val"].dim() == 3 and op_name(node) in ("view", "reshape") and \
                node.args[0].meta["val"].dim() == 4:
            return node.args[0]
        return node

    def read(self, feed, product):
        """The scores for these inputs and products [batch, heads, queries, keys]."""
        shape = self.product.meta["val"].dim()
        flat = product.flatten(0, 1) if shape == 3 else product
        node = self.product
        if op_name(node) == "baddbmm":  # the sum of a product and what is added
            added = evaluate(self.graph, [node.args[0]], feed)[0]
            flat = node.kwargs.get("beta", 1) * added + node.kwargs.get("alpha", 1) * flat
        zeros = {bias: torch.zeros(self.shape(bias, feed)) for bias in self.biases}
        value = evaluate(self.graph, [self.scores], {**zeros, **feed, node: flat})[0]
        return value.unflatten(0, product.shape[:2]) if value.dim() == 3 else value

    def shape(self, node, feed):
        names = dict.fromkeys(self.graph.symbols.values(), 3)
        return sized_shape(self.graph, node, names | self.fed(feed))

    def scale(self, sizes):
        """The factor of the products; what is added does not depend on them."""
        feed = sized_inputs(self.graph, sizes)
        shape = sized_shape(self.graph, self.query, sizes)[:3] + \
            sized_shape(self.graph, self.key, sizes)[2:3]
        zero = self.read(feed, torch.zeros(shape, dtype=torch.float64)).double()
        generator = torch.Generator().manual_seed(5)
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
        seen = zero > -1e4
        factors = ((self.read(feed, drawn).double() - zero) / drawn)[seen]
        factor = float(factors[0])
        wide = self.read(feed, drawn * 30).double()
        fits = (wide - zero - 30 * drawn * factor).abs() <= 1e-5 * (1 + zero.abs() + wide.abs())
        if not (fits | ~seen).all() or not (wide[~seen] <= -1e4).all():
            raise Unsupported("attention that changes the products before its softmax")
        return factor

    def result(self):
        """The value [batch, heads, seq, head_dim] that the attention gives."""
        if self.node.meta["val"].dim() == 4:
            return self.node
        user = next(iter(self.node.users))
        if len(self.node.users) != 1 or op_name(user) not in ("view", "reshape") or \
                user.meta["val"].dim() != 4:
            raise Unsupported("attention whose batch and heads stay one dim")
        return user

    def sources(self):
        """The inputs that what is added depends on."""
        found, seen, ahead = {}, set(), [self.scores]
        while ahead:
            node = ahead.pop()
            if node in seen or not self.reach[node]:
                continue
            seen.add(node)
            if node in self.graph.inputs or node in self.graph.parameters:
                found[node] = None
            elif node is not self.product and node not in self.biases:
                ahead += node.all_input_nodes
            elif op_name(node) == "baddbmm":
                ahead.append(node.args[0])
        return list(found)

    def fed(self, feed):
        """The sizes of named dims that these inputs have."""
        return {dim: size for node in self.graph.inputs if node in feed
                for dim, size in zip(self.graph.dims[node.name], feed[node].shape)
                if isinstance(dim, str)}

    def holds(self, result, factor, sizes):
        """The whole attention gives these numbers for queries, keys and values that
        are drawn here."""
        feed, generator = sized_inputs(self.graph, sizes), torch.Generator().manual_seed(6)
        q, k, v = (torch.randn(sized_shape(self.graph, node, sizes), generator=generator)
                   for node in (self.query, self.key, self.value))
        biases = {bias: torch.randn(sized_shape(self.graph, bias, sizes),
                                    generator=generator) for bias in self.biases}
        found = evaluate(self.graph, [result], {
            **feed, **biases, self.query: q, self.key: k, self.value: v})[0]
        product = torch.zeros(*q.shape[:3], k.shape[2])
        scores = factor * q @ k.transpose(-1, -2) + self.read(feed, product)
        weights = sum(biases.values(), scores).softmax(-1)
        return close(found, weights @ v, 1e-5)
