"""Gives every atom a name: the user's for dims of inputs, then those of roles
(heads of an attention, rows of a table), then the config's, then a member's."""

import collections
import itertools
import re

from .atoms import leaves
from .buckets import Buckets
from .images import CONVOLUTIONS
from .steps import Attention, Count, Fill, Iota, Member, Rotary, View

# What a config calls a size -> what the text does; the first that fits.
CONFIG = [("hidden", ("hidden_size", "n_embd", "d_model", "dim")),
          ("inner", ("intermediate_size", "n_inner", "ffn_dim", "hidden_dim",
                     "encoder_ffn_dim", "decoder_ffn_dim")),
          ("embedding", ("embedding_size",)),
          ("vocab", ("vocab_size",)),
          ("positions", ("max_position_embeddings", "n_positions")),
          ("types", ("type_vocab_size",)),
          ("labels", ("num_labels",))]
IMAGES = {3: ("length",), 4: ("height", "width"), 5: ("depth", "height", "width")}
WIDTHS = ("hidden_sizes", "block_out_channels")
PLACES = {1: ("places",), 2: ("rows", "columns"), 3: ("planes", "rows", "columns"),
          4: ("rows", "row", "columns", "column")}
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")


def own_name(path):
    """A member's name; of an element of an array, the array's."""
    return next((part for part in reversed(path.split(".")) if not part.isdigit()), path)


def numbered(name, count=8):
    """inner, inner_2, ...: of stages that have other sizes."""
    return name, *(f"{name}_{k}" for k in range(2, count + 1))


