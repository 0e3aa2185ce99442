"""A module of transformers, imported, compiled and called with its own weights.

    imported.py LINES

LINES, of docs/calling.md, make the program; test/Import/Inputs is on the path.
"""

import sys

import hocket
import models
import torch

module, inputs = models.build("gpt2")
batch, seq = inputs["input_ids"].shape
names = dict(hocket=hocket, module=module, inputs=inputs, batch=batch, seq=seq)
exec(open(sys.argv[1]).read(), names)
program = names["program"]
with torch.no_grad():
    expected = module(**inputs).logits
found = program(**inputs)
assert (found - expected).abs().max() <= 1e-5 * expected.abs().max()
print(program, "agrees with torch")
