"""Compares the text that was written with the module: both compute two inputs of
two lengths, with weights to which noise was added, since norms that are one and
biases that are zero hide what is done with them."""

import ctypes
import json
import pathlib
import struct
import subprocess
import tempfile

import torch

from .export import exportable, resized
from .refuse import Refused

TOLERANCE = 1e-5  # of the largest value of an output
TYPES = {torch.float32: "F32", torch.int64: "I64", torch.int32: "I32",
         torch.bool: "BOOL"}


def save(tensors, path):
    """Writes a safetensors file."""
    header, parts, end = {}, [], 0
    for name, tensor in tensors.items():
        tensor = tensor.detach().contiguous()
        data = ctypes.string_at(tensor.data_ptr(), tensor.nbytes)
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [end, end + len(data)]}
        parts.append(data)
        end += len(data)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))


def load(path):
    """The float32 tensors of a safetensors file, by name."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = torch.frombuffer(bytearray(data[8 + size + begin:8 + size + end]),
                                    dtype=torch.float32)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def noisy(module, buffers=()):
    """The module's state with noise in every parameter, tied ones alike, and in these
    buffers."""
    generator, noise, state = torch.Generator().manual_seed(1), {}, {}
    parameters = dict(module.named_parameters(remove_duplicate=False))
    for name, tensor in module.state_dict().items():
        if name in buffers or name in parameters and tensor.is_floating_point():
            key = tensor.data_ptr()
            if key not in noise:
                noise[key] = tensor + 0.1 * torch.randn(tensor.shape, generator=generator)
            tensor = noise[key]
        if name.endswith("running_mean"):  # of a BatchNorm
            tensor = tensor + 0.1 * torch.randn(tensor.shape, generator=generator)
        elif name.endswith("running_var"):
            tensor = tensor + torch.rand(tensor.shape, generator=generator)
        state[name] = tensor.detach()
    return state


def varied(name, tensor):
    """Other values of an input: in another order, a mask with its end hidden."""
    tensor = tensor.flip(-1).roll(1, 0) if tensor.dim() else tensor
    if "mask" in name and tensor.dim() == 2 and tensor.shape[1] > 4:
        tensor[-1, tensor.shape[1] - tensor.shape[1] // 3:] = 0
    return tensor


def cases(graph):
    """(sizes, inputs) of the two runs; the second one is longer, or as long as the
    module can be."""
    sizes = graph.sizes
    grown = {dim: size + 5 if not graph.limits.get(dim)
             else graph.limits[dim] if graph.limits[dim] != size else size - 1
             for dim, size in sizes.items()}
    grown |= {dim: min(grown[dim], size + 5) for dim, size in sizes.items()}
    for chosen, change in ((sizes, False), (grown, True)):
        inputs = {name: resized(tensor, graph.dims[name], chosen)
                  for name, tensor in graph.examples.items()}
        yield chosen, {name: varied(name, tensor) if change else tensor
                       for name, tensor in inputs.items()}


def compute(module, state, inputs):
    """The module's tensors, in order."""
    with torch.no_grad(), exportable(module, training=False):
        result = torch.func.functional_call(module, state, kwargs=inputs,
                                            tie_weights=False)
    leaves = torch.utils._pytree.tree_leaves(result)
    return [leaf for leaf in leaves if torch.is_tensor(leaf)]


def run(hocket, text, sizes, files):
    """What the compiled text computes, in order."""
    words = [hocket, "run", str(text)]
    for dim, size in sizes.items():
        words += ["-D", f"{dim}={size}"]
    words += ["--weights", str(files / "weights"), "--input", str(files / "inputs"),
              "--output", str(files / "outputs"), "--force"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise Refused("the text that was written does not run; this is a mistake of "
                      f"hocket import:\n{done.stderr.strip()}")
    outputs = load(files / "outputs")
    return [outputs[name] for name in sorted(outputs, key=lambda name: int(
        name.removeprefix("output") or 0))]


def check(hocket, text, module, graph):
    """The largest error, relative to the largest value; Refused if it is more than
    TOLERANCE."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        files = pathlib.Path(scratch)
        (files / "model.hkt").write_text(text)
        state = noisy(module, [name for node, name in graph.parameters.items()
                               if node in graph.buffers])
        save(state, files / "weights")
        for sizes, inputs in cases(graph):
            save(inputs, files / "inputs")
            wanted = compute(module, state, inputs)
            found = run(hocket, files / "model.hkt", sizes, files)
            for number, (a, b) in enumerate(zip(found, wanted, strict=True)):
                error = float((a - b).abs().max() / b.abs().max().clamp(min=1e-30))
                if not error <= TOLERANCE:
                    at = ", ".join(f"{dim} = {size}" for dim, size in sizes.items())
                    raise Refused(
                        f"output {number} of the text differs from the module's by "
                        f"{error:.1e} of its largest value at {at}; it was not written")
                worst = max(worst, error)
    return worst
