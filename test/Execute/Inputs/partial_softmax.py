"""Softmax of Q K^T whose rows and columns are on two ranks: what each of them
computes of its own keys, and what they have after the exchange.

    partial_softmax.py partial-softmax.hkt FOLDER
"""

import json
import math
import struct
import subprocess
import sys
from pathlib import Path

SOURCE, FOLDER = sys.argv[1], Path(sys.argv[2])
Q, K, V = [[1, 2], [3, 4]], [[0.5, -0.25], [0.25, 0.5]], [[1, 0], [0, 1]]


def write(name, rows):
    data = struct.pack("<4f", *rows[0], *rows[1])
    header = json.dumps({name: {"dtype": "F32", "shape": [1, 1, 2, 2],
                                "data_offsets": [0, len(data)]}}).encode()
    path = FOLDER / f"{name}.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)
    return ["--input", str(path)]


def run(schedule):
    app, out = FOLDER / schedule, FOLDER / f"{schedule}.safetensors"
    option = [] if schedule == "serial" else ["--schedule", schedule]
    subprocess.run(["hocket", "compile", SOURCE, "-o", str(app)] + option, check=True)
    inputs = write("q", Q) + write("k", K) + write("v", V)
    subprocess.run([str(app), "--output", str(out)] + inputs, check=True)
    data = out.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    values = struct.unpack("<4f", data[8 + length:8 + length + 16])
    return [values[:2], values[2:]]


def text(numbers):
    return " ".join(f"{number:.4f}" for number in numbers)


serial = run("serial")
print("serial:", text(serial[0]), "|", text(serial[1]))
scores = [[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q]
for rank, row in enumerate(scores):
    # A rank has one key of its own: the softmax of one score is 1.
    print(f"rank {rank}: of its own key 1.0000, lse {row[rank]:.4f};",
          f"of the other 1.0000, lse {row[1 - rank]:.4f};",
          f"lse of both {math.log(sum(map(math.exp, row))):.4f}")
for schedule in ("ring", "all_gather"):
    ranks = run(schedule)
    for rank in (0, 1):
        print(f"{schedule}, rank {rank}: {text(ranks[rank])}")
        assert all(abs(a - b) <= 1e-6 for a, b in zip(ranks[rank], serial[rank]))