class Names:
    """sizes   name -> number, of the model's parameters, in the order of naming
    counted  names of sizes that the text writes out: `(qkv = 3, heads)`
    roles    node -> the name that a value has in a forward: q, k, v, o
    places   height -> rows: what a size of an image is where it is any size
    """

    def __init__(self, graph, recognised, shapes, config):
        self.graph, self.recognised, self.shapes = graph, recognised, shapes
        self.config = config
        self.sizes, self.counted, self.roles, self.places = {}, set(), {}, {}
        self.taken = {dim for dims in graph.dims.values() for dim in dims
                      if isinstance(dim, str)} | self.members_called()
        self.name_images()
        self.name_tables()
        self.name_norms()
        self.name_attentions()
        self.name_splits()
        for node, step in self.steps(Count):
            if step.real:
                self.give(self.shapes.dims[node][0], *numbered("frequencies"))
        self.name_products()
        self.name_parameters()
        self.name_places()
        self.name_grids()
        self.name_rest()

    def name_images(self):
        """Of an input that is an image: channels, height, width; of sounds: mel,
        frames."""
        for node in self.graph.inputs:
            dims = self.shapes.dims[node]
            if not node.meta["val"].is_floating_point() or len(dims) not in IMAGES:
                continue
            if isinstance(self.graph.dims[node.name][1], str):  # no channels: a sequence
                self.give(dims[-1], "features")
                continue
            sound = node.meta["val"].shape[1] == getattr(self.config, "num_mel_bins", None)
            self.give(dims[1], "mel" if sound else "channels")
            names = ("frames",) if sound else IMAGES[len(dims)]
            for dim, name, place in zip(dims[2:], names, PLACES[len(dims) - 2]):
                if self.give(dim, name):
                    self.places[name] = place

    def members_called(self):
        """The names of members: a parameter of theirs would hide them."""
        paths = [entry[1] for node in self.recognised.steps
                 for entry in self.graph.scope(node)]
        return {word for path in paths for word in path.split(".")}

    def of_config(self, size):
        """The config's names of a size."""
        return [name for name, keys in CONFIG
                if any(getattr(self.config, key, None) == size for key in keys)]

    def staged(self):
        """The config has a width for each stage."""
        return any(isinstance(getattr(self.config, key, None), (list, tuple))
                   for key in WIDTHS)

    def give(self, dim, *names):
        """Names a dim of one atom without a name; the first name that is free, or
        that is of this size already. True if it got one."""
        atoms = leaves(dim)
        if len(atoms) != 1 or atoms[0].name:
            return False
        for name in names:
            if name not in self.taken and self.sizes.get(name, atoms[0].size) == \
                    atoms[0].size:
                self.sizes[name] = atoms[0].size
                atoms[0].name = name
                return True
        return False

    def steps(self, kind):
        return [(node, step) for node, step in self.recognised.steps.items()
                if isinstance(step, kind) and node in self.shapes.dims]

    def members(self, *kinds):
        """(member's own name, its dims) of each member of these kinds, once."""
        found = {}
        for _, step in self.steps(Member):
            if step.kind in kinds:
                found.setdefault(step.path, step)
        return [(step, self.shapes.members[path]) for path, step in found.items()]

    def name_tables(self):
        for step, (rows, out) in self.members("Embedding"):
            source = step.operands[0].name if step.operands else ""
            own = own_name(step.path)
            role = "positions" if isinstance(step.index, Iota) or "position" in source + own \
                else "types" if isinstance(step.index, Fill) or "type" in source \
                else "vocab"
            if isinstance(step.index, Buckets):
                self.give(out, "heads")
                self.give(rows, "buckets")
            size = leaves(out)[0].size if leaves(out) else 1
            known = [name for name in self.of_config(size)
                     if name in ("hidden", "embedding")]
            self.give(out, *known, "hidden", f"{own}_out")
            self.give(rows, role, f"{own}_rows")

    def name_norms(self):
        for step, (dim,) in self.members("LayerNorm", "RmsNorm"):
            atoms = leaves(dim)
            if len(atoms) == 1 and "hidden" in self.of_config(atoms[0].size):
                self.give(dim, "hidden")

    def name_attentions(self):
        for node, step in self.steps(Attention):
            q, k, v = (self.shapes.dims[operand] for operand in step.operands[:3])
            alike = leaves(q[1]) == leaves(k[1])
            self.give(q[1], *(numbered("heads") if alike else ("heads", "query_heads")))
            self.give(k[1], "kv_heads")
            self.give(q[2], "tokens")
            alike = leaves(q[3]) == leaves(v[3])
            self.give(q[3], *(numbered("head_dim") if alike else ("head_dim", "key_dim")))
            self.give(v[3], "value_dim")
            for role, operand in zip("qkv", step.operands):
                self.roles[operand] = role
            self.roles[node] = "o"

    def name_splits(self):
        for node, lead in self.shapes.leading.items():
            ends = {self.roles.get(self.end_of(part))
                    for part in self.recognised.readers[node]}
            name = "qkv" if ends == {"q", "k", "v"} else "parts"
            if self.give(lead, name, *(f"{name}_{k}" for k in range(2, 9))):
                self.counted.add(leaves(lead)[0].name)

    def end_of(self, node):
        """What views and rotary make of a part in the end."""
        readers = self.recognised.readers
        while node not in self.roles and len(readers.get(node, ())) == 1:
            node = readers[node][0]
            if not isinstance(self.recognised.steps.get(node), (View, Rotary)):
                break
        return node

    def name_products(self):
        linears = self.members("Linear", "Conv1D", *CONVOLUTIONS.values())
        read = {id(leaf) for _, (source, _) in linears for leaf in leaves(source)}
        for step, (_, out) in linears:
            own = own_name(step.path)
            atoms = leaves(out)
            if len(atoms) == 2 and atoms[0].name in self.counted:  # several at once
                out, atoms = [atoms[1]], atoms[1:]
            if len(atoms) != 1 or atoms[0].name:
                continue
            if step.kind in CONVOLUTIONS.values() and \
                    "hidden" not in self.of_config(atoms[0].size):
                self.give_channels(out)
                continue
            known = self.of_config(atoms[0].size)
            if id(atoms[0]) in read and not (
                    known == ["hidden"] and step.kind in CONVOLUTIONS.values()):
                self.give(out, *numbered("inner", 8 if self.staged() else 1), *known,
                          f"{own}_out")
            else:
                self.give(out, *[name for name in known if name != "inner"],
                          f"{own}_out")
        for step, (source, _) in linears:
            if step.kind in CONVOLUTIONS.values():
                self.give_channels(source)
            self.give(source, f"{own_name(step.path)}_in")
        for step, (dim,) in self.members("LayerNorm", "RmsNorm", "GroupNorm"):
            self.give(dim, f"{own_name(step.path)}_dim")

    def give_channels(self, dim):
        """Names those of an image inside a model: c1, c2, ... in their order, as many
        channels alike."""
        self.give(dim, *(f"c{k}" for k in range(1, 99)))

    def name_parameters(self):
        for node in self.graph.parameters:
            own = own_name(self.graph.parameters[node])
            used = set()
            for dim in reversed(self.shapes.dims.get(node, ())):
                size = leaves(dim)[0].size if leaves(dim) else 1
                known = [name for name in self.of_config(size) if name not in used]
                self.give(dim, *known, f"{own}_size", f"{own}_size_2")
                used |= {leaf.name for leaf in leaves(dim)}

    def name_places(self):
        """Dims whose sizes follow from others have names that many may have."""
        for dims in self.shapes.dims.values():
            free = [leaf for dim in dims for leaf in leaves(dim) if leaf.free]
            for leaf, name in zip(free, PLACES.get(len(free), ())):
                leaf.name = leaf.name or name

    def name_grids(self):
        """Windows of an image, the places in each, and neighbours that are merged."""
        for dims in self.shapes.before.values():
            pairs = [dim for dim in dims if len(dim) == 2]
            for dim, name in zip(pairs, ("down", "across")):
                self.give(dim[1:], name, *(f"{name}_{k}" for k in range(2, 9)))
        for dims in self.shapes.dims.values():
            parts = [leaf for dim in dims for leaf in leaves(dim) if leaf.grid]
            for leaf, name in zip(parts, PLACES.get(len(parts), ())):
                self.give([leaf], name, *(f"{name}_{k}" for k in range(2, 9)))

    def name_rest(self):
        letters = (a + b for a in ("", "d", "e", "f") for b in "abcdefghijklm")
        free = (name for name in letters if name not in self.taken)
        alike = {}  # the same name at the same place of each layer
        counts = collections.Counter()
        for node, dims in self.shapes.dims.items():
            path = self.graph.place(node)[0]
            for leaf in itertools.chain.from_iterable(map(leaves, dims)):
                if not leaf.name:
                    place = (re.sub(r"\d+", "*", path), counts[path], leaf.size)
                    counts[path] += 1
                    if place not in alike:
                        alike[place] = next(
                            name for name in free if name not in self.sizes)
                    self.give([leaf], alike[place])

    def layers(self, count):
        """A parameter where the config says that a model has so many."""
        name = "layers" if "layers" not in self.taken else "depth"
        if any(getattr(self.config, key, None) == count for key in LAYERS) and \
                self.sizes.setdefault(name, count) == count:
            return name
        return str(count)
