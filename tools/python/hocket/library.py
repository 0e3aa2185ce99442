"""The functions of hocket.h, which says what each takes, does and refuses.

They are in libhocket.so, beside the compiler. No module of this package is
compiled: the C functions are stable, and a call costs some microseconds more than
one of a compiled module would, so that one wheel serves every Python.
"""

import ctypes
import functools
import pathlib
import shutil

OK, MISTAKE, USAGE, FAILURE = 0, 1, 2, 3

# hocket_element: its numbers are the places here.
ELEMENTS = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16",
            "u8", "bool")


class Error(Exception):
    """`status` is the exit status that the command line would have: 1 for a mistake
    in what was given, 2 for a wrong option, 3 for a failure while running."""

    def __init__(self, text, status=MISTAKE):
        super().__init__(text.strip().removeprefix("error: "))
        self.status = status


class Array(ctypes.Structure):
    """hocket_array."""

    _fields_ = [("name", ctypes.c_char_p), ("element", ctypes.c_int32),
                ("dims", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p)]


class Options(ctypes.Structure):
    """hocket_options."""

    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_int64),
                ("deadline", ctypes.c_double), ("unpinned", ctypes.c_int32)]


@functools.cache
def compiler():
    """The program `hocket`: of this package, or else the one on the PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "hocket"
    found = str(own) if own.exists() else shutil.which("hocket")
    if not found:
        raise Error("there is no program 'hocket', neither in the package nor on the "
                    "PATH; install a wheel that has it, or build hocket and put "
                    "build/bin on the PATH")
    return pathlib.Path(found).resolve()


@functools.cache
def library():
    beside = compiler().parent.parent
    found = sorted(beside.glob("lib*/libhocket.so")) + \
        sorted(beside.glob("lib/*/libhocket.so"))
    if not found:
        raise Error(f"there is no libhocket.so in '{beside}/lib'; build hocket again, or "
                    "install it with cmake --install")
    functions = ctypes.CDLL(str(found[0]))
    program, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    arrays, strings = ctypes.POINTER(Array), ctypes.POINTER(ctypes.c_char_p)
    takes = {
        "hocket_error": (text, []),
        "hocket_load": (ctypes.c_int, [text, ctypes.POINTER(Options),
                                       ctypes.POINTER(program)]),
        "hocket_unload": (None, [program]),
        "hocket_describe": (text, [program]),
        "hocket_load_weights": (ctypes.c_int, [program, strings, size, strings, size]),
        "hocket_take_weights": (ctypes.c_int, [program, arrays, size]),
        "hocket_draw_weights": (ctypes.c_int, [program, ctypes.c_uint64]),
        "hocket_run_arrays": (ctypes.c_int, [program, arrays, size, arrays, size]),
    }
    for name, (gives, arguments) in takes.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = gives, arguments
    return functions


def call(name, *arguments):
    """Calls a function that gives a status."""
    functions = library()
    status = getattr(functions, name)(*arguments)
    if status != OK:
        raise Error(functions.hocket_error().decode(), status)
