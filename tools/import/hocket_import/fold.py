"""From steps to modules of the text: one for each class and text, arrays of equal
ones, and loops over arrays that are called one after the other."""

import collections
import dataclasses
import re

from .body import Body, Text
from .refuse import Unsupported
from .steps import Member

BUILT_IN = {"Linear", "Conv1D", "Embedding", "LayerNorm", "RmsNorm", "Dropout",
            "GroupNorm", "Conv1d", "Conv2d", "Conv3d"}
LOOP_NAMES = {"layers": "layer", "layer": "l", "blocks": "block", "h": "block"}


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
    parameters: list
    lets: list
    members: dict    # name -> what makes it
    signature: str
    lines: list

    def text(self, keyword, parameters, extra=()):
        width = max(map(len, self.members), default=0)
        head = [f"{keyword} {self.name}({parameters}) {{"]
        head += [f"  {line}" for line in (*extra, *self.lets)]
        head += [f"  {name.ljust(width)} = {maker}" for name, maker in self.members.items()]
        body = [""] if self.members else []
        body += [f"  forward({self.signature}) {{"]
        body += [f"    {line}" for line in self.lines] + ["  }", "}"]
        return "\n".join(head + body) + "\n"


class Folder:
    """Writes modules from the outside in; `modules` has them from the inside out."""

    def __init__(self, names, order):
        self.names, self.recognised = names, names.recognised
        self.graph, self.order = names.graph, order
        self.modules, self.texts = [], {}

    # What belongs to one call.

    def scope(self, node):
        """The calls around a step; that of a leaf is the step itself."""
        scope = [entry for entry in self.graph.scope(node)
                 if not entry[2].endswith(".Sequential")]
        return scope[:-1] if node in self.recognised.leaves else scope

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

    def is_sequential(self, path):
        return any(entry[1] == path and entry[2].endswith(".Sequential")
                   for node in self.recognised.steps for entry in self.graph.scope(node))

    def borders(self, nodes):
        """(args, outs) of a set of nodes."""
        inside = set(nodes)
        args = dict.fromkeys(operand for node in nodes
                             for operand in self.recognised.steps[node].operands
                             if operand not in inside)
        outs = [node for node in nodes if node in self.graph.outputs or any(
            reader not in inside for reader in self.recognised.readers.get(node, ()))]
        return list(args), self.in_order(outs)

    def in_order(self, outs):
        """Several results in the order in which the model returns them."""
        final = [node for node in self.graph.outputs if node in outs]
        return [node for node in outs if node not in final] + final

    def count_uses(self, items, outs):
        uses = collections.Counter(outs)
        for call, nodes in items:
            if call is None:
                uses.update(self.recognised.steps[nodes[0]].operands)
            else:
                uses.update(self.borders(nodes)[0])
        return uses

    # One module.

    def write(self, path, kind, nodes, depth):
        """Writes the module at `path` and returns how it is made and called."""
        args, outs = self.borders(nodes)
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
        body, members = scene.body, scene.members()
        signature = body.signature()
        words = body.words | scene.words
        lets, words = self.derived(words)
        if kind is None:  # the model
            self.root = Module(self.graph.title, [], lets, members, signature, body.lines)
            self.root_words = words
            return None
        parameters = [name for name in self.names.sizes if name in words]
        name = kind.split(".")[-1].split("'")[0]
        name = f"{name}Block" if name in BUILT_IN else name
        module = Module(name, parameters, lets, members, signature, body.lines)
        key = module.text("module", ", ".join(parameters))
        if key not in self.texts:
            used = {other.name for other in self.modules} | {self.graph.title}
            if name in used:
                module.name = next(f"{name}{k}" for k in range(2, 10**4)
                                   if f"{name}{k}" not in used)
            self.texts[key] = module
            self.modules.append(module)
        module = self.texts[key]
        return Written(f"{module.name}({', '.join(module.parameters)})", scene.args,
                       scene.outs, set(parameters))

    def derived(self, words):
        """head_dim is what hidden and heads make, where they do."""
        sizes = self.names.sizes
        if "head_dim" in words and "heads" in words and "hidden" in sizes and \
                sizes["heads"] * sizes["head_dim"] == sizes["hidden"]:
            return ["let head_dim = hidden / heads"], words - {"head_dim"} | {"hidden"}
        return [], words


