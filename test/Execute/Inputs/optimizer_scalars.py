"""Weights and data for optimizer-scalars.hkt, and whether its runs are as close
to AdamW in float64 as float32 allows.

    optimizer_scalars.py --data      weights.safetensors, x.npy and y.npy here
    optimizer_scalars.py             exit status 1 if a run differs
"""

import json
import math
import os
import struct
import sys

X, Y = (1.0, 0.5), (-2.0, 0.75)
FIRST = {"end.weight": 1.0, "fc.bias": 0.0, "fc.weight": 0.0}


def write_npy(name, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)}, 1), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
        file.write(header.encode() + struct.pack(f"<{len(values)}f", *values))


def write_weights():
    header = {
        name: {
            "dtype": "F32",
            "shape": [1] if name.endswith("bias") else [1, 1],
            "data_offsets": [4 * i, 4 * i + 4],
        }
        for i, name in enumerate(FIRST)
    }
    text = json.dumps(header).encode()
    with open("weights.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.write(struct.pack(f"<{len(FIRST)}f", *FIRST.values()))


def weights_of(folder):
    with open(os.path.join(folder, max(os.listdir(folder))), "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    start = {name: 8 + length + header[name]["data_offsets"][0] for name in FIRST}
    return {name: struct.unpack("<f", data[at : at + 4])[0] for name, at in start.items()}


def rate_at(step, most=0.1, least=1e-3, warmup=20, steps=300):
    if step < warmup:
        return most * (step + 1) / warmup
    way = min(max((step - warmup) / (steps - warmup), 0), 1)
    return least + (most - least) * (0.5 + 0.5 * math.cos(math.pi * way))


def loss_and_gradients(p):
    loss, gradients = 0.0, dict.fromkeys(FIRST, 0.0)
    for x, y in zip(X, Y):
        inner = p["fc.weight"] * x + p["fc.bias"]
        error = p["end.weight"] * inner - y
        loss += error**2 / len(X)
        slope = 2 * error / len(X)
        gradients["end.weight"] += slope * inner
        gradients["fc.bias"] += slope * p["end.weight"]
        gradients["fc.weight"] += slope * p["end.weight"] * x
    return loss, gradients


def reference(steps, betas=(0.9, 0.9999), eps=1e-8, decay=0.1, clip=1.0):
    p, first, second = dict(FIRST), dict.fromkeys(FIRST, 0.0), dict.fromkeys(FIRST, 0.0)
    for step in range(steps):
        loss, gradients = loss_and_gradients(p)
        yield loss, rate_at(step)
        norm = math.sqrt(sum(g * g for g in gradients.values()))
        for name, g in gradients.items():
            g *= min(clip / (norm + 1e-6), 1)
            first[name] = betas[0] * first[name] + (1 - betas[0]) * g
            second[name] = betas[1] * second[name] + (1 - betas[1]) * g * g
            mean = first[name] / (1 - betas[0] ** (step + 1))
            root = math.sqrt(second[name] / (1 - betas[1] ** (step + 1)))
            p[name] -= rate_at(step) * (mean / (root + eps) + decay * p[name])


if sys.argv[1:] == ["--data"]:
    write_weights()
    write_npy("x.npy", X)
    write_npy("y.npy", Y)
    sys.exit()
for name in ("first", "slow"):
    moved = weights_of(name)["fc.weight"]
    if not abs(abs(moved) - 1) <= 2**-23:
        sys.exit(f"{name}: one step of rate 1 is {moved:.9f}")
    print(f"{name}: one step of rate 1 is 1 within an ulp")
for name in ("long", "long2"):
    with open(name + ".jsonl") as file:
        lines = [json.loads(line) for line in file]
    for line, (loss, rate) in zip(lines, reference(len(lines))):
        if not abs(line["lr"] - rate) <= 1e-15:
            sys.exit(f"{name}: the rate is {line['lr']}, expected {rate}: {line}")
        if not abs(line["loss"] - loss) <= 5e-7:
            sys.exit(f"{name}: the loss is {line['loss']}, expected {loss}: {line}")
    print(f"{name}: {len(lines)} rates and losses as in float64")
