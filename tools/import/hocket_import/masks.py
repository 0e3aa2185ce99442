"""Which mask of the language is added to the scores of an attention, and which bias.

The graph says what it may depend on: sizes alone, or one integer or bool input.
Then it is computed for several sizes and inputs, and must equal the language's mask
in all of them; anything else is unsupported.
"""

import dataclasses
import itertools

import torch

from .alibi import recognise_alibi
from .export import op_name
from .probe import sized_inputs
from .refuse import Unsupported

# What makes a number that hides, which is no length.
FILLS = {"masked_fill", "where", "full", "full_like", "scalar_tensor", "mul"}
LARGEST = 8192  # positions of a sample


@dataclasses.dataclass
class Scores:
    """What an attention adds to its scores.

    node     what it is computed from is above this
    read     the inputs' values -> what is added, bools or numbers [b, h, queries, keys]
    queries  the name of the dim of queries, or their number; keys as well
    """
    graph: object
    node: object
    sources: list
    read: object
    heads: int
    queries: object
    keys: object


@dataclasses.dataclass
class Sample:
    visible: torch.Tensor  # [batch, queries, keys]
    bias: torch.Tensor     # [batch, heads, queries, keys], or None where it is zero
    keep: torch.Tensor     # the source's zeros and others, or None


def literals(target):
    """The integers in the operations that a node is computed from."""
    found, seen, waiting = set(), set(), [target]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        waiting += node.all_input_nodes
        flat = itertools.chain(node.args, node.kwargs.values())
        hides = node.op == "call_function" and op_name(node) in FILLS
        found |= {abs(int(value)) for value in flat
                  if isinstance(value, (int, float)) and abs(value) < 2**31
                  and not (hides and value <= -1e4)}
    return found


def lengths(scores, dim):
    """Sizes of a dim to look at: small ones, and one beyond each number that the
    code names, since a window shows only in a longer sequence."""
    if isinstance(dim, int):
        return [dim]
    limit = scores.graph.limits.get(dim) or 2**31
    sizes = {min(size, limit) for size in (3, 8, 17)}
    for value in literals(scores.node):
        if 3 <= value < limit:
            if value + 3 > LARGEST:
                raise Unsupported(f"a mask made with the number {value}, which only "
                                  "longer sequences than are tried here show")
            sizes.add(min(value + 3, limit))
    return sorted(sizes)


def parts(value):
    """(what is visible, the bias or None): of numbers, -1e4 or less hides."""
    if value.dtype == torch.bool:
        return value, None
    visible = value > -1e4
    bias = torch.where(visible, value, 0)
    if not bias.isfinite().all():
        raise Unsupported("attention with a bias that is no mask")
    return visible, None if not bias.any() else bias


