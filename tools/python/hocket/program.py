"""A program that is loaded."""

import ctypes
import json
import os
import sys
import threading
from typing import NamedTuple

from . import library
from .arrays import is_of_torch, list_of, new_array, view_of
from .library import Error


class Tensor(NamedTuple):
    """What an input, an output or a parameter is: of a type such as "f32"."""

    name: str
    type: str
    shape: tuple


def tensors_of(listed):
    return tuple(Tensor(one["name"], one["type"], tuple(one["shape"])) for one in listed)


def strings_of(texts):
    encoded = [os.fsencode(text) for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded), len(encoded)


def references(one):
    return sys.getrefcount(one)


def references_of_one_name():
    one = object()
    return references(one)


def kind_of(array):
    return array.shape, array.strides, array.dtype, array.flags.writeable


class Results:
    """Arrays of numpy that calls gave, of which a later call writes into those that
    nobody has any more, and nobody has changed except its numbers: new memory takes
    longer than the copy into it. Views of an array, whoever makes them, have it."""

    def __init__(self):
        self._given, self._kinds, self._lock = {}, {}, threading.Lock()
        self._alone = references_of_one_name()

    def take(self, name):
        """The last one that was given, or None if somebody has it."""
        with self._lock:
            array = self._given.pop(name, None)
        alone = array is not None and references(array) == self._alone
        return array if alone and kind_of(array) == self._kinds[name] else None

    def give(self, name, array):
        if (type(array).__module__, type(array).__name__) == ("numpy", "ndarray"):
            with self._lock:
                self._given[name], self._kinds[name] = array, kind_of(array)


class Program:
    """`inputs`, `outputs` and `parameters` are Tensors in the order of the model;
    `description` is what --describe prints. Calls from several threads wait for each
    other. A program is ended by close(), by `with`, or when nobody has it any more."""

    def __init__(self, path, source=None, *, threads=0, deadline=0, pinned=True):
        self._handle, self._lock, self._source = None, threading.RLock(), source
        self._results = Results()
        options = library.Options(ctypes.sizeof(library.Options), threads, deadline,
                                  not pinned)
        handle = ctypes.c_void_p()
        library.call("hocket_load", os.fsencode(path), ctypes.byref(options),
                     ctypes.byref(handle))
        self._handle = handle
        text = library.library().hocket_describe(handle)
        self.description = json.loads(text.decode())
        self.inputs = tensors_of(self.description["inputs"])
        self.outputs = tensors_of(self.description["outputs"])
        self.parameters = tensors_of(self.description["parameters"])

    def _call(self, name, *arguments):
        with self._lock:
            if not self._handle:
                raise Error("the program is closed")
            library.call(name, self._handle, *arguments)

    def load_weights(self, weights, *more, rename=()):
        """From files, in the forms that --weights takes, or from a dict of arrays by
        the names of parameters. `rename` are rules for names in files, as --rename
        takes them."""
        if hasattr(weights, "items"):
            if more or rename:
                raise Error("load_weights: a dict of arrays has the names of parameters; "
                            "`rename`, and more than one, go with files")
            views = {name: view_of(array, f"parameter '{name}'")
                     for name, array in weights.items()}
            arrays, _keeps = list_of(views)
            return self._call("hocket_take_weights", arrays, len(arrays))
        rules = [rename] if isinstance(rename, str) else rename
        self._call("hocket_load_weights", *strings_of([weights, *more]),
                   *strings_of(rules))

    def draw_weights(self, seed=0):
        """As --random-weights draws them."""
        self._call("hocket_draw_weights", seed)

    def __call__(self, /, *inputs, **named):
        """Runs one step on inputs, by their order or their names. Gives the output, or
        a tuple of them if there are several: tensors of torch if one of the inputs is
        one, else arrays of numpy."""
        given = self._bind(inputs, named)
        of_torch = any(map(is_of_torch, given.values()))
        made = {}
        for one in self.outputs:
            made[one.name] = None if of_torch else self._results.take(one.name)
            if made[one.name] is None:
                made[one.name] = new_array(given.values(), one.type, one.shape,
                                           f"output '{one.name}'")
        self.run(given, made)
        for name, array in made.items():
            self._results.give(name, array)
        return tuple(made.values()) if len(made) != 1 else made[self.outputs[0].name]

    def _bind(self, inputs, named):
        names = [one.name for one in self.inputs]
        if len(inputs) > len(names):
            raise Error(f"the program takes {len(names)} inputs, not {len(inputs)}: "
                        f"{', '.join(names)}")
        given = dict(zip(names, inputs))
        for name, array in named.items():
            if name not in names:
                raise Error(f"the program takes no '{name}'; it takes {', '.join(names)}")
            if name in given:
                raise Error(f"input '{name}' is given by its place and by its name")
            given[name] = array
        return given

    def run(self, inputs, outputs):
        """The same with dicts by name, into arrays that are there: of the outputs'
        shapes and types, dense and row-major. Those that are not named are left
        out."""
        read = {name: view_of(array, f"input '{name}'")
                for name, array in inputs.items()}
        written = {}
        for name, array in outputs.items():
            view = written[name] = view_of(array, f"output '{name}'")
            if view.fault:
                raise Error(f"output '{name}' {view.fault}; nothing can be written to it")
        arrays, _read = list_of(read)
        places, _written = list_of(written)
        self._call("hocket_run_arrays", arrays, len(arrays), places, len(places))

    def plan(self):
        """What `hocket plan --json` prints."""
        return self._ask("plan")

    def verify(self, **options):
        """What `hocket verify --json` prints, once the program agrees with the float64
        reference; else an Error. Options are those of the command: seed=2, grad=True,
        tolerance=1e-5."""
        return self._ask("verify", **options)

    def _ask(self, command, **options):
        if not self._source:
            raise Error(f"{command}: the program was loaded from a file, which has no "
                        "text; compile it here")
        return json.loads(self._source.run(command, "--json", **options))

    def close(self):
        """Ends the ranks and gives their memory back."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle:
                library.library().hocket_unload(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self):
        about = self.description
        return (f"<hocket.Program {about['model']}, {about['schedule']}, "
                f"{about['ranks']} {'rank' if about['ranks'] == 1 else 'ranks'}>")
