"""From steps to modules of the text: one for each class and text."""

import collections
import dataclasses
import functools
import itertools
import re

from .members import Maker
from .refuse import Unsupported
from .scene import Scene
from .steps import Member
from .write import is_long

BUILT_IN = {"Linear", "Conv1D", "Embedding", "LayerNorm", "RmsNorm", "Dropout",
            "GroupNorm", "Conv1d", "Conv2d", "Conv3d"}


@dataclasses.dataclass
class Written:
    """A module that was written: how it is made, and what its call takes and gives."""
    maker: str       # "GPT2Block(hidden, heads)"
    args: list
    outs: list
    words: set       # the parameters that it needs


@dataclasses.dataclass
class Module:
    name: str
    kind: str        # the class, which others may share
    parameters: list
    lets: list
    members: dict    # name -> what makes it
    signature: str   # None of a module without a forward
    lines: list

    def text(self, keyword, parameters, extra=()):
        head = [f"{keyword} {self.name}({parameters}) {{"]
        head += [f"  {line}" for line in (*extra, *self.lets)]
        for _, run in itertools.groupby(self.members.items(), lambda item: item[0] if
                                        "\n" in item[1] or is_long(*item) else None):
            run = list(run)
            width = max(len(name) for name, _ in run)
            head += [f"  {name.ljust(width)} = {maker}" for name, maker in run]
        if self.signature is None:  # a container, which is not called
            return "\n".join(head + ["}"]) + "\n"
        body = [""] if self.members else []
        body += [f"  forward({self.signature}) {{"]
        body += [f"    {line}" for line in self.lines] + ["  }", "}"]
        return "\n".join(head + body) + "\n"


def fold(names, tree):
    """The modules of a model, which is folded again as long as that makes fewer."""
    known, folder = frozenset(), None
    while True:
        after = Folder(names, tree, known)
        after.write("", None, after.ordered(), 0)
        if folder is not None and len(after.modules) >= len(folder.modules):
            return folder
        folder, known = after, known | after.texts.keys()
        if not names.places or names.recognised.findings:
            return folder


