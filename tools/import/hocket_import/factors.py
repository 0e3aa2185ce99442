"""The dims of views: other factors, another order, equal parts."""

from .atoms import Atom, regroup, size_of, unify
from .export import op_name
from .refuse import Unsupported

PERMUTE = {"transpose", "permute", "t", "movedim"}


class Factors:
    """Of a Shapes."""

    def view(self, node, first):
        name = op_name(node)
        if "factors" in node.meta:
            return self.factored(node, first, node.meta["factors"])
        if name == "expand":
            return [[]] * (len(node.meta["val"].shape) - len(first)) + first
        if name not in PERMUTE:
            return regroup(first, self.sizes(node))
        order, rank = list(range(len(first))), len(first)
        if name == "permute":
            order = [axis % rank for axis in node.args[1]]
        elif name == "movedim":
            raise Unsupported("aten.movedim")
        else:
            i, j = (axis % rank for axis in node.args[1:3]) if name != "t" else (0, 1)
            order[i], order[j] = order[j], order[i]
        return [first[axis] for axis in order]

    def factored(self, node, first, steps):
        """The dims after a view that cuts some by a step, whatever factors they had."""
        self.before[node] = [
            [Atom(size_of(dim) // steps[axis], grid=True), Atom(steps[axis])]
            if axis in steps else dim for axis, dim in enumerate(first)]
        return [part for axis, dim in enumerate(self.before[node])
                for part in ([[atom] for atom in dim] if axis in steps else [dim])]

    def split(self, node, step, first):
        if step.drops:
            self.leading[node] = first[step.axis]
            return first[:step.axis] + first[step.axis + 1:]
        lead = [Atom(step.parts)]
        names, total = self.size(step.operands[0].meta["val"].shape[step.axis])
        if names:
            raise Unsupported("a split of a dim that has a name")
        rest = [Atom(total // step.parts)]
        unify(first[step.axis], lead + rest)
        self.leading[node] = lead
        return first[:step.axis] + [rest] + first[step.axis + 1:]
