"""Where the elements of an array lie, whichever package it is of.

Arrays are not copied, except those that are not dense and row-major: they are
made so first.
"""

import ctypes
import sys

from .library import ELEMENTS, Array, Error

# Types of numpy's interface, of DLPack (code, bits) and of buffers.
OF_NUMPY = {"f8": "f64", "f4": "f32", "f2": "f16", "i8": "i64", "i4": "i32", "i2": "i16",
            "i1": "i8", "u8": "u64", "u4": "u32", "u2": "u16", "u1": "u8", "b1": "bool"}
OF_DLPACK = {(2, 64): "f64", (2, 32): "f32", (2, 16): "f16", (4, 16): "bf16",
             (0, 64): "i64", (0, 32): "i32", (0, 16): "i16", (0, 8): "i8", (1, 64): "u64",
             (1, 32): "u32", (1, 16): "u16", (1, 8): "u8", (6, 8): "bool"}
OF_NUMPY_BY_NAME = {"f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64",
                    "i32": "int32", "bool": "bool"}
OF_TORCH = dict(OF_NUMPY_BY_NAME, bf16="bfloat16")
OF_BUFFERS = {"f64": "d", "f32": "f", "f16": "e", "i64": "q", "i32": "i", "bool": "?"}
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "bool": 1}
ON_HOST = 1  # kDLCPU


class View:
    """Elements in memory; `keeps` is what holds them there. `fault` says why they are
    not to be written to."""

    def __init__(self, address, element, shape, keeps, fault=None):
        self.address, self.element, self.shape = address, element, tuple(shape)
        self.keeps, self.fault = keeps, fault

    def fill(self, array, name):
        """Writes what it is into an Array, and gives what that points to."""
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        text = name.encode()
        array.name, array.element = text, ELEMENTS.index(self.element)
        array.dims, array.shape = len(self.shape), shape
        array.data = self.address
        return text, shape


NOT_DENSE, READ_ONLY = "is not dense and row-major", "is read-only"


# ---- numpy ----------------------------------------------------------------


def of_interface(given, what):
    interface = given.__array_interface__
    order, kind = interface["typestr"][0], interface["typestr"][1:]
    foreign = ">" if sys.byteorder == "little" else "<"
    if kind not in OF_NUMPY or order == foreign:
        raise Error(f"{what} has elements of the type '{interface['typestr']}', which no "
                    "program takes; convert it first")
    fault = READ_ONLY if interface["data"][1] else None
    if interface.get("strides") is not None:
        import numpy

        given, fault = numpy.ascontiguousarray(given), NOT_DENSE
        interface = given.__array_interface__
    return View(interface["data"][0], OF_NUMPY[kind], interface["shape"], given, fault)


# ---- DLPack ---------------------------------------------------------------


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def is_dense(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != expected:
            return 0 in shape
        expected *= size
    return True


def of_dlpack(given, what):
    """The capsule frees what it holds, since nobody takes it over."""
    if given.__dlpack_device__()[0] != ON_HOST:
        raise Error(f"{what} is in the memory of another device; bring it to the host "
                    "first")
    if getattr(given, "requires_grad", False):
        given = given.detach()
    capsule = given.__dlpack__()
    tensor = DlTensor.from_address(pointer_of(capsule, b"dltensor"))
    element = OF_DLPACK.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if element is None:
        raise Error(f"{what} has elements of the type {getattr(given, 'dtype', '?')}, "
                    "which no program takes; convert it first")
    shape = tensor.shape[:tensor.ndim]
    if tensor.strides and not is_dense(shape, tensor.strides[:tensor.ndim]):
        if not hasattr(given, "contiguous"):
            raise Error(f"{what} {NOT_DENSE}; copy it first")
        view = of_dlpack(given.contiguous(), what)
        view.fault = NOT_DENSE
        return view
    address = (tensor.data or 0) + tensor.byte_offset
    return View(address, element, shape, (given, capsule))


# ---- buffers --------------------------------------------------------------


class Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object),
                ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


def of_buffer(given, what):
    """`view` keeps the buffer where it is."""
    view = memoryview(given)
    letter = view.format.lstrip("@=")
    kind = "b" if letter == "?" else "f" if letter in "efd" else \
        "u" if letter in "BHILQN" else "i"
    code = f"{kind}{view.itemsize}"
    if len(letter) != 1 or letter not in "?efdbhilqnBHILQN":
        raise Error(f"{what} has elements of the type '{view.format}', which no program "
                    "takes; convert it first")
    fault = READ_ONLY if view.readonly else None if view.c_contiguous else NOT_DENSE
    if not view.c_contiguous:
        view = memoryview(view.tobytes()).cast(letter, view.shape)
    buffer = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), 0)
    address = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return View(address, OF_NUMPY[code], view.shape, view, fault)


# ---- all ------------------------------------------------------------------


def view_of(given, what):
    """The View of an array, which errors call `what`."""
    if hasattr(given, "__array_interface__"):
        return of_interface(given, what)
    if hasattr(given, "__dlpack__"):
        return of_dlpack(given, what)
    try:
        memoryview(given)
    except TypeError:
        raise Error(f"{what} is a {type(given).__name__}, expected an array: of numpy, of "
                    "torch, or another one with DLPack or a buffer") from None
    return of_buffer(given, what)


def is_of_torch(given):
    return type(given).__module__.split(".")[0] == "torch"


def new_array(like, element, shape, what):
    """An empty array of the package that the arrays `like` are of: torch if one of
    them is, else numpy, or a memoryview where neither is there."""
    if any(is_of_torch(given) for given in like):
        import torch

        return torch.empty(shape, dtype=getattr(torch, OF_TORCH[element]))
    try:
        import numpy
    except ImportError:
        numpy = None
    kinds = OF_NUMPY_BY_NAME if numpy else OF_BUFFERS
    if element not in kinds:
        raise Error(f"{what} is of the type {element}, which "
                    f"{'numpy has' if numpy else 'buffers have'} not; call the program "
                    "with tensors of torch")
    if numpy:
        return numpy.empty(shape, dtype=kinds[element])
    size = BYTES[element]
    for extent in shape:
        size *= extent
    return memoryview(bytearray(size)).cast(kinds[element], shape)


def list_of(views):
    """(Array list, what it points to) of views by name."""
    arrays = (Array * len(views))()
    keeps = [view.fill(array, name) for array, (name, view) in zip(arrays, views.items())]
    return arrays, keeps
