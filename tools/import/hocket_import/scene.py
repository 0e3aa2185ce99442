"""One module while it is written: calls of its members, loops over arrays that are
called one after the other, and its own steps between."""

import re

from .body import Body, Text
from .members import Members, spelled
from .refuse import Unsupported
from .steps import Member

LOOP_NAMES = {"layers": "layer", "layer": "l", "blocks": "block", "h": "block",
              "stages": "stage", "up_blocks": "block", "down_blocks": "block",
              "resnets": "resnet"}


class Scene:
    """One module while it is written: its members and its forward."""

    def __init__(self, folder, path, items, args, outs):
        self.folder, self.names = folder, folder.names
        self.path, self.items, self.args, self.outs = path, items, args, outs
        self.members = Members(folder, path)
        self.relative = self.members.relative
        taken = {self.relative(entry)[0] for entry in self.member_paths()}
        avoid = taken | set(self.names.sizes) | self.names.taken
        self.body = Body(self.names, args, outs, folder.count_uses(items, outs), avoid)
        self.body.parameter = self.parameter
        self.body.own = {nodes[0] for call, nodes in items if call is None}

    def member_paths(self):
        for call, nodes in self.items:
            step = self.folder.recognised.steps[nodes[0]]
            if call is not None:
                yield call[1]
            elif isinstance(step, Member):
                yield step.path

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
        for use in self.folder.outside.get(self.path, ()):
            use(self)
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
        if self.path and not path.startswith(self.path + "."):
            raise Unsupported(f"a weight of '{path}', which lies outside of the module")
        step = self.folder.made.get(path)
        if step is not None and self.folder.owner(path) == self.path:
            dims = self.names.shapes.members.get(path, [])
            words = [self.body.dim(dim) for dim in dims]
            maker = f"{step.kind}({step.lead}{', '.join(words)}{step.options})"
            self.members.note(path, maker.format(*words), self.body.parameters(dims))
        return spelled(self.relative(path))

    def parameter(self, node):
        """How the forward names a parameter; notes one that is of no built-in module."""
        path, known = self.folder.recognised.parameter(node)
        if self.path and not path.startswith(self.path + "."):
            raise Unsupported(f"'{path}', which lies outside of the module")
        if known:
            self.member(self.folder.recognised.owners[node])
        elif self.folder.owner(path) == self.path:
            dims = self.names.shapes.dims[node]
            words = ", ".join(self.body.dim(dim) for dim in dims)
            kind = "Buffer" if node in self.folder.graph.buffers else "Parameter"
            self.members.note(path, f"{kind}(f32[{words}])",
                              self.body.parameters(dims))
        return spelled(self.relative(path))

    # Calls of modules.

    def calls(self, start, depth):
        """Writes the calls from `start` on, loops where elements of an array are called
        one after the other; how many items."""
        run = self.run_of(start)
        written = [self.folder.write(call[1], call[2], nodes, depth + 1)
                   for call, nodes in run]
        for (call, nodes), kid in zip(run, written):
            self.guard(nodes[-1], lambda: self.members.note(
                call[1], kid.maker, kid.words))
        done = 0
        while done < len(run):
            done += self.segment(run[done:], written[done:])
        return len(run)

    def segment(self, run, written):
        """A loop over as many calls as it can have, else one call."""
        for count in range(len(run), 0, -1):
            place = self.chain(run[:count], written[:count])
            if place is not None:
                self.loop(run[:count], written[:count], place)
                return count
        (call, nodes), kid = run[0], written[0]
        self.guard(nodes[-1], lambda: self.call(call[1], kid))
        return 1

    def run_of(self, start):
        """The calls of elements of an array that follow each other."""
        run = [self.items[start]]
        *above, own = self.relative(run[0][0][1])
        if not own.isdigit():
            return run
        for call, nodes in self.items[start + 1:]:
            if call is None or self.relative(call[1]) != above + [str(int(own) + len(run))]:
                break
            run.append((call, nodes))
        return run

    def chain(self, run, written):
        """Which argument each call has from the one before, if a loop can say so: of
        the whole array, or of a part of at least two."""
        first, (*above, own) = written[0], self.relative(run[0][0][1])
        if not own.isdigit() or any(len(kid.outs) != 1 for kid in written) or \
                not self.is_whole(run, above) and len(run) < 2 or \
                len({len(kid.args) for kid in written}) != 1:
            return None
        shapes = self.body.dims_of
        for place, arg in enumerate(first.args):
            if arg not in self.names.shapes.dims:
                continue
            if (len(run) > 1 or shapes(arg) == shapes(first.outs[0])) and all(
                    after.args[place] is before.outs[0]
                    and after.args[:place] == first.args[:place]
                    and after.args[place + 1:] == first.args[place + 1:]
                    and self.body.uses[before.outs[0]] == 1
                    for before, after in zip(written, written[1:])):
                return place
        return None

    def is_whole(self, run, above):
        """The run is all of an array, each element once."""
        count = self.folder.tree.length(".".join([self.path, *above]).strip("."))
        elements = [call[1] for call, _ in self.items
                    if call is not None and self.relative(call[1])[:-1] == above]
        return len(elements) == len(run) == (count or len(run)) and \
            self.relative(run[0][0][1])[-1] == "0"

    def loop(self, run, written, place):
        body, first = self.body, written[0]
        array = self.relative(run[0][0][1])[:-1]
        carried = body.use(first.args[place])
        others = [body.use(arg).text for k, arg in enumerate(first.args) if k != place]
        for kid in written[1:]:
            body.uses.subtract(kid.args)
        last = written[-1].outs[0]
        name = carried.text if re.fullmatch(r"\w+", carried.text) and \
            body.uses[first.args[place]] <= 0 else body.free(last)
        if carried.text != name:
            body.lines.append(f"{name} = {carried.text}")
        element = next(word for word in (LOOP_NAMES.get(array[-1]), "m", "element")
                       if word and word not in body.avoid and word not in body.holder)
        words = ", ".join(others[:place] + [name] + others[place:])
        if self.is_whole(run, array):
            body.lines.append(f"for {element} in {spelled(array)} {{ {name} = "
                              f"{element}({words}) }}")
        else:
            begin = int(self.relative(run[0][0][1])[-1])
            body.lines.append(f"for i in {begin}..{self.end(array, begin + len(run))} "
                              f"{{ {name} = {spelled(array)}[i]({words}) }}")
        body.hold(last, name)

    def end(self, array, end):
        """The end of a range: the name of the array's length, where it is that."""
        if self.folder.tree.length(".".join([self.path, *array]).strip(".")) != end:
            return str(end)
        named = self.names.layers(end)
        self.body.words |= {named} - {str(end)}
        return named

    def call(self, path, kid):
        """One call; several results get a name each."""
        args = ", ".join(self.body.use(arg).text for arg in kid.args)
        text = f"{spelled(self.relative(path))}({args})"
        if len(kid.outs) == 1:
            return self.body.bind(kid.outs[0], Text(text))
        names = []
        for out in kid.outs:
            names.append(self.body.free(out))
            self.body.hold(out, names[-1])
        return self.body.lines.append(f"{', '.join(names)} = {text}")
