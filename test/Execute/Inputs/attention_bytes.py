"""Compares what attention receives under each strategy, as planned, with the
formulas of docs/attention.md; the backward too.

    attention_bytes.py attention-strategies.hkt
"""

import json
import subprocess
import sys

BATCH, HEADS, SEQ, DIM, BYTES = 2, 8, 48, 4, 4


def received(schedule, kv_heads, grad, **sizes):
    """By rank, of a step."""
    command = ["hocket", "plan", sys.argv[1], "--json", "--schedule", schedule,
               "-D", f"kv_heads={kv_heads}"] + (["--grad"] if grad else [])
    for name, value in sizes.items():
        command += ["-D", f"{name}={value}"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found["received_bytes"]


def memory(ranks, seq):
    """Of the rank with the most, forward and backward."""
    command = ["hocket", "plan", sys.argv[1], "--json", "--schedule", "ring", "--grad",
               "-D", f"p={ranks}", "-D", "batch=1", "-D", f"seq={seq}", "-D", "d=64"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return max(found["memory_bytes"])


# Two parts beside a rank's own, whatever the number of ranks; linear in a part.
assert memory(4, 4 * 4096) == memory(8, 8 * 4096)
assert memory(4, 32768) == 2 * memory(4, 16384) == 4 * memory(4, 8192)
for kv_heads in (8, 4):
    g = kv_heads / HEADS
    whole = BATCH * SEQ * HEADS * DIM * BYTES  # bNh

    def by_heads(ranks):
        return (2 + 2 * g) * whole / ranks * (ranks - 1) / ranks

    def by_ring(ranks):
        return 2 * g * whole / ranks * (ranks - 1)

    for ranks in (1, 2, 4, 8):
        if ranks <= kv_heads:
            assert received("heads", kv_heads, False, p=ranks) == [by_heads(ranks)] * ranks
            assert received("heads", kv_heads, True, p=ranks) == [2 * by_heads(ranks)] * ranks
        for strategy in ("ring", "all_gather"):
            assert received(strategy, kv_heads, False, p=ranks) == [by_ring(ranks)] * ranks
        # Keys and values come round again, and the terms of their gradients go back.
        assert received("ring", kv_heads, True, p=ranks) == [3 * by_ring(ranks)] * ranks
    for u, r in ((2, 2), (2, 4), (4, 2)):
        # The exchange by heads is of the parts of a ring, of all ranks' u * r.
        both = (2 + 2 * g) * whole / (u * r) * (u - 1) / u + 2 * g * whole / (u * r) * (r - 1)
        assert received("heads_and_ring", kv_heads, False, u=u, r=r) == [both] * (u * r)
    print(f"{kv_heads} kv heads: heads", *[int(by_heads(n)) for n in (2, 4, 8)],
          "ring", *[int(by_ring(n)) for n in (2, 4, 8)])