class Scene:
    """One module while it is written: its members and its forward."""

    def __init__(self, folder, path, items, args, outs):
        self.folder, self.names = folder, folder.names
        self.path, self.items, self.args, self.outs = path, items, args, outs
        self.words, self.singles, self.arrays = set(), {}, {}
        taken = {self.relative(entry)[0] for entry in self.member_paths()}
        avoid = taken | set(self.names.sizes) | self.names.taken
        self.body = Body(self.names, args, outs, folder.count_uses(items, outs), avoid)
        self.body.own = {nodes[0] for call, nodes in items if call is None}

    def member_paths(self):
        for call, nodes in self.items:
            step = self.folder.recognised.steps[nodes[0]]
            if call is not None:
                yield call[1]
            elif isinstance(step, Member):
                yield step.path

    def relative(self, path):
        """A member's path from here: [name] or [array, index]."""
        inner = path.removeprefix(self.path + ".") if self.path else path
        parts = inner.split(".")
        if len(parts) > 2 or len(parts) == 2 and not parts[1].isdigit() or \
                parts[0].isdigit():
            raise Unsupported(f"a member below a container that is not called ({inner})")
        return parts

    def write(self, depth):
        index = 0
        while index < len(self.items):
            call, nodes = self.items[index]
            if call is None:
                self.guard(nodes[0], lambda: self.body.write(
                    nodes[0], self.folder.recognised.steps[nodes[0]], self.member))
                index += 1
            else:
                index += self.calls(index, depth)
        self.body.finish()

    def guard(self, node, action):
        """What cannot be written is a finding, and its value a name all the same."""
        try:
            action()
        except Unsupported as error:
            self.folder.recognised.refuse(node, str(error))
            self.body.env[node] = Text("unsupported")

    # Members.

    def member(self, path):
        """How the forward names a member; notes what makes it."""
        step = next((step for step in self.folder.recognised.steps.values()
                     if isinstance(step, Member) and step.path == path), None)
        if self.path and not path.startswith(self.path + "."):
            raise Unsupported(f"a weight of '{path}', which lies outside of the module")
        parts = path.removeprefix(self.path + ".").split(".") if self.path \
            else path.split(".")
        own = step is not None and any(
            node in self.body.own for node in self.nodes_of(path))
        if not own:
            return ".".join(parts)
        dims = self.names.shapes.members.get(path, [])
        words = [self.body.dim(dim) for dim in dims]
        self.note(path, f"{step.kind}({', '.join(words)}{step.options})", set())
        name = self.relative(path)
        return name[0] if len(name) == 1 else f"{name[0]}[{name[1]}]"

    def nodes_of(self, path):
        return [node for node, step in self.folder.recognised.steps.items()
                if isinstance(step, Member) and step.path == path]

    def note(self, path, maker, words):
        """A member's maker; a second one must be the same."""
        self.words |= words
        name = self.relative(path)
        place = self.singles if len(name) == 1 else self.arrays.setdefault(name[0], {})
        key = name[0] if len(name) == 1 else int(name[1])
        if place.setdefault(key, maker) != maker:
            raise Unsupported(f"two calls of '{path}' that compute different things")

    def members(self):
        """name -> maker, in the order in which the module has them."""
        found = dict(self.singles)
        for name, elements in self.arrays.items():
            makers = set(elements.values())
            if self.folder.is_sequential(f"{self.path}.{name}".strip(".")) and \
                    len(makers) != 1:
                raise Unsupported(f"a Sequential of different modules ('{name}')")
            if sorted(elements) != list(range(len(elements))):
                raise Unsupported(f"an array of which not all is called ('{name}')")
            if len(makers) != 1:
                kinds = ", ".join(sorted(maker.split("(")[0] for maker in makers))
                raise Unsupported(f"an array of different modules ('{name}': {kinds})")
            count = self.names.layers(len(elements))
            self.words |= {count} - {str(len(elements))}
            found[name] = f"[{makers.pop()} for i in 0..{count}]"
        return dict(sorted(found.items(), key=lambda item: self.folder.order(
            self.path, item[0])))

    # Calls of modules.

    def calls(self, start, depth):
        """Writes the call at `start`, or a loop over an array; how many items."""
        run = self.run_of(start)
        written = [self.folder.write(call[1], call[2], nodes, depth + 1)
                   for call, nodes in run]
        for (call, nodes), kid in zip(run, written):
            self.guard(nodes[-1], lambda: self.note(call[1], kid.maker, kid.words))
        place = self.chain(run, written)
        if place is not None:
            self.loop(run, written, place)
        else:
            for (call, nodes), kid in zip(run, written):
                self.guard(nodes[-1], lambda: self.call(call[1], kid))
        return len(run)

    def run_of(self, start):
        """The calls of the elements 0, 1, ... of an array from an item on."""
        run = [self.items[start]]
        name = self.relative(run[0][0][1])
        if len(name) == 1 or name[1] != "0":
            return run
        for call, nodes in self.items[start + 1:]:
            if call is None or self.relative(call[1]) != [name[0], str(len(run))]:
                break
            run.append((call, nodes))
        return run

    def chain(self, run, written):
        """Which argument each call has from the one before, if it is a loop over
        the whole array."""
        first, name = written[0], self.relative(run[0][0][1])
        elements = {path for path in self.member_paths()
                    if self.relative(path)[0] == name[0]}
        if len(name) == 1 or len(elements) != len(run) or \
                len({kid.maker for kid in written}) != 1 or \
                any(len(kid.outs) != 1 for kid in written):
            return None
        shapes = self.body.dims_of
        for place, arg in enumerate(first.args):
            if shapes(arg) == shapes(first.outs[0]) and all(
                    after.args[place] is before.outs[0]
                    and after.args[:place] == first.args[:place]
                    and after.args[place + 1:] == first.args[place + 1:]
                    and self.body.uses[before.outs[0]] == 1
                    for before, after in zip(written, written[1:])):
                return place
        return None

    def loop(self, run, written, place):
        body, first = self.body, written[0]
        array = self.relative(run[0][0][1])[0]
        carried = body.use(first.args[place])
        others = [body.use(arg).text for k, arg in enumerate(first.args) if k != place]
        for kid in written[1:]:
            body.uses.subtract(kid.args)
        last = written[-1].outs[0]
        name = carried.text if re.fullmatch(r"\w+", carried.text) and \
            body.uses[first.args[place]] <= 0 else body.free(last)
        if carried.text != name:
            body.lines.append(f"{name} = {carried.text}")
        element = next(word for word in (LOOP_NAMES.get(array), "m", "element")
                       if word and word not in body.avoid and word not in body.holder)
        words = others[:place] + [name] + others[place:]
        body.lines.append(f"for {element} in {array} {{ {name} = "
                          f"{element}({', '.join(words)}) }}")
        body.hold(last, name)

    def call(self, path, kid):
        """One call; several results get a name each."""
        name = self.relative(path)
        text = name[0] if len(name) == 1 else f"{name[0]}[{name[1]}]"
        text = f"{text}({', '.join(self.body.use(arg).text for arg in kid.args)})"
        if len(kid.outs) == 1:
            return self.body.bind(kid.outs[0], Text(text))
        names = []
        for out in kid.outs:
            names.append(self.body.free(out))
            self.body.hold(out, names[-1])
        return self.body.lines.append(f"{', '.join(names)} = {text}")


def rank_of_members(module):
    """(path, name) -> where a module has a member: the order of its definition."""
    def order(path, name):
        try:
            owner = module.get_submodule(path)
        except AttributeError:
            return 0
        known = [child for child, _ in owner.named_children()]
        return known.index(name) if name in known else len(known)
    return order
