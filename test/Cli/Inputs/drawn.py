"""Reads drawings of attentions and compares each block with the mask and the parts, query by
query and key by key.

    drawn.py draw.hkt
"""

import re
import subprocess
import sys

SEQ = 16


def drawn(schedule, path, *more):
    command = ["hocket", "draw", sys.argv[1], path, "--model", "Net", "--schedule", schedule, *more]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def near(i, j):
    return i - 3 <= j <= i + 1


def causal(i, j):
    return j <= i


def intervals(ranks):
    return [[i * ranks // SEQ == r for i in range(SEQ)] for r in range(ranks)]


def zigzag(ranks):
    chunk = SEQ // (2 * ranks)
    return [[i // chunk in (r, 2 * ranks - 1 - r) for i in range(SEQ)] for r in range(ranks)]


def striped(ranks):
    return [[i // 2 % ranks == r for i in range(SEQ)] for r in range(ranks)]


def one(found):
    """A symbol for what several positions have: theirs, or a star."""
    return "." if not found else found.pop() if len(found) == 1 else "*"


def check(schedule, path, mask, size, owners, key_owners=None, ring=None, head=0):
    """`owners` are symbols by query, `key_owners` by key; `ring` the member of a position."""
    text = drawn(schedule, path, "--width", str(max(SEQ // size, 8)), "--head", str(head))
    pictures = text.split("hop of the ring")
    rows = [re.findall(r"^ {2}[ 0-9]{10} (.) ([#+.*0-9a-z]+)$", picture, re.M)
            for picture in pictures]
    groups = [range(g, g + size) for g in range(0, SEQ, size)]
    assert len(rows[0]) == len(groups), text
    if key_owners:
        line = re.search(r"^  of +(\S+)$", text, re.M)[1]
        assert line == "".join(one({key_owners[j] for j in g}) for g in groups), text
    if ring:
        members = max(ring) + 1
        seen = {(ring[i] - ring[j]) % members for i in range(SEQ) for j in range(SEQ) if mask(i, j)}
        hops = {distance: str(hop) for hop, distance in enumerate(sorted(seen | {0}))}
    for number, group in enumerate(groups):
        for picture in rows:
            assert picture[number][0] == one({owners[i] for i in group}), text
        for column, keys in enumerate(groups):
            pairs = [(i, j) for i in group for j in keys]
            count = sum(mask(i, j) for i, j in pairs)
            wanted = "." if not count else "#" if count == len(pairs) else "+"
            assert rows[0][number][1][column] == wanted, (number, column, text)
            if ring:
                found = {hops[(ring[i] - ring[j]) % members] for i, j in pairs if mask(i, j)}
                assert rows[1][number][1][column] == one(found), (number, column, text)
    print(schedule, path, size, "good")


def member(parts):
    return [next(r for r, part in enumerate(parts) if part[i]) for i in range(SEQ)]


for path, mask in (("near", near), ("inner", causal)):
    for size in (1, 2):
        for schedule, parts in (("contiguous", intervals(4)), ("zigzag", zigzag(2)),
                                ("striped", striped(2))):
            ranks = member(parts)
            symbols = "".join(map(str, ranks))
            check(schedule, path, mask, size, symbols, symbols, ranks)
        halves = "".join(map(str, member(intervals(2))))
        check("gathered", path, mask, size, halves)
        # Heads 0 and 1 are on rank 0, the others on rank 1.
        check("by_heads", path, mask, size, "1" * SEQ, head=2)
        # Ranks r * 2 + u: of head 3 those with u = 1.
        ranks = member(zigzag(2))
        symbols = "".join(str(2 * r + 1) for r in ranks)
        check("both", path, mask, size, symbols, symbols, ranks, head=3)
        check("halves", path, mask, size, halves, halves if path == "near" else None)
