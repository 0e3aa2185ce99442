"""Step 5: times of programs beside what they are measured by, in alternation.

Each gives lists of seconds, a number for each run; rounds of both sides take turns,
so that what changes with the minute hits both. The rules are in measured.py.
"""

import json
import re
import statistics
from pathlib import Path

from session import Step

RANDOM = ["--random-weights", "1", "--random-input", "2"]
QUERIES, KEYS = 128, 32  # of a block of attention, forward, of bf16 heads of 128
BYTES = {"f32": 4, "f64": 8, "bf16": 2, "f16": 2, "i32": 4, "i64": 8, "bool": 1}


def rounds(session):
    return 1 if session.small else 3


def runs(session):
    return 2 if session.small else 10


def by_kind(session, program):
    """Seconds of a step by kind of instruction, by events."""
    stats = session.path("stats.json")
    session.call([program, *RANDOM, "--warmup", 3, "--repeat", runs(session),
                  f"--stats=json:{stats}", "--force"])
    return {kind: entry["seconds"]
            for kind, entry in json.loads(Path(stats).read_text())["instructions"].items()}


def step_seconds(session, program):
    """The median of steps without events."""
    said = session.call([program, *RANDOM, "--warmup", 3, "--repeat", runs(session)]).stdout
    return float(re.search(r"median ([\d.]+) ms", said)[1]) / 1e3


def described_bytes(session, program):
    """Of all that comes in and goes out."""
    said = json.loads(session.call([program, "--describe"]).stdout)
    total = 0
    for tensor in said["inputs"] + said["outputs"] + said["parameters"]:
        elements = BYTES[tensor["type"]]
        for size in tensor["shape"]:
            elements *= size
        total += elements
    return total


def baseline(session, *words):
    """Medians by name; "seconds" is always there."""
    said = json.loads(session.call([session.kit.tool("gpu-baseline"), *words,
                                    runs(session)]).stdout)
    return {name: statistics.median(times) for name, times in said.items()
            if isinstance(times, list)}


def group(measure):
    def run(session):
        program = session.kit.program(measure["programs"][0])
        total = described_bytes(session, program)
        ours, theirs = [], []
        for _ in range(rounds(session)):
            ours.append(by_kind(session, program)["kernel"])
            theirs.append(baseline(session, "copy", -(-total // 2))["seconds"])  # each byte twice
        return {"bytes": total, "ours": ours, "copy": theirs}

    return run


def product(measure):
    facts = measure["facts"]

    def run(session):
        program = session.kit.program(measure["programs"][0])
        ours, first, fastest = [], [], []
        for _ in range(rounds(session)):
            ours.append(by_kind(session, program)["matmul"])
            alone = baseline(session, "product", *facts["shape"], facts["in"], facts["out"])
            first.append(alone["seconds"])
            fastest.append(alone["fastest"])
        return {"ours": ours, "cuBLASLt": first, "fastest": fastest}

    return run


def beside_peer(session, request, ours):
    """`ours` and PyTorch in turn; each gives seconds by name, or nothing."""
    found = {}
    for _ in range(rounds(session)):
        for name, seconds in ours().items():
            found.setdefault(name, []).append(seconds)
        for name, seconds in session.peer.ask({**request, "runs": runs(session)}).items():
            found.setdefault(name, []).append(seconds)
    missing = session.peer.missing
    return found | ({"without": missing} if missing else {})


def attention(measure):
    facts = measure["facts"]

    def run(session):
        def ours():
            forward, backward = measure["programs"]
            return {"forward": by_kind(session, session.kit.program(forward))["attention"],
                    "backward": by_kind(session, session.kit.program(backward))["attention_grad"]}

        return beside_peer(session, {"what": "attention", **facts}, ours)

    return run


def keys_near(query, seq, mask):
    """The first and the last key that a query sees, without what a layout adds."""
    model, size = mask["model"], mask["size"]
    if model == "Attention":
        return 0, seq - 1
    if model == "Window":
        return max(0, query - size), min(seq - 1, query + size)
    if model == "Sparse" and query >= size:  # the first block sees all before it
        return max(0, query // size - 3) * size, query
    return 0, query


def visited(seq, mask):
    """How many blocks of keys all blocks of queries see."""
    count = 0
    for first in range(0, seq, QUERIES):
        blocks = set()
        for query in range(first, min(first + QUERIES, seq)):
            low, high = keys_near(query, seq, mask)
            blocks.update(range(low // KEYS, high // KEYS + 1))
            if mask["model"] == "Sparse":  # and the first block is seen by all
                blocks.update(range(min(mask["size"] - 1, query) // KEYS + 1))
        count += len(blocks)
    return count


def blocks(measure):
    facts = measure["facts"]

    def run(session):
        rows = [{**mask, "blocks": visited(facts["shape"][2], mask), "forward": [], "backward": []}
                for mask in facts["masks"]]
        for _ in range(rounds(session)):
            for index, row in enumerate(rows):
                for way, kind, at in [("forward", "attention", 0), ("backward", "attention_grad", 1)]:
                    program = session.kit.program(measure["programs"][2 * index + at])
                    row[way].append(by_kind(session, program)[kind])
        return {"rows": rows}

    return run


def step(measure):
    def run(session):
        program = session.kit.program(measure["programs"][0])
        facts = {key: value for key, value in measure["facts"].items() if key != "peer"}
        return beside_peer(session, {"what": measure["facts"]["peer"], **facts},
                           lambda: {"ours": step_seconds(session, program)})

    return run


def train(measure):
    facts = measure["facts"]

    def run(session):
        program = session.kit.program(measure["programs"][0])
        data, metrics = Path(session.path("tokens.bin")), Path(session.path("metrics.jsonl"))
        count = facts["batch"] * (facts["seq"] + 1)
        data.write_bytes(b"".join((i * 2654435761 % 2**32 % facts["vocab"]).to_bytes(4, "little")
                                  for i in range(count)))
        steps = runs(session) + 3

        def ours():
            metrics.unlink(missing_ok=True)
            session.call([program, "--data", data, "--token-type", "i32", "--steps", steps,
                          "--metrics", metrics, "--nan", "ignore"])
            rates = [json.loads(line)["tokens_per_second"]
                     for line in metrics.read_text().splitlines()][3:]
            return {"ours": facts["batch"] * facts["seq"] / statistics.median(rates)}

        request = {key: value for key, value in facts.items() if key != "peer"}
        return beside_peer(session, {"what": "train", **request}, ours)

    return run


def ranks(measure):
    def run(session):
        rows = {name: [] for name in measure["programs"]}
        for _ in range(rounds(session)):
            for name, seconds in rows.items():
                seconds.append(step_seconds(session, session.kit.program(name)))
        return {"rows": [{"ranks": session.kit.manifest["ranks"][name], "ours": seconds}
                         for name, seconds in rows.items()]}

    return run


KINDS = {"group": group, "product": product, "attention": attention, "blocks": blocks,
         "step": step, "train": train, "ranks": ranks}


def steps(kit):
    for measure in kit.manifest["measures"]:
        yield Step(f"measure/{measure['name']}", 300, KINDS[measure["kind"]](measure))