class Folder:
    """Writes modules from the outside in; `modules` has them from the inside out."""

    def __init__(self, names, tree, known=frozenset()):
        """`known`: keys of modules without sizes of images, of an earlier folding."""
        self.names, self.recognised, self.known = names, names.recognised, known
        self.graph, self.tree = names.graph, tree
        self.modules, self.texts = [], {}
        self.made = {step.path: step for step in self.recognised.steps.values()
                     if isinstance(step, Member)}
        self.called = {entry[1] for node in self.recognised.steps
                       for entry in self.scope(node)} | {""}
        self.outside = self.used_outside()

    # What belongs to one call.

    def scope(self, node):
        """The calls around a step; that of a leaf is the step itself."""
        scope = [entry for entry in self.graph.scope(node)
                 if not entry[2].endswith(".Sequential")
                 and entry[:2] not in self.recognised.dissolved]
        step = self.recognised.steps[node]
        if node in self.recognised.leaves:
            scope = scope[:-1]
        elif isinstance(step, Member):  # of a table that lies further out
            while scope and not step.path.startswith(scope[-1][1] + "."):
                scope.pop()
        return scope

    def ordered(self):
        """All steps; those that lie further out than where they are called come as
        soon as what they read is there."""
        nodes = list(self.recognised.steps)
        for node, step in self.recognised.steps.items():
            if isinstance(step, Member) and node not in self.recognised.leaves:
                nodes.remove(node)
                after = [nodes.index(operand) for operand in step.operands
                         if operand in self.recognised.steps]
                nodes.insert(max(after, default=-1) + 1, node)
        return nodes

    def owner(self, path):
        """The innermost module that is called and has this member."""
        while path:
            path = path.rpartition(".")[0]
            if path in self.called:
                return path
        return ""

    def used_outside(self):
        """Module -> what notes its members that only others use."""
        found = {}
        for node, step in self.recognised.steps.items():
            scope = self.scope(node)
            user = scope[-1][1] if scope else ""
            uses = [(self.recognised.parameter(operand)[0], Scene.parameter, operand)
                    for operand in step.operands if operand in self.graph.parameters]
            if isinstance(step, Member):
                uses.append((step.path, Scene.member, step.path))
            for path, note, what in uses:
                owner = self.owner(path)
                if owner != user and owner.startswith(user):
                    found.setdefault(owner, []).append(functools.partial(
                        lambda scene, note, what: note(scene, what), note=note, what=what))
        return found

    def items(self, nodes, depth):
        """(None, [node]) for an own step, (call, its nodes) for a call of a module."""
        items = []
        for node in nodes:
            scope = self.scope(node)[depth:]
            if not scope:
                items.append((None, [node]))
            elif items and items[-1][0] == scope[0]:
                items[-1][1].append(node)
            else:
                items.append((scope[0], [node]))
        return items

    def borders(self, nodes, path):
        """(args, outs) of a set of nodes, which are of the module at `path`."""
        inside = set(nodes)
        args = dict.fromkeys(operand for node in nodes
                             for operand in self.recognised.steps[node].operands
                             if operand not in inside and not self.has(path, operand))
        outs = [node for node in nodes if node in self.graph.outputs or any(
            reader not in inside for reader in self.recognised.readers.get(node, ()))]
        return list(args), self.in_order(outs)

    def has(self, path, node):
        """A parameter of the module at `path`, or of one below it."""
        return node in self.graph.parameters and \
            self.recognised.parameter(node)[0].startswith(path + ".")

    def in_order(self, outs):
        """Several results in the order in which the model returns them."""
        final = [node for node in self.graph.outputs if node in outs]
        return [node for node in outs if node not in final] + final

    def count_uses(self, items, outs):
        uses = collections.Counter(outs)
        for call, nodes in items:
            if call is None:
                uses.update(self.recognised.steps[nodes[0]].reads(nodes[0]))
            else:
                uses.update(self.borders(nodes, call[1])[0])
        return uses

    # One module.

    def write(self, path, kind, nodes, depth):
        """Writes the module at `path` and returns how it is made and called."""
        args, outs = self.borders(nodes, path)
        if depth == 0:
            args, outs = list(self.graph.inputs), list(self.graph.outputs)
        try:
            scene = Scene(self, path, self.items(nodes, depth), args, outs)
            scene.write(depth)
            return self.make(scene, kind)
        except Unsupported as error:
            self.recognised.findings.add(str(error), path, "")
            return Written("unsupported", args, outs, set())

    def make(self, scene, kind):
        """The module of a scene, the one that there is or a new one."""
        body, (members, words) = scene.body, scene.members.made()
        signature = body.signature()
        if kind is None:  # the model
            lets, self.root_words = self.derived(body.words | words)
            self.root = Module(self.graph.title, "", [], lets, members, signature, body.lines)
            return None
        maker, words = self.module(kind.split(".")[-1].split("'")[0], body.words | words,
                                   members, signature, body.lines)
        return Written(maker, scene.args, scene.outs, words)

    def container(self, name, members, words):
        """The maker of a module that only has members."""
        maker, words = self.module(name, words, members, None, [])
        return Maker(maker, frozenset(words))

    def module(self, name, words, members, signature, lines):
        """(maker, its words) of the module with this text, up to names of sizes: the
        one that there is or a new one."""
        lets, words = self.derived(words)
        bound = bound_by(signature, [*members.values(), *lets])
        words -= bound
        parameters = [name for name in self.names.sizes if name in words]
        name = f"{name}Block" if name in BUILT_IN else name
        module = Module(name, name, parameters, lets, members, signature, lines)
        other = self.of_any_size(module)
        if other is not None:
            module, parameters = other, other.parameters
            bound = bound_of(module)
        key, order = canonical(module.text("module", ""), parameters, bound)
        if key not in self.texts:
            used = {other.name for other in self.modules} | {self.graph.title}
            if name in used:
                module.name = next(f"{name}{k}" for k in range(2, 10**4)
                                   if f"{name}{k}" not in used)
            self.texts[key] = module, order
            self.modules.append(module)
        known, names = self.texts[key]
        self.rename_places(known, module)
        given = dict(zip(names, order))  # a size of the known one -> the one here
        args = ", ".join(given[name] for name in known.parameters)
        return f"{known.name}({args})", set(parameters)

    def renamed(self, text):
        """The text with rows for the height of the model's image."""
        return re.sub(r"\b\w+\b", lambda word: self.names.places.get(word[0], word[0]),
                      text)

    def rename_places(self, known, other):
        """A module that a call of other sizes takes as well has rows, not a height."""
        def height_in(module):
            return self.renamed(module.signature or "") != (module.signature or "")

        if known is other or height_in(known) == height_in(other) or \
                any(name in known.parameters for name in self.names.places):
            return
        known.signature = self.renamed(known.signature)
        known.lines = [self.renamed(line) for line in known.lines]

    def of_any_size(self, module):
        """The same module with rows for the height of the model's image, where there
        is one for images of other sizes."""
        places, renamed = self.names.places, self.renamed
        parameters = [name for name in module.parameters if name not in places]
        text = module.text("module", "")
        if module.signature is None or parameters == module.parameters or \
                any(re.search(rf"\b{name}\b", text) for name in places.values()) or \
                any(renamed(maker) != maker for maker in module.members.values()):
            return None
        other = dataclasses.replace(
            module, parameters=parameters, signature=renamed(module.signature),
            lines=[renamed(line) for line in module.lines])
        key, _ = canonical(other.text("module", ""), parameters, bound_of(other))
        return other if key in self.known else None

    def derived(self, words):
        """head_dim is what hidden and heads make, where they do."""
        sizes = self.names.sizes
        if "head_dim" in words and "heads" in words and "hidden" in sizes and \
                sizes["heads"] * sizes["head_dim"] == sizes["hidden"]:
            return ["let head_dim = hidden / heads"], words - {"head_dim"} | {"hidden"}
        return [], words


def bound_by(signature, makers):
    """Names of dims that a call's arguments bind: a parameter is only needed for what
    a member is made with."""
    types = re.findall(r"\[([^\]]*)\]", re.sub(r"\([^)]*\)", "", signature or ""))
    alone = {name.strip() for dims in types for name in dims.split(",")}
    return {name for name in alone if re.fullmatch(r"[A-Za-z]\w*", name)} - \
        set(re.findall(r"\w+", " ".join(makers)))


def bound_of(module):
    return bound_by(module.signature, [*module.members.values(), *module.lets])


def canonical(text, parameters, bound):
    """(a text with numbers for the names of sizes, those of parameters in order)."""
    order = {}
    names = [*parameters, *bound]

    def numbered(match):
        return f"<{order.setdefault(match[0], len(order))}>"

    if names:
        text = re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", numbered, text)
    return text, [name for name in dict.fromkeys([*order, *parameters])
                  if name in parameters]
