"""Dims as products of atoms.

An atom is a size that has, or gets, one name. A dim is a list of atoms, the major
first; a dim of 1 is an empty list. Atoms are shared between all values whose dims
must be equal, so that a view, which splits an atom, splits it everywhere: where

    y = linear(x)                [batch] [seq] [a]
    view(y, batch, seq, 4, 12)   [batch] [seq] [b] [c]      a becomes b c

is read, the Linear has the dim (b c) from then on, and its text `(heads, head_dim)`.
"""

from .refuse import Unsupported


class Atom:
    """size: a number, or the name of a dim whose size the user varies.
    free: it follows from other sizes, and its name is one of signatures only.
    grid: it is a part of such a size."""

    def __init__(self, size, name=None, free=False, grid=False):
        self.size, self.parts, self.same = size, None, None
        self.free, self.grid = free, grid
        self.given = name if name is not None else size if isinstance(size, str) else None

    def find(self):
        """The atom that stands for this one and all that are equal."""
        atom = self
        while atom.same is not None:
            atom = atom.same
        return atom

    def leaves(self):
        atom = self.find()
        return leaves(atom.parts) if atom.parts else [atom]

    @property
    def name(self):
        return self.find().given

    @name.setter
    def name(self, name):
        self.find().given = name


def leaves(dim):
    """The atoms of a dim that are not split further."""
    return [leaf for atom in dim for leaf in atom.leaves()]


def size_of(dim):
    """The product of numbers; None where a dim has a name for its size."""
    product = 1
    for atom in leaves(dim):
        if isinstance(atom.size, str):
            return None
        product *= atom.size
    return product


def split(atom, major):
    """Splits a leaf into `major` and what is left."""
    is_grid = atom.free or atom.grid
    atom.parts = [Atom(size, grid=is_grid) for size in (major, atom.size // major)]
    return atom.parts


def divides(a, b):
    return isinstance(a, int) and isinstance(b, int) and b % a == 0


def unify(a, b):
    """Makes two dims equal, atom by atom; splits what has to be split."""
    a, b = leaves(a), leaves(b)
    while a and b:
        x, y = a[0], b[0]
        if x is not y and x.size == y.size:
            y.same = x
            x.free, x.grid = x.free and y.free, x.grid or y.grid
            x.given = x.given or y.given
        if x.size == y.size:
            a.pop(0), b.pop(0)
        elif divides(y.size, x.size):
            a[:1] = split(x, y.size)
        elif divides(x.size, y.size):
            b[:1] = split(y, x.size)
        else:
            raise Unsupported("dims that are equal in size, but of other factors")
    if a or b:
        raise Unsupported("dims of different sizes")


def regroup(shape, sizes):
    """The dims after a view: the atoms of `shape` in their order, cut to `sizes`,
    each (names of dims, number)."""
    flat, groups = [leaf for dim in shape for leaf in leaves(dim)], []
    for names, number in sizes:
        names, group = list(names), []
        while names or number > 1:
            if not flat:
                raise Unsupported("a view of another number of elements")
            atom = flat.pop(0)
            if atom.size in names:
                names.remove(atom.size)
            elif divides(atom.size, number):
                number //= atom.size
            elif number > 1 and divides(number, atom.size):
                atom, rest = split(atom, number)
                flat.insert(0, rest)
                number = 1
            else:
                raise Unsupported("a view across dims that it does not divide")
            group.append(atom)
        groups.append(group)
    if flat:
        raise Unsupported("a view of another number of elements")
    return groups


def broadcast(shapes):
    """The dims of an operation of elements, NumPy's rule."""
    rank, result = max(map(len, shapes)), []
    for place in range(rank):
        dims = [shape[place - rank + len(shape)] for shape in shapes
                if place - rank + len(shape) >= 0]
        wide = [dim for dim in dims if leaves(dim)]
        for dim in wide[1:]:
            unify(wide[0], dim)
        result.append(wide[0] if wide else [])
    return result
