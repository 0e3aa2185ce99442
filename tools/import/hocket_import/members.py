"""The members of a module, noted while its forward is written: single ones, arrays,
and containers that are not called, which become modules without a forward."""

import dataclasses
import itertools

from torch import nn

from .refuse import Unsupported

CONTAINERS = {"Module", "ModuleDict"}


class Tree:
    """What the graph does not say of the module: classes, and the order of members."""

    def __init__(self, module=None):
        self.module = module

    def child(self, path):
        try:
            return self.module.get_submodule(path)
        except AttributeError:
            return None

    def rank(self, path, name):
        """Where a module has a member: the order of its definition."""
        names = [child for child, _ in getattr(self.child(path), "named_children",
                                               dict.items)()] if self.module else []
        return names.index(name) if name in names else len(names)

    def length(self, path):
        """How many elements an array or a Sequential has."""
        child = self.child(path) if self.module else None
        return len(child) if isinstance(child, (nn.ModuleList, nn.Sequential)) else None

    def kind(self, path):
        """The class of a container, as the text calls it."""
        kind = type(self.child(path)).__name__
        own = path.split(".")[-1].title().replace("_", "")
        return own if kind in CONTAINERS or kind == "NoneType" else kind


@dataclasses.dataclass
class Maker:
    """What makes a member, and the parameters that it needs."""
    text: str
    words: frozenset


def spelled(parts):
    """How a forward names a member: `box.layers[0]`."""
    return parts[0] + "".join(f"[{part}]" if part.isdigit() else f".{part}"
                              for part in parts[1:])


class Members:
    """The members below `path`, as a tree of what makes them."""

    def __init__(self, folder, path):
        self.folder, self.path, self.tree = folder, path, {}

    def relative(self, path):
        """A member's path from here, in parts."""
        parts = (path.removeprefix(self.path + ".") if self.path else path).split(".")
        if parts[0].isdigit():
            container = f"'{self.path}'" if self.path else "the model"
            raise Unsupported(f"a call of {container}, whose members have numbers for "
                              "names: a module around it gives it one")
        return parts

    def note(self, path, text, words):
        """A member's maker; a second one must be the same."""
        *above, own = self.relative(path)
        place = self.tree
        for part in above:
            place = place.setdefault(part, {})
            if isinstance(place, Maker):
                raise Unsupported(f"a member of '{path}' that is called beside it")
        made = place.setdefault(own, Maker(text, frozenset(words)))
        if isinstance(made, dict) or made.text != text:
            raise Unsupported(f"two calls of '{path}' that compute different things")

    def made(self):
        """(name -> maker in the order in which the module has them, their words)."""
        return self.makers(self.tree, self.path)

    def makers(self, tree, path):
        found, words = {}, set()
        for name in sorted(tree, key=lambda name: self.folder.tree.rank(path, name)):
            maker = self.maker(tree[name], f"{path}.{name}".strip("."))
            found[name] = maker.text
            words |= maker.words
        return found, words

    def maker(self, tree, path, inside=False):
        """What makes a member, which may be `inside` an array."""
        if isinstance(tree, Maker):
            return tree
        if all(name.isdigit() for name in tree):
            return self.array(tree, path, inside)
        members, words = self.makers(tree, path)
        return self.folder.container(self.folder.tree.kind(path), members, words)

    def array(self, tree, path, inside):
        """One maker for all elements, two that a condition chooses from, or a list; of
        an array in an array a list."""
        elements = {int(key): self.maker(element, f"{path}.{key}", True)
                    for key, element in tree.items()}
        count = self.folder.tree.length(path) or max(elements) + 1
        texts = [elements[k].text if k in elements else "none" for k in range(count)]
        named = self.folder.names.layers(count)
        chosen = None if inside or named == "1" else choice(texts, named)
        words = {named} - {str(count)} if chosen else set()
        text = f"[{', '.join(texts)}]" if inside else listed(texts)
        return Maker(f"[{chosen} for i in 0..{named}]" if chosen else text,
                     frozenset(words).union(*(maker.words for maker in elements.values())))


def choice(texts, count):
    """How element `i` is made, or None if a list says it better."""
    if len(set(texts)) == 1:
        return texts[0]
    if len(set(texts)) != 2 or len(texts) < 3:
        return None
    for one, when in ((0, "i == 0"), (len(texts) - 1, f"i == {count} - 1")):
        rest = texts[:one] + texts[one + 1:]
        if len(set(rest)) == 1 and rest[0] != texts[one]:
            return f"{texts[one]} if {when} else {rest[0]}"
    for period in range(2, len(texts) // 2 + 1):
        turn = texts[:period]
        if all(text == turn[k % period] for k, text in enumerate(texts)):
            for text, other in itertools.permutations(sorted(set(turn)), 2):
                if turn.count(text) == 1:
                    return f"{text} if i % {period} == {turn.index(text)} else {other}"
    return None


def listed(texts):
    """A list, broken where a line would get long."""
    line = f"[{', '.join(texts)}]"
    if len(line) <= 90:
        return line
    lines, line = [], ""
    for text in texts:
        if line and len(line) + len(text) > 90:
            lines.append(line)
            line = ""
        line += (" " if line else "") + f"{text},"
    return "[\n" + "".join(f"    {line}\n" for line in [*lines, line]) + "  ]"
