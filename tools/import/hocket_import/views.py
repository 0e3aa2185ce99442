"""Of a Body: dims that only values have, views of one shape as another, and splits."""

import collections

from .atoms import leaves
from .export import op_name
from .factors import PERMUTE
from .operations import Text
from .refuse import Unsupported
from .steps import Split, View

PLACES = ("places", "others")  # what dims of several atoms are called


def part(name, size, result):
    """How one size follows from another."""
    if size % result == 0:
        return f"{name} / {size // result}"
    return f"{name} * {result // size}" if result % size == 0 else str(result)


class Views:
    """places        name -> the size that it has in this module
    place_names   an atom of which an argument has the size -> its name here
    """

    def name_places(self, dims):
        """Names of dims whose sizes follow from others: one has one size here."""
        for leaf in (leaf for dim in dims for leaf in leaves(dim) if leaf.free):
            names = (leaf.name, *(f"{leaf.name}_{k}" for k in range(2, 99)))
            self.place_names[leaf] = self.place_names.get(leaf) or next(
                name for name in names if self.places.get(name, leaf.size) == leaf.size)
            self.places[self.place_names[leaf]] = leaf.size

    def spelled(self, leaf):
        return self.place_names.get(leaf, leaf.name)

    def other(self, leaf):
        """The atom has a name that is here that of another size."""
        return leaf.free and leaf not in self.place_names and \
            self.places.get(leaf.name, leaf.size) != leaf.size

    def kept(self, before, after):
        """Dims of several atoms that a view keeps, and whose names are not known here:
        each is one word. Those that it takes apart get other names."""
        groups, found = [leaves(dim) for dim in after], []
        for group in map(leaves, before):
            if len(group) > 1 and any(map(self.other, group)):
                if group in groups:
                    found.append(group)
                else:
                    self.define(group)
        return found

    def define(self, group):
        """Names for places of other sizes than those that have them here; the size of
        the last one is left to division."""
        for leaf in filter(self.other, group):
            known = self.places[leaf.name]
            base, self.place_names[leaf] = leaf.name, None
            self.name_places([[leaf]])
            if leaf is not group[-1]:
                self.lines.append(f"let {self.spelled(leaf)} = {part(base, known, leaf.size)}")

    def twins(self, dims):
        """leaf -> the words of its dims, of those that have a name twice; of a dim that
        stands twice itself in the order of its places."""
        found, names = {}, collections.Counter()
        for leaf in (leaf for dim in dims for leaf in leaves(dim)):
            name = self.spelled(leaf)
            names[name] += 1
            found.setdefault(leaf, []).append(
                name if names[name] == 1 else f"{name}_{names[name]}")
        return {leaf: words for leaf, words in found.items()
                if words != [self.spelled(leaf)]}

    def pattern(self, dims, kept=(), twins=None):
        """One side of a rearrange: "batch seq (heads head_dim)"."""
        words, flat, twins = [], [], {
            leaf: list(names) for leaf, names in (twins or {}).items()}
        for dim in dims:
            if leaves(dim) in kept:
                words.append(PLACES[kept.index(leaves(dim))])
                continue
            names = [twins[leaf].pop(0) if twins.get(leaf) else self.spelled(leaf)
                     for leaf in leaves(dim)]
            flat += names
            self.words |= {leaf.name for leaf in leaves(dim)} - self.names.counted
            words.append("1" if not names else names[0] if len(names) == 1
                         else f"({' '.join(names)})")
        if len(set(flat)) != len(flat):
            raise Unsupported("a view of a value with two dims of one name")
        return " ".join(words)

    def goes_on(self, node):
        """The one view that reads a value, if nothing else does and it is here."""
        users = self.recognised.readers.get(node, ())
        if len(users) == 1 and node not in self.outs and users[0] in self.own and \
                users[0] not in self.shapes.before and \
                isinstance(self.recognised.steps[users[0]], View):
            return users[0]
        return None

    def is_split(self, node):
        """All that reads a value is a split here, which writes the views before it."""
        users = self.recognised.readers.get(node, ())
        return len(users) == 1 and node not in self.outs and users[0] in self.own and \
            isinstance(self.recognised.steps[users[0]], Split)

    def root(self, node):
        """(what a chain of views begins with, its dims)."""
        while isinstance(self.recognised.steps.get(node), View) and \
                node in self.own and node not in self.env:
            first, = self.recognised.steps[node].operands[:1]
            if node in self.shapes.before:
                return first, self.shapes.before[node]
            node = first
        return node, self.shapes.dims[node]

    @staticmethod
    def is_permuted(root, node):
        """Whether a view of the chain from `root` to `node` changes the order of dims."""
        while node is not root:
            if op_name(node) in PERMUTE:
                return True
            node = node.args[0]
        return False

    def view(self, node):
        if node in self.env or self.goes_on(node):
            return
        (root, before), after = self.root(node), self.shapes.dims[node]
        if self.is_split(node) and not self.twins(before) and not any(
                map(self.other, (leaf for dim in before for leaf in leaves(dim)))):
            return
        kept, twins = self.kept(before, after), self.twins(before)
        if any(len(words) > 1 for words in twins.values()) and self.is_permuted(root, node):
            raise Unsupported("a view of a value with two dims of one name")
        left, right = (self.pattern(dims, kept, twins) for dims in (before, after))
        text = self.use(root)
        if left != right:
            text = Text(f'rearrange({text.text}, "{left} -> {right}")')
        self.bind(node, text)

    def split(self, node, step):
        """Equal parts, with the views that follow, in one line."""
        parts = sorted(self.recognised.readers[node],
                       key=lambda part: self.recognised.steps[part].index)
        (root, before), lead = self.root(step.operands[0]), self.shapes.leading[node]
        ends = [self.chain_end(part) for part in parts]
        forms = {self.pattern(self.shapes.dims[end]) for end in ends}
        if len(forms) != 1:
            ends = parts
            forms = {self.pattern(self.shapes.dims[parts[0]])}
        left = self.pattern(before)
        word = leaves(lead)[0].name
        text = self.use(root).text
        indices = [self.recognised.steps[part].index for part in parts]
        if len(set(indices)) != len(indices):
            raise Unsupported("a part of a split that is taken twice")
        names = ["unused" if k == 0 else f"unused_{k + 1}" for k in range(step.parts)]
        for part, end in zip(parts, ends):
            name = self.free(end)
            self.hold(end, name)
            names[self.recognised.steps[part].index] = name
            self.uses[end] = max(self.uses[end], 1)
        self.lines.append(f"{', '.join(names)} = rearrange({text}, "
                          f'"{left} -> {word} {forms.pop()}")')

    def chain_end(self, node):
        while (after := self.goes_on(node)) is not None:
            node = after
        return node
