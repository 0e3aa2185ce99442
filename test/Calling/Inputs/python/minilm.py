"""MiniLM with its published weights: the bits of the executable, from numpy and from
torch, from a file and from a dict.

    minilm.py FILE.hkt WEIGHTS INPUT OUTPUT-OF-THE-EXECUTABLE
"""

import sys

import hocket
import numpy
import torch
from safetensors.numpy import load_file
from safetensors.torch import load_file as load_torch

text, weights, inputs, output = sys.argv[1:]
expected = load_file(output)["output"]
program = hocket.compile(text, "sequence_parallel", tp=2)
program.load_weights(weights)
found = program(**load_file(inputs))
assert type(found) is numpy.ndarray and found.dtype == numpy.float32
assert (found == expected).all(), "numpy"

given = load_torch(inputs)
found = program(given["tokens"].to(torch.int64), given["keep"])  # converted as files are
assert type(found) is torch.Tensor and (found.numpy() == expected).all(), "torch"

names = {parameter.name for parameter in program.parameters}
with hocket.compile(text, "sequence_parallel", tp=2) as other:
    other.load_weights({name: tensor for name, tensor in load_torch(weights).items()
                        if name in names})
    assert (other(**given).numpy() == expected).all(), "weights from a dict"
print(program, "has the bits of the executable")
