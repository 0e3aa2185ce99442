"""The text of an import in float64, against the module in float64.

`hocket verify --float64 --keep` writes a program that computes in float64 all that the
text has in float32. `module.double()` still computes some things in float32, rotary
angles and norms among them; here the module is made and called with every float32 that
its code names taken for float64. Frequencies that the text has as numbers are those of
a float32 buffer; the module gets these numbers.
"""

import pathlib
import re
import subprocess

import models
import texts
import torch
from safetensors.torch import load_file, save_file
from torch.utils._python_dispatch import TorchDispatchMode

TOLERANCE = 1e-12  # of the largest value of an output


class Wide(TorchDispatchMode):
    """Operations that are told to compute or give float32 do so in float64."""

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        args, kwargs = torch.utils._pytree.tree_map(
            lambda leaf: torch.float64 if leaf is torch.float32 else leaf,
            (args, kwargs or {}))
        return operation(*args, **kwargs)


def numbers_of(text, module):
    """Gives the module the numbers of the text's constants, where its buffers have
    them in other digits."""
    for table in re.findall(r"constant\(\[([^\]]*)\]\)", text):
        numbers = torch.tensor([float(word) for word in table.split(",")],
                               dtype=torch.float64)
        for buffer in module.buffers():
            if buffer.shape == numbers.shape and torch.allclose(
                    buffer.double(), numbers, rtol=1e-6, atol=0):
                buffer.copy_(numbers)


class Expected:
    """inputs, weights  in float64
    outputs          what the module gives when nothing of it is in float32
    plain            what module.double() gives
    """

    def __init__(self, name, module, inputs, text):
        module = module.double()
        self.inputs = {key: value.double() if value.is_floating_point() else value
                       for key, value in inputs.items()}
        self.weights = dict(module.state_dict())
        self.plain = texts.expected(module, self.inputs)
        torch.set_default_dtype(torch.float64)
        with Wide():
            same = models.build(name)[0].double()
            same.load_state_dict(self.weights)
            numbers_of(text, same)
            self.outputs = texts.expected(same, self.inputs)
        torch.set_default_dtype(torch.float32)


def difference(found, wanted):
    return max(float((found[name] - want).abs().max() / want.abs().max())
               for name, want in zip(sorted(found), wanted, strict=True))


def compare(text, expected, *options):
    """(error, error against module.double()) of a text under a schedule."""
    folder = pathlib.Path(text).parent / "float64"
    texts.hocket("verify", text, *options, "--float64", "--keep", folder, "--force")
    for name, tensors in (("own", expected.weights), ("given", expected.inputs)):
        save_file({key: tensor.clone().contiguous() for key, tensor in tensors.items()},
                  folder / name)
    done = subprocess.run(
        [folder / "program", "--weights", folder / "own", "--input", folder / "given",
         "--output", folder / "outputs", "--force"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = load_file(folder / "outputs")
    error = difference(found, expected.outputs)
    assert error <= TOLERANCE, f"an error of {error} in float64"
    return error, difference(found, expected.plain)
