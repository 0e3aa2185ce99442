"""Each kind of array, in each memory order, and what is wrong with one.

    arrays.py MLP.hkt

prints the errors.
"""

import array
import os
import sys
import threading

import hocket
import numpy
import torch

file = sys.argv[1]
program = hocket.compile(file)
program.draw_weights(1)
x = numpy.arange(24, dtype=numpy.float32).reshape(3, 8) / 24
expected = program(x)


def same(given):
    assert numpy.array_equal(numpy.asarray(program(given)), expected), given


same(x.astype(numpy.float64))
same(numpy.asfortranarray(x))
same(numpy.repeat(x, 2, axis=1)[:, ::2])
same(torch.tensor(x, requires_grad=True))
same(torch.tensor(x).t().contiguous().t())
same(memoryview(x))
same(memoryview(numpy.asfortranarray(x)))
same(memoryview(array.array("d", x.ravel())).cast("b").cast("d", (3, 8)))
frozen = x.copy()
frozen.flags.writeable = False
same(frozen)
half = torch.tensor(x).bfloat16()  # numpy has no such type
assert torch.equal(program(half), program(half.float()))
assert program.inputs == (("x", "f32", (3, 8)),)

# The memory of a result is used again, unless somebody has it or a view of it.
given = program(x)
place = given.ctypes.data
del given
given = program(x)
assert given.ctypes.data == place
view = given[1:].T
other = program(2 * x)
del given
assert program(2 * x).ctypes.data != place
assert other.ctypes.data != place and numpy.array_equal(view, expected[1:].T)
other.shape = (8, 3)
del other
other = program(x)
other.flags.writeable = False
del other
assert numpy.array_equal(program(x), expected)

# A text in the place of a file, and several outputs.
pair = hocket.compile("""hocket 1
model Pair(size: int) {
  forward(x: f32[size], keep: bool[size]) -> (f32[size], f32[size]) {
    return x + 1, where(keep, x, 0.0)
  }
}
""", size=2)
y, z = pair(keep=numpy.array([True, False]), x=numpy.array([1, 2], dtype=numpy.float32))
assert list(y) == [2, 3] and list(z) == [1, 0], (y, z)
assert program.plan()["ranks"] == 1
assert program.verify(seed=2)["passed"]
kept = hocket.compile(file, "two", output="libkept.so", threads=1, pinned=False)
loaded = hocket.load("libkept.so")
for one in (kept, loaded):
    one.draw_weights(1)
assert numpy.array_equal(kept(x), loaded(x))


class Exporter:
    """DLPack and nothing else, of a tensor, or on a device."""

    def __init__(self, tensor=None):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__() if self.tensor is not None else (2, 0)

    def __dlpack__(self):
        return self.tensor.__dlpack__()


narrow = hocket.compile("""hocket 1
model Narrow() {
  forward(x: bf16[2]) -> bf16[2] { return x * 2.0 }
}
""")
assert narrow(torch.tensor([1.0, 3.0])).tolist() == [2, 6]
same(Exporter(torch.tensor(x)))


def closed():
    loaded.close()
    loaded.close()
    loaded(x)


for mistake in [
        lambda: program(x[:2]),
        lambda: program(),
        lambda: program(z=x),
        lambda: program(x, x),
        lambda: program(x, x=x),
        lambda: program([1.0]),
        lambda: program(x.astype(numpy.complex64)),
        lambda: program(x.astype(">f4")),
        lambda: program(torch.tensor(x, dtype=torch.complex64)),
        lambda: program(memoryview(b"abc").cast("c")),
        lambda: program(Exporter()),
        lambda: program(Exporter(torch.tensor(x.T.copy()).t())),
        lambda: narrow(x[0, :2]),
        lambda: program(x.astype(numpy.int64)),
        lambda: program.run({"x": x}, {"output": frozen}),
        lambda: program.run({"x": x}, {"output": numpy.empty((8, 3), numpy.float32).T}),
        lambda: program.run({"x": x}, {"outptu": x.copy()}),
        lambda: program.load_weights("missing.safetensors"),
        lambda: program.load_weights({"up.weight": x}, "more"),
        lambda: program.load_weights({"up.weight": x.astype(numpy.int32)}),
        lambda: kept.verify(tolerance="much"),
        lambda: loaded.plan(),
        closed,
        lambda: hocket.load("missing.so"),
        lambda: hocket.compile("missing.hkt"),
        lambda: hocket.compile(file, "tow"),
        lambda: hocket.compile(file, target="cuda")]:
    try:
        mistake()
        print("no error")
    except hocket.Error as error:
        print(f"{error.status}: {error}")
same(x)  # after all that

sys.stdout.flush()
if os.fork() == 0:
    try:
        program(x)
    except hocket.Error as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
assert threading.active_count() == 1
