"""A small GPT-2 on two ranks, called by several threads beside another program.

    gpt2.py FILE.hkt

Weights and tokens are torch's. Executables are compiled from the same texts and run
on files; all must have the same bits.
"""

import subprocess
import sys
import threading

import hocket
import numpy
import torch
from safetensors.torch import load_file, save_file

DIMS = {"layers": 2, "hidden": 48, "heads": 4, "vocab": 101, "seq": 16, "positions": 16}
text = sys.argv[1]
torch.manual_seed(7)


def by_executable(schedule, weights, inputs):
    dims = [word for name, value in DIMS.items() for word in ("-D", f"{name}={value}")]
    subprocess.run(["hocket", "compile", text, "--schedule", schedule, *dims, "-o", "app"],
                   check=True)
    save_file(weights, "weights.safetensors")
    save_file(inputs, "inputs.safetensors")
    subprocess.run(["./app", "--weights", "weights.safetensors", "--input",
                    "inputs.safetensors", "--output", "outputs.safetensors"], check=True)
    return load_file("outputs.safetensors")


def call_often(program, inputs, expected, wrong):
    for _ in range(20):
        if not torch.equal(program(**inputs), expected):
            wrong.append(program)


programs, threads, wrong = [], [], []
for schedule in ["tensor_parallel", "context_parallel"]:
    program = hocket.compile(text, schedule, **DIMS)
    weights = {one.name: torch.randn(one.shape) * 0.1 for one in program.parameters}
    program.load_weights(weights)
    programs.append(program)
    for _ in range(2):
        inputs = {one.name: torch.randint(0, 101, one.shape) for one in program.inputs}
        expected = by_executable(schedule, weights, inputs)["output"]
        assert torch.equal(program(**inputs), expected), schedule
        found = program(*(tensor.numpy() for tensor in inputs.values()))
        assert (found == expected.numpy()).all(), "numpy"
        threads.append(threading.Thread(target=call_often,
                                        args=(program, inputs, expected, wrong)))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong

# Into an array that is there, and other weights into the same program.
made = numpy.full(programs[1].outputs[0].shape, 3, dtype=numpy.float32)
name, = (one.name for one in programs[1].outputs)
programs[1].run(inputs, {name: made})
assert (made == expected.numpy()).all(), "run"
programs[1].draw_weights(3)
assert not torch.equal(programs[1](**inputs), expected), "other weights"
programs[1].load_weights(weights)
assert torch.equal(programs[1](**inputs), expected), "weights again"
print(*programs, "have the bits of executables")
