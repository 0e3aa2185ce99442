"""Registers and occupancy of the runtime's own kernels, from what ptxas said when they
were built."""

import re

from occupancy import occupancy
from rows import CHIPS

SOURCES = ("Copy", "Embedding", "EmbeddingGrad", "Sort", "Reduce", "Pooling")
ENTRY = re.compile(r"\.entry (\w+)\(.*?\.maxntid (\d+)", re.S)
SAID = re.compile(r"Function properties for (\w+)\n\s*(\d+) bytes stack frame, (\d+) bytes spill "
                  r"stores, (\d+) bytes spill loads\n.*?Used (\d+) registers([^\n]*)")


def runtime_rows(build):
    """Of each source: how many kernels, threads of a block, the most registers by chip,
    and the least part of a multiprocessor's warps; and faults."""
    rows, faults = [], []
    for source in SOURCES:
        base = build / "runtime/lib/Cuda/Kernels" / source
        threads = dict(ENTRY.findall(base.with_suffix(".ptx").read_text()))
        registers, warps = [], []
        for chip in CHIPS:
            file = base.with_name(f"{source}.{chip.removeprefix('sm_')}.cubin.txt")
            found = SAID.findall(file.read_text())
            faults += [f"{name} has a stack of {stack} bytes on {chip}, or spills"
                       for name, stack, stores, loads, *_ in found
                       if (stack, stores, loads) != ("0", "0", "0")]
            registers.append(max(int(one[4]) for one in found))
            shared = [int((re.search(r"(\d+) bytes smem", one[5]) or [0, 0])[1]) for one in found]
            warps.append(min(occupancy(chip, int(threads[one[0]]), int(one[4]), memory)
                             for one, memory in zip(found, shared)))
        rows.append([source, str(len(threads)), "/".join(sorted(set(threads.values()))),
                     ", ".join(map(str, registers)),
                     ", ".join(f"{part:.0%}" for part in warps[:2])])
    return rows, faults
