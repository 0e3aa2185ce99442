"""What --input says: of an input that is made here, and of one that a file has."""

import re

import torch

from .refuse import Refused

TYPES = {"f32": torch.float32, "i64": torch.int64, "i32": torch.int32,
         "bool": torch.bool}
PLACES = ("batch", "seq")  # what a dim without a name is called, by its place


def read_input(text):
    """(name, element type, dims) of name=i64[batch, 3]."""
    match = re.fullmatch(r"\s*(\w+)\s*=\s*(\w+)\s*\[([^\]]*)\]\s*", text)
    if not match or match[2] not in TYPES:
        raise Refused(f"--input {text} is not NAME=TYPE[DIM, ...] with a TYPE of "
                      f"{', '.join(TYPES)}")
    words = [word.strip() for word in match[3].split(",") if word.strip()]
    return match[1], TYPES[match[2]], tuple(int(word) if word.isdigit() else word
                                            for word in words)


def check_type(saved, name, said):
    """The input is of a type that the language has, and of the one that is said."""
    names = {kind: word for word, kind in TYPES.items()}
    kind = saved.inputs[name].dtype
    if kind not in names:
        raise Refused(f"input '{name}' of '{saved.path}' is {kind}; the types of inputs "
                      f"are {', '.join(TYPES)}")
    if said not in (None, kind):
        raise Refused(f"input '{name}' of '{saved.path}' is {names[kind]}, not "
                      f"{names[said]}")


def check_dim(saved, name, axis, size, word):
    """A name is said of a dim that varies, and its number of one that does not."""
    at = f"dim {axis} of input '{name}' of '{saved.path}'"
    if isinstance(size, int):
        if isinstance(word, str):
            raise Refused(f"{at} is always {size}, and cannot be "
                          f"'{word}'; export it with dynamic_shapes={{'{name}': "
                          f"{{{axis}: Dim.DYNAMIC}}}}, or say {size}")
        if word != size:
            raise Refused(f"{at} is {size}, not {word}")
    elif not str(size).isidentifier():
        raise Refused(f"{at} is {size}, which follows from another dim; export it as "
                      "a number, or as a dim of its own")
    elif isinstance(word, int):
        raise Refused(f"{at} is any size, not {word}; give it a name, such as "
                      f"{default_name(name, axis)}")


def default_name(name, axis):
    return PLACES[axis] if axis < len(PLACES) else f"{name}_{axis}"


def dims_of(saved, texts):
    """input's name -> its dims, of a file: what --input says, in that order, then names
    by their places. What is one dim in the file has one name."""
    said = {name: (kind, words) for name, kind, words in map(read_input, texts)}
    for name in said:
        if name not in saved.inputs:
            raise Refused(f"'{name}' is no input of '{saved.path}'; there are "
                          f"{', '.join(saved.inputs)}")
    names, sizes, dims = {}, {}, {}  # symbol -> name, name -> size of its example

    def called(name, axis, symbol):
        size = saved.inputs[name].shape[axis]
        word = names.get(symbol, default_name(name, axis))
        if sizes.get(word, size) != size:
            word = f"{name}_{axis}"
        return word

    for name in [*said, *(name for name in saved.inputs if name not in said)]:
        kind, words = said.get(name, (None, None))
        check_type(saved, name, kind)
        shape = saved.shapes[name]
        if words is not None and len(words) != len(shape):
            raise Refused(f"input '{name}' has {len(shape)} dims, and {len(words)} "
                          "are named")
        dims[name] = []
        for axis, size in enumerate(shape):
            word = words[axis] if words is not None else size if isinstance(size, int) \
                else called(name, axis, str(size))
            check_dim(saved, name, axis, size, word)
            dims[name].append(word)
            if isinstance(word, str):
                sizes.setdefault(word, saved.inputs[name].shape[axis])
                if names.setdefault(str(size), word) != word:
                    raise Refused(f"'{names[str(size)]}' and '{word}' are one dim in "
                                  f"'{saved.path}'; give it one name")
    return {name: tuple(words) for name, words in dims.items()}
