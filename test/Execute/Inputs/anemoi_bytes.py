"""Compares the plans of docs/examples/anemoi.hkt with the formulas of its three
strategies, for one layer of the o96 grid: bytes that each rank receives.

    anemoi_bytes.py anemoi.hkt
"""

import json
import subprocess
import sys

GRID, CHANNELS, REACH, BYTES = 40320, 1024, 512, 4


def plan(schedule, ranks):
    command = ["hocket", "plan", sys.argv[1], "--json", "--schedule", schedule,
               "-D", f"ranks={ranks}", "-D", "layers=1"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def received(found, kind):
    """By rank, of all collectives, which are of that kind."""
    assert all(one["kind"] == kind for one in found["collectives"]), found["collectives"]
    return [sum(bytes) for bytes in zip(*(one["bytes_per_rank"] for one in found["collectives"]))]


for ranks in (2, 4, 8, 16):
    # Queries, keys, values and the result: all except one's own part of a part.
    heads = 4 * (GRID // ranks) * CHANNELS * BYTES * (ranks - 1) // ranks
    assert received(plan("shard_heads", ranks), "all_to_all") == [heads] * ranks
    # Within reach, from each neighbour that there is: keys and values, or what
    # both are made of, of which an interior rank gets 2 w C e.
    side = REACH * CHANNELS * BYTES
    ends = [side * ((rank > 0) + (rank + 1 < ranks)) for rank in range(ranks)]
    assert received(plan("shard_sequence", ranks), "halo") == [2 * end for end in ends]
    assert received(plan("shard_sequence_early", ranks), "halo") == ends
    print(f"{ranks} ranks: heads {heads}, sequence at most {2 * max(ends)}, early at most {max(ends)}")
