"""Writes what docs/import.md begins with, config.json, model.safetensors and
in.safetensors, or compares out.safetensors with PyTorch."""

import sys

import models
import texts
from safetensors.torch import load_file, save_file

module, inputs = models.build("gpt2")
if sys.argv[1:] == ["compare"]:
    found, wanted = load_file("out.safetensors"), texts.expected(module, inputs)[0]
    assert (found["output"] - wanted).abs().max() <= 1e-5 * wanted.abs().max()
else:
    module.save_pretrained(".")
    save_file(inputs, "in.safetensors")
