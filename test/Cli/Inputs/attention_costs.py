"""Compares what a plan says of attentions with what the masks and the parts give, counted
key by key.

    attention_costs.py attention-costs.hkt
"""

import json
import subprocess
import sys

BATCH, HEADS, KV_HEADS, SEQ, DIM = 2, 4, 2, 320, 4


def planned(schedule, **sizes):
    command = ["hocket", "plan", sys.argv[1], "--json", "--grad", "--schedule", schedule]
    for name, value in sizes.items():
        command += ["-D", f"{name}={value}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["attentions"]


def causal(i, j):
    return j <= i


def window(before, after):
    return lambda i, j: i - before <= j <= i + after


def sliding(i, j):  # 5 // 2 blocks before its own
    return j <= i and 0 <= i // 16 - j // 16 <= 2


def fixed(i, j):  # 4 local parts of 5 blocks, of which all see the last
    return i // 80 == j // 80 or j // 16 % 5 == 4


def intervals(ranks):
    return [[range(r * SEQ // ranks, (r + 1) * SEQ // ranks)] for r in range(ranks)]


def zigzag(ranks):
    chunk = SEQ // (2 * ranks)
    runs = [range(c * chunk, (c + 1) * chunk) for c in range(2 * ranks)]
    return [[runs[r], runs[2 * ranks - 1 - r]] for r in range(ranks)]


def striped(ranks):
    runs = [range(b, b + 20) for b in range(0, SEQ, 20)]
    return [runs[r::ranks] for r in range(ranks)]


def work(mask, queries, keys, heads, block=64):
    """Scores, and blocks of each call: a call is of one run of queries and one of keys."""
    scores, blocks = 0, 0
    for rows in queries:
        for columns in keys:
            seen = [(i, j) for i in rows for j in columns if mask(i, j)]
            scores += len(seen)
            blocks += len({(i // block, j // block) for i, j in seen})
    return BATCH * heads * scores, BATCH * heads * blocks


def check(found, scores, blocks, received, hops=None, all_hops=None):
    assert found["scores_per_rank"] == scores, (found, scores)
    assert found["blocks_per_rank"] == blocks, (found, blocks)
    assert found["received_bytes_per_rank"] == received, (found, received)
    assert found.get("hops") == hops and found.get("all_hops") == all_hops, found


def ring(schedule, parts, masks):
    """Each member receives the parts of which it sees a key; back go their gradients."""
    ranks = len(parts)
    for found, mask in zip(planned(schedule, p=ranks), masks, strict=True):
        counts, forward, backward, hops = [], [0] * ranks, [0] * ranks, set()
        for r in range(ranks):
            keys = []
            for s in range(ranks):
                owner = (r - s) % ranks
                if not work(mask, parts[r], parts[owner], 1)[0]:
                    continue
                keys += parts[owner]
                if s:
                    hops.add(s)
                    size = 4 * 2 * BATCH * KV_HEADS * DIM * sum(map(len, parts[owner]))
                    forward[r] += size
                    backward[r] += size
                    backward[owner] += size
            counts.append(work(mask, parts[r], keys, HEADS))
        scores, blocks = map(list, zip(*counts))
        check(found["forward"], scores, blocks, forward, len(hops), ranks - 1)
        check(found["backward"], scores, blocks, backward, len(hops), ranks - 1)
        part = SEQ // ranks
        memory = found["memory_bytes"]
        assert memory["queries"] == 4 * BATCH * HEADS * DIM * part, memory
        # Its own, and two that travel at most.
        held = 4 * 2 * BATCH * KV_HEADS * DIM * part
        assert memory["keys_and_values"] == held * (1 + min(2, len(hops))), memory
        print(schedule, ranks, "ranks:", len(hops), "hops", scores)


def gathered(schedule, ranks, masks, block):
    parts = intervals(ranks)
    for found, mask in zip(planned(schedule, p=ranks), masks, strict=True):
        counts = [work(mask, parts[r], [range(SEQ)], HEADS, block) for r in range(ranks)]
        scores, blocks = map(list, zip(*counts))
        # All attend to the same keys and values, which the first one has gathered.
        size = 4 * 2 * BATCH * KV_HEADS * DIM * SEQ // ranks * (ranks - 1) * (mask is masks[0])
        assert found["block"] == block
        check(found["forward"], scores, blocks, [size] * ranks)
        check(found["backward"], scores, blocks,
              found["backward"]["received_bytes_per_rank"])
        print(schedule, ranks, "ranks:", scores)


MASKS = causal, window(70, 20), window(10, 0)
ring("ring", intervals(4), MASKS)
ring("ring", intervals(2), MASKS)
ring("zigzag", zigzag(4), MASKS)
ring("striped", striped(4), MASKS)
gathered("all_gather", 4, MASKS, 64)
gathered("sparse", 4, (sliding, fixed), 16)

for found, mask in zip(planned("heads"), MASKS, strict=True):
    scores, blocks = work(mask, [range(SEQ)], [range(SEQ)], HEADS // 2)
    moved = 4 * BATCH * SEQ * DIM * (2 * HEADS + 2 * KV_HEADS * (mask is causal)) // 4
    check(found["forward"], [scores] * 2, [blocks] * 2, [moved] * 2)
    assert found["backward"]["scores_per_rank"] == [scores] * 2

# What is computed again counts to the backward.
_, b, c = planned("again")
assert b["backward"]["scores_per_rank"] == [2 * n for n in b["forward"]["scores_per_rank"]], b
assert b["backward"]["hops"] == b["backward"]["all_hops"] == 2, b
assert c["backward"]["hops"] == c["backward"]["all_hops"] == 1, c
