"""gpu-speed.md: times as fractions of what they are measured beside."""

import statistics

from page import head, milliseconds, paragraph, table, under, why


def fraction(over, under):
    """Of rounds, in their order: the median, the least and the most."""
    rounds = sorted(a / b for a, b in zip(over, under))
    return rounds[len(rounds) // 2] if len(rounds) % 2 else statistics.median(rounds), rounds


def shown(over, under):
    middle, rounds = fraction(over, under)
    return f"{middle:.3f} ({rounds[0]:.3f} to {rounds[-1]:.3f})"


def median(times):
    return milliseconds(statistics.median(times))


def groups(steps):
    rows = [[name, f"{data['bytes'] / 1e6:.1f}", median(data["ours"]), median(data["copy"]),
             shown(data["copy"], data["ours"])] for name, data in steps.items()]
    return table(["group", "MB", "ours, ms", "a copy of as many bytes, ms",
                  "of the copy's bandwidth; 0.85 is wanted"], rows)


def products(steps):
    rows = [[name, median(data["ours"]), median(data["cuBLASLt"]),
             shown(data["ours"], data["cuBLASLt"]), median(data["fastest"]),
             shown(data["ours"], data["fastest"])] for name, data in steps.items()]
    return table(["m x n x k", "ours, ms", "cuBLASLt alone, ms",
                  "ours over it; at most 1.02 is wanted", "its fastest, ms", "ours over that"],
                 rows)


def fastest(data, way):
    """PyTorch's backend with the least median."""
    names = [name for name in data if name.endswith(" " + way)]
    return min(names, key=lambda name: statistics.median(data[name]), default=None)


def attentions(steps):
    rows = []
    for name, data in steps.items():
        bars = (0.95, 0.95) if name.endswith("-cudnn") else (0.55, 0.4)
        for way, wanted in zip(["forward", "backward"], bars):
            best = fastest(data, way)
            rows.append([name, way, median(data[way]),
                         f"{median(data[best])} ({best.split()[0]})" if best else data["without"],
                         shown(data[best], data[way]) if best else "", wanted])
    return table(["batch x heads x seq x d", "", "ours, ms", "PyTorch's fastest, ms",
                  "of PyTorch's rate", "wanted"], rows)


def blocks(steps):
    rows = []
    for data in steps.values():
        full = data["rows"][0]
        for row in data["rows"]:
            mask = row["model"] + (f" {row['size']}" if row["size"] else "")
            share = row["blocks"] / full["blocks"]
            cells = [mask, row["blocks"]]
            for way in ["forward", "backward"]:
                cells += [median(row[way]),
                          f"{fraction(row[way], full[way])[0] / share:.2f}"]
            rows.append(cells)
    return table(["mask", "blocks visited", "forward, ms", "a block, of one with all keys",
                  "backward, ms", "a block, of one with all keys"], rows)


def whole_steps(steps):
    rows = []
    for name, data in steps.items():
        others = [each for each in data if each not in ("ours", "without")]
        for other in others:
            rows.append([name, median(data["ours"]), other, median(data[other]),
                         shown(data["ours"], data[other])])
        if not others:
            rows.append([name, median(data["ours"]), data["without"], "", ""])
    return table(["step", "ours, ms", "PyTorch", "ms", "ours over it"], rows)


def ranks(steps):
    rows = []
    for name, data in steps.items():
        one = data["rows"][0]["ours"]
        for row in data["rows"]:
            rows.append([name, row["ranks"], median(row["ours"]), shown(row["ours"], one)])
    return table(["schedule", "ranks", "ms", "of one rank"], rows)


KINDS = [
    ("group", "Groups bound by memory", groups, "Kernels by events of the GPU."),
    ("product", "Products", products, "By events. Of the algorithms that cuBLASLt offers for "
     "the shape, without a limit on how sums are split, the first, which is its choice, and "
     "the fastest, which only timing tells."),
    ("attention", "Attention", attentions, "bf16, by events; by the own kernels and, where the "
     "name ends with cudnn, by cuDNN."),
    ("blocks", "Blocks of attention", blocks, "Blocks are 128 queries by 32 keys, those "
     "of the forward; Sparse is causal under a block layout of a window, with blocks of its "
     "own. A block takes the same time under every mask where the last columns "
     "are 1."),
    ("step", "Steps", whole_steps, "By the clock of the host, all instructions of a step as one "
     "graph. A GPT layer has hidden 4096, 32 heads, seq 4096 in bf16: at most 1.1 of "
     "torch.compile is wanted. MiniLM's inference and GPT-2's training step of 124M parameters "
     "are in f32 without tf32."),
    ("ranks", "A layer on several ranks of one GPU", ranks, "The weather example's layer, "
     "forward and backward: what its schedules cost beside one rank."),
]


def write(records, is_lookalike):
    text = head("Times on a GPU", records, is_lookalike)
    text += paragraph("Medians of rounds in which both sides took turns; a fraction has the least "
                      "and the most of a round in brackets.")
    for kind, title, rows, about in KINDS:
        steps = under(records, f"measure/{kind}")
        if not steps:
            continue
        done = {name: record["data"] for name, record in steps.items()
                if record["status"] == "passed"}
        text += f"\n## {title}\n\n{paragraph(about)}\n" + (rows(done) if done else "")
        rest = [[f"`{name}`", record["status"], why(record)] for name, record in steps.items()
                if record["status"] != "passed"]
        if rest:
            text += ("\n" if done else "") + table(["step", "", "why"], rest)
    return text
