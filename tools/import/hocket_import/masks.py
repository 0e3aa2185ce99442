"""Which mask of the language the mask tensor of an attention is.

The graph says what it may depend on: sizes alone, or one integer or bool input.
Then the tensor is computed for several sizes and inputs, and must equal the
language's mask in all of them; anything else is unsupported.
"""

import itertools

import torch

from .probe import evaluate, sized_inputs
from .refuse import Unsupported

LARGEST = 8192  # positions of a sample


def literals(graph, target):
    """The integers in the operations that a node is computed from."""
    found, seen, waiting = set(), set(), [target]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        waiting += node.all_input_nodes
        flat = itertools.chain(node.args, node.kwargs.values())
        found |= {abs(int(value)) for value in flat
                  if isinstance(value, (int, float)) and abs(value) < 2**31}
    return found


def lengths(graph, mask, seq):
    """Sizes of `seq` to look at: small ones, and one beyond each number that the
    code names, since a window shows only in a longer sequence."""
    limit = graph.limits.get(seq) or 2**31
    sizes = {min(size, limit) for size in (3, 8, 17)}
    for value in literals(graph, mask):
        if 3 <= value < limit:
            if value + 3 > LARGEST:
                raise Unsupported(f"a mask made with the number {value}, which only "
                                  "longer sequences than are tried here show")
            sizes.add(min(value + 3, limit))
    return sorted(sizes)


def as_bool(mask):
    """What a mask lets through; of numbers, 0 does and -1e4 or less does not."""
    if mask.dtype == torch.bool:
        return mask
    if not ((mask == 0) | (mask <= -1e4)).all():
        raise Unsupported("attention with a bias that is no mask")
    return mask == 0


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


def window(before, after, queries):
    places = torch.arange(queries)[None] - torch.arange(queries)[:, None]
    return ((places >= -(queries if before is None else before))
            & (places <= (queries if after is None else after)))


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


def samples(graph, mask, source, seq):
    """(mask [batch, seq, seq] as bools, what is kept [batch, seq] or None)."""
    batch = [dim for name in graph.dims for dim in graph.dims[name]
             if isinstance(dim, str) and dim != seq]
    for size in lengths(graph, mask, seq):
        few = 2 if size > 64 else 3
        sizes = {dim: few for dim in batch} | {seq: size}
        feed = sized_inputs(graph, sizes)
        rows = feed[source].shape[0] if source is not None else few
        cases = keeps(rows, size) if source is not None else [None]
        for keep in cases:
            if keep is not None:
                feed[source] = keep.to(feed[source].dtype)
            value = as_bool(evaluate(graph, [mask], feed)[0])
            if value.dim() != 4 or value.shape[1] != 1 and not (
                    value == value[:, :1]).all():
                raise Unsupported("a mask that is not the same for all heads")
            value = value[:, 0].expand(rows if keep is not None else value.shape[0],
                                       size, size)
            yield value, None if keep is None else feed[source] != 0


def recognise_mask(graph, mask, reach, seq):
    """(text with {} for the input, [input]) of a mask node [b, h, seq, seq]."""
    sources = list(reach[mask])
    if any(node in graph.parameters for node in sources):
        raise Unsupported("a mask or bias that parameters make")
    if len(sources) > 1:
        names = " and ".join(sorted(f"'{node.name}'" for node in sources))
        raise Unsupported(f"a mask that depends on {names}")
    source = sources[0] if sources else None
    if source is not None and (source.meta["val"].is_floating_point()
                               or graph.dims[source.name][1:] != (seq,)):
        raise Unsupported(f"a mask that depends on '{source.name}', which is no "
                          f"integer or bool [batch, {seq}]")
    seen = list(samples(graph, mask, source, seq))
    # Of the longest sequence, where all is kept, the window shows.
    longest = max(value.shape[-1] for value, _ in seen)
    whole = next(value for value, keep in seen if value.shape[-1] == longest
                 and (keep is None or keep.all()))
    before, after = band(whole[0])
    text = mask_text(before, after)
    for value, keep in seen:
        want = window(before, after, value.shape[-1])[None]
        if keep is not None:
            want = want & keep[:, None, :]
        # Rows that see nothing have no meaning in either.
        rows = want.any(-1, keepdim=True)
        if not ((value == want) | ~rows).all():
            how = f"depends on '{source.name}' in another way than its zeros" \
                if source is not None else "is no causal mask or window"
            raise Unsupported(f"a mask that {how}")
    if source is None:
        return text or "none", []
    is_bool = source.meta["val"].dtype == torch.bool
    padding = "padding({})" if is_bool else "padding(bool({}))"
    return f"{text} * {padding}" if text else padding, [source]
