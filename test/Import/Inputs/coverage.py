"""Imports small models of transformers' classes and says how it went.

    coverage.py one CLASS             one of them, in this process: a line of JSON
    coverage.py all FILE [CLASS...]   each in a process of its own, with limits; goes on
                                      where FILE ends
    coverage.py table FILE            the counted table of docs/import-coverage.md
"""

import inspect
import json
import os
import re
import resource
import subprocess
import sys
import time
import zlib

import hocket_import
import small
import torch
from hocket_import import check

SECONDS, GIGABYTES = 240, 6


def rows():
    """All classes with a head for text or of images and all encoders of text, then one
    for each other type of model; each kind in an order that mixes them."""
    from transformers.models.auto import modeling_auto as auto
    heads, found = {}, set()
    for table in (auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
                  auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
                  auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES,
                  auto.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES, auto.MODEL_MAPPING_NAMES):
        rest = table is auto.MODEL_MAPPING_NAMES
        for kind, names in table.items():
            if not rest or kind not in found:
                name = names if isinstance(names, str) else names[0]
                heads.setdefault(name, (rest, zlib.crc32(name.encode())))
                found.add(kind)
    return sorted(heads, key=heads.get)


def build(name):
    """(module, its inputs, their dims) of a class, which has been called once."""
    module = small.small_model(name)
    masked = "CausalLM" not in name and "LMHead" not in name
    inputs, dims = small.example_inputs(module, masked)
    taken = inspect.signature(module.forward).parameters
    inputs = {key: value for key, value in inputs.items() if key in taken}
    check.compute(module, check.noisy(module), inputs)
    return module, inputs, {key: dims[key] for key in inputs}


def rounding(module, inputs):
    """How much PyTorch's own outputs differ between float32 and float64."""
    def to(tensor, kind):
        return tensor.to(kind) if tensor.is_floating_point() else tensor

    found = []
    for kind in (torch.float32, torch.float64):
        state = {key: to(value, kind) for key, value in check.noisy(module).items()}
        given = {key: to(value, kind) for key, value in inputs.items()}
        found.append(check.compute(module.to(kind), state, given))
    module.float()
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in zip(*found))


def one(name):
    """(how it went, what is said of it)."""
    try:
        module, inputs, dims = build(name)
    except Exception as error:  # whatever a config without thought runs into
        return "not built", f"{type(error).__name__}: {error}"[:300]
    try:
        text, graph = hocket_import.convert(module, inputs, dims)
    except hocket_import.Refused as refused:
        return ("not traced" if "cannot trace" in str(refused) else "refused"), str(refused)
    try:
        error = check.check("hocket", text, module, graph)
    except hocket_import.Refused as refused:
        differs = re.search(r"by (\S+) of its largest", str(refused))
        if differs and float(differs[1]) < 30 * rounding(module, inputs):
            return "right", f"{differs[1]}, which is rounding\n{text}"
        return "wrong", f"{refused}\n{text}"
    return "right", f"{error:.0e}\n{text}"


def limited(name):
    """The row of a class, from a process of its own."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
        os.nice(19)
    begin = time.time()
    words = [sys.executable, __file__, "one", name]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS,
                              preexec_fn=limit)
        row = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else \
            [name, "crashed", done.stderr[-1500:]]
    except subprocess.TimeoutExpired:
        row = [name, "too slow", ""]
    return row + [round(time.time() - begin, 1)]


def table(found):
    """The counted table, in Markdown."""
    kinds = ["right", "refused", "wrong", "crashed", "too slow", "not traced", "not built"]
    found = sorted(found, key=lambda row: (kinds.index(row[1]), row[0]))
    counts = {kind: sum(row[1] == kind for row in found) for kind in kinds}
    lines = ["| | classes |", "|---|---|"]
    lines += [f"| {kind} | {count} |" for kind, count in counts.items()]
    lines += ["", f"Right: {', '.join(row[0] for row in found if row[1] == 'right')}.", "",
              "| class | | |", "|---|---|---|"]
    for name, kind, said, _ in found:
        if kind not in ("right", "not built"):
            lines.append(f"| {name} | {kind} | {reasons(kind, said)} |")
    lines += ["", "Not built from a config without thought: "
              f"{', '.join(row[0] for row in found if row[1] == 'not built')}."]
    return "\n".join(lines)


def reasons(kind, said):
    """What is lacking, each once."""
    if kind != "refused":
        return said.strip().splitlines()[0][:120].replace("|", " ") if said.strip() else ""
    kinds = [line.strip().rsplit(": ", 1)[0] for line in said.splitlines()[1:]
             if not line.startswith("note:")]
    seen = list(dict.fromkeys(re.sub(r" \(.*|'.*", "", kind) for kind in kinds))
    more = f" and {len(seen) - 4} more" if len(seen) > 4 else ""
    return ", ".join(seen[:4]).replace("|", " ") + more


def main(words):
    if words[0] == "one":
        print(json.dumps([words[1], *one(words[1])]))
        return
    if words[0] == "table":
        print(table([json.loads(line) for line in open(words[1])]))
        return
    names = words[2:] or rows()
    seen = set()
    if os.path.exists(words[1]):
        seen = {json.loads(line)[0] for line in open(words[1])}
    for name in names:
        if name not in seen:
            row = limited(name)
            with open(words[1], "a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
