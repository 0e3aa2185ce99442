"""Compares what `attention using heads` receives, as planned, with what each rank's
query heads read, counted here head by head; and runs it, where counted bytes must be
those of the plan and results those of the reference.

    kv_heads_bytes.py attention-strategies.hkt plan|run
"""

import json
import subprocess
import sys

BATCH, DIM, BYTES = 2, 4, 4
model, what = sys.argv[1:]


def parts(extent, count):
    """Even with remainder: the first ones have one more."""
    size, more = divmod(extent, count)
    ends = [size * (i + 1) + min(i + 1, more) for i in range(count)]
    return [range(begin, end) for begin, end in zip([0] + ends, ends)]


def read(heads, kv_heads, mine):
    return {head * kv_heads // heads for head in mine}


def expected(heads, kv_heads, seq, ranks, grad):
    element = BATCH * DIM * BYTES
    cuts = parts(heads, ranks)
    needed = [len(read(heads, kv_heads, mine)) for mine in cuts]
    received = []
    for rank, positions in enumerate(parts(seq, ranks)):
        own, queries, keys = len(positions), len(cuts[rank]), needed[rank]
        others, rest = heads - queries, seq - own
        forward = (queries + 2 * keys) * rest + others * own
        # The result's gradient comes as queries did; those of queries go as the result
        # did; and of keys and values each rank gets a term from every other that has one.
        terms = sum(needed) - keys
        backward = queries * rest + (others + 2 * terms) * own
        received.append((forward + (backward if grad else 0)) * element)
    return received


def arguments(heads, kv_heads, seq, ranks):
    return [model, "--schedule", "heads", "-D", f"heads={heads}", "-D",
            f"kv_heads={kv_heads}", "-D", f"seq={seq}", "-D", f"p={ranks}"]


def planned(*sizes, grad):
    command = ["hocket", "plan", *arguments(*sizes), "--json"] + (["--grad"] if grad else [])
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found["received_bytes"]


cases = [(8, kv, ranks) for kv in (1, 2, 4, 8) for ranks in range(1, 9)]
cases += [(12, kv, ranks) for kv in (1, 2, 3, 4, 6, 12) for ranks in range(1, 9)]
cases += [(15, 5, 3), (6, 3, 2), (10, 5, 4), (4, 2, 7), (3, 1, 5)]
for number, (heads, kv_heads, ranks) in enumerate(cases):
    seq = (13, 16, 5, 24)[number % 4]
    sizes = heads, kv_heads, seq, ranks
    if what == "plan":
        for grad in (False, True):
            found, wanted = planned(*sizes, grad=grad), expected(*sizes, grad)
            assert found == wanted, (sizes, grad, found, wanted)
    else:
        subprocess.run(["hocket", "verify", *arguments(*sizes), "--grad"], check=True,
                       stdout=subprocess.DEVNULL)
print(len(cases), "cases")