def keeps(batch, seq):
    """Values of an input that says what is kept: all, ends cut, holes, other
    numbers than 0 and 1."""
    ones = torch.ones(batch, seq, dtype=torch.long)
    ends = ones.clone()
    for row in range(batch):
        ends[row, seq - row * seq // (2 * batch):] = 0
    pseudo = (torch.arange(batch * seq).reshape(batch, seq) * 7 // 3) % 3
    holes = (pseudo != 1).long()
    holes[:, 0] = 1
    twos = holes * 2
    return [ones, ends, holes, twos]


def band(mask):
    """(before, after) of the narrowest window that holds a mask [queries, keys];
    None for a side that reaches to the end of the sequence."""
    queries, keys = mask.shape
    places = torch.arange(keys)[None] - torch.arange(queries)[:, None]
    seen = places[mask]
    if not len(seen):
        raise Unsupported("a mask that hides everything")
    before, after = -int(seen.min()), int(seen.max())
    return (None if before >= queries - 1 else before,
            None if after >= keys - 1 else after)


def window(before, after, queries, keys):
    places = torch.arange(keys)[None] - torch.arange(queries)[:, None]
    return ((places >= -(queries if before is None else before))
            & (places <= (keys if after is None else after)))


def mask_text(before, after):
    if after == 0:
        return "causal" if before is None else f"causal * window({before})"
    if before is None and after is None:
        return ""
    if before == after:
        return f"window({before})"
    if before is not None and after is not None:
        return f"window({before}, {after})"
    raise Unsupported("a mask with a window on one side that is not causal")


def sizes_of(scores):
    """Pairs of sizes of queries and keys."""
    keys = lengths(scores, scores.keys)
    if scores.queries == scores.keys:
        return [(size, size) for size in keys]
    queries = lengths(scores, scores.queries)
    return list(zip(queries * len(keys), keys * len(queries)))[:max(len(queries), len(keys))]


def samples(scores, source):
    """What is added for several sizes and values of the source."""
    graph = scores.graph
    names = dict.fromkeys(dim for dims in graph.dims.values() for dim in dims
                          if isinstance(dim, str))
    for queries, keys in sizes_of(scores):
        few = 2 if keys > 64 else 3
        sizes = dict.fromkeys(names, few) | {
            dim: size for dim, size in ((scores.queries, queries), (scores.keys, keys))
            if isinstance(dim, str)}
        feed = sized_inputs(graph, sizes)
        cases = [None] if source is None else keeps(feed[source].shape[0], keys)
        for keep in cases:
            if keep is not None:
                feed[source] = keep.to(feed[source].dtype)
            value = scores.read(feed)
            if value.dim() != 4:
                raise Unsupported("a mask of other dims than [batch, heads, queries, keys]")
            visible, bias = parts(value)
            if not (visible == visible[:, :1]).all():
                raise Unsupported("a mask that is not the same for all heads")
            rows = len(value) if keep is None else len(keep)
            yield Sample(visible[:, 0].expand(rows, queries, keys),
                         None if bias is None else
                         bias.expand(rows, scores.heads, queries, keys),
                         None if keep is None else feed[source] != 0)


def recognise_mask(scores):
    """(text with {} for the input, [input], the kind of ALiBi or None)."""
    graph, sources = scores.graph, scores.sources
    if any(node in graph.parameters for node in sources):
        raise Unsupported("a mask or bias that parameters make")
    if len(sources) > 1:
        names = " and ".join(sorted(f"'{node.name}'" for node in sources))
        raise Unsupported(f"a mask that depends on {names}")
    source = sources[0] if sources else None
    if source is not None and (source.meta["val"].is_floating_point()
                               or graph.dims[source.name][1:] != (scores.keys,)):
        raise Unsupported(f"a mask that depends on '{source.name}', which is no "
                          f"integer or bool [batch, {scores.keys}]")
    seen = list(samples(scores, source))
    # Of the longest sequence, where all is kept, the window shows.
    longest = max(sample.visible.shape[-1] for sample in seen)
    whole = next(sample.visible for sample in seen if sample.visible.shape[-1] == longest
                 and (sample.keep is None or sample.keep.all()))
    before, after = band(whole[0])
    text = mask_text(before, after)
    if text and scores.queries != scores.keys:
        raise Unsupported("a causal mask or window between two sequences")
    alibi = None
    if any(sample.bias is not None for sample in seen):
        alibi = recognise_alibi(seen)
    compare(seen, before, after, source)
    if source is None:
        return text or "none", [], alibi
    is_bool = source.meta["val"].dtype == torch.bool
    padding = "padding({})" if is_bool else "padding(bool({}))"
    return f"{text} * {padding}" if text else padding, [source], alibi


def compare(seen, before, after, source):
    """Refuses a mask that differs from the one that was found in any sample."""
    for sample in seen:
        want = window(before, after, *sample.visible.shape[-2:])[None]
        if sample.keep is not None:
            want = want & sample.keep[:, None, :]
        # Rows that see nothing have no meaning in either.
        rows = want.any(-1, keepdim=True)
        if not ((sample.visible == want) | ~rows).all():
            how = f"depends on '{source.name}' in another way than its zeros" \
                if source is not None else "is no causal mask or window"
            raise Unsupported(f"a mask that {how}")
