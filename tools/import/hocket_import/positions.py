"""The text of what follows from positions alone: angles, masks as numbers, biases by
distance, and rows of tables."""

from .atoms import leaves
from .buckets import Buckets
from .numbers import number, short
from .operations import Text
from .refuse import Unsupported
from .steps import Fill


class Positions:
    """Of a Body: lines that it needs before an expression."""

    def turn(self, node, step):
        """A rotary by frequencies of its own; angles are made once in a forward."""
        dims = self.shapes.dims[node]
        seq, rank = self.dim(dims[step.axis]), len(dims)
        if (seq, step.table) not in self.angles:
            ones = " 1" * (rank - step.axis - 2)
            self.angles[seq, step.table] = name = self.word("angle")
            self.lines += [f"frequencies = constant([{', '.join(map(short, step.table))}])",
                           f'{name} = rearrange(f32(iota({seq})), "{seq} -> {seq}{ones} 1") '
                           f"* frequencies"]
        angle, x = self.angles[seq, step.table], self.use(step.operands[0]).text
        a, b = self.word("a"), self.word("b")
        if step.style == "half":
            self.lines.append(f"{a}, {b} = split({x}, 2, axis = {rank - 1})")
            parts = (f"{a} * cos({angle}) - {b} * sin({angle})",
                     f"{b} * cos({angle}) + {a} * sin({angle})")
            factor = "" if step.factor == 1 else f"{number(step.factor)} * "
            return self.line(node, Text(f"{factor}concat({', '.join(parts)}, "
                                        f"axis = {rank - 1})"))
        raise Unsupported("an interleaved rotary with frequencies of its own")

    def word(self, name):
        """A name for a value of the text's own."""
        return next(word for word in (name, *(f"{name}_{k}" for k in range(2, 99)))
                    if word not in self.avoid and word not in self.holder)

    def table(self, node, step):
        """A causal mask, as numbers to add."""
        seq, ones = self.shapes.dims[node][-1][0].size, "1 " * (len(self.shapes.dims[node]) - 2)
        self.lines += [f'queries = rearrange(iota({seq}), "queries -> {ones}queries 1")',
                       f'keys = rearrange(iota({seq}), "keys -> {ones}1 keys")']
        mask = "where(keys <= queries, 0.0, -1e30)"
        return Text(mask if step.before is None else
                    f"where(keys + {step.before} >= queries, {mask}, -1e30)")

    def alibi(self, node, step):
        """The name of the bias, which takes lines of its own."""
        heads, seq = (self.dim(self.shapes.dims[node][axis]) for axis in (1, 2))
        keys = self.dim(self.shapes.dims[step.operands[1]][2])
        slopes = f"pow(2.0, (f32(iota({heads})) + 1.0) * (-8.0 / {heads}))"
        places = f"iota({keys})"
        if step.alibi == "distance":
            self.lines.append(f'distances = abs(rearrange(iota({keys}), "keys -> 1 keys") '
                              f'- rearrange(iota({seq}), "queries -> queries 1"))')
            slopes, places = f"-{slopes}", "distances"
        self.lines.append(f'slopes = rearrange({slopes}, "{heads} -> {heads} 1 1")')
        return f"slopes * f32({places})"

    def index(self, node, step):
        """Positions, or one number for each id."""
        dims = self.shapes.dims[node][:-1]
        inside = {leaf.name for arg in self.args for dim in self.shapes.dims[arg]
                  for leaf in leaves(dim)} | set(self.names.sizes)
        if isinstance(step.index, Buckets):
            inside |= {leaf.name for dim in dims for leaf in leaves(dim)
                       if leaf.size in inside}
        if not {leaf.name for dim in dims for leaf in leaves(dim)} <= inside:
            raise Unsupported("positions in a module that takes no value with them")
        if isinstance(step.index, Fill):
            for arg, name in self.args.items():
                if [list(map(str, d)) for d in self.names_of(arg)] == \
                        [list(map(str, d)) for d in self.names_in(dims)] and \
                        not arg.meta["val"].is_floating_point():
                    return f"fill({step.index.value}, like = {name})"
            raise Unsupported("an Embedding of one row for all, where no ids have its dims")
        if isinstance(step.index, Buckets):
            lines, rows = step.index.lines(leaves(dims[0])[0].size)
            self.lines += lines
            return rows
        first = f" + {step.index.first}" if step.index.first else ""
        return f"iota({self.dim(dims[0])}){first}"

    def names_of(self, node):
        return self.names_in(self.shapes.dims[node])

    def names_in(self, dims):
        return [[leaf.name for leaf in leaves(dim)] for dim in dims]
