"""Holds what plans count of the memory of an attention against the parts of its ring.

    attention_memory.py attention.hkt
"""

import json
import subprocess
import sys

HEADS, DIM = 8, 64


def planned(schedule, ranks, seq):
    command = ["hocket", "plan", sys.argv[1], "--json", "--grad", "--schedule", schedule,
               "-D", f"ranks={ranks}", "-D", f"seq={seq}"]
    plan = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return plan["attentions"][0]["memory_bytes"], max(plan["arena_bytes"])


def close(bytes, expected):
    """Up to the alignment of buffers."""
    return abs(bytes - expected) <= 4096


for schedule in ("ring", "zigzag"):
    for ranks in (1, 2, 3, 4, 6, 8):
        seq = 1536 * ranks
        held, arena = planned(schedule, ranks, seq)
        part = 4 * 2 * HEADS * DIM * seq // ranks  # keys and values of a rank
        # Its own, and of two others: one is used while the next arrives.
        parts = min(ranks, 3)
        assert held["keys_and_values"] == parts * part, (schedule, ranks, held)
        twice, twice_arena = planned(schedule, ranks, 2 * seq)
        assert twice == {name: 2 * bytes for name, bytes in held.items()}, (held, twice)
        assert close(twice_arena, 2 * arena), (arena, twice_arena)
        print(f"{schedule} {ranks} ranks: keys and values of {parts} parts,",
              f"arena of {arena / part:.1f} such parts")
