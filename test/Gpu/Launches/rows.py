"""A row of the table for each launch, and what is wrong with it.

An operand with most of a launch's elements is its own: each byte belongs to one
thread, or to one row, and is read once. The others are shared: rows or threads need
the same bytes, which memory gives once and caches again.
"""

import re
from dataclasses import dataclass, field

from occupancy import occupancy

CHIPS = ("sm_80", "sm_90", "sm_100")
# A row of more elements than this is longer than the registers of a block: each pass
# over it reads it again, for its largest element, its sum and its results.
ROW_IN_REGISTERS = 16 * 1024
MOST_PASSES = 3
MOST_OWN, MOST_SECTORS, MOST_WAYS = 1, 1.05, 1.1
ROUNDING = 5e-4
# Of all bytes that a launch moves: what caches may give again.
MOST_SHARED = 1.0
# A launch of fewer threads is bound by its latency: each has one unit, and shares
# what neighbors need as well with nobody before it.
ENOUGH_THREADS = 1 << 18


def ratio(count, ideal):
    return count / ideal if ideal else 1.0


@dataclass
class Row:
    """`own`, `shared`: see above. `registers` and the like by chip."""

    program: str
    label: str
    blocks: int
    threads: int
    moved: float  # bytes of all operands, from the plan
    own: float
    shared: float
    written: float
    sectors: float
    ways: float
    in_registers: bool  # rows are
    findings: list
    registers: dict = field(default_factory=dict)
    occupancy: dict = field(default_factory=dict)
    memory: int = 0  # bytes of shared memory
    wrong: list = field(default_factory=list)  # what ptxas says

    def faults(self):
        """Sentences about what no kernel may do."""
        return [f"{self.program}, {self.label}: {one}" for one in self.findings + self.wrong]

    def misses(self):
        """(column, value, bound) of each bound that it does not keep to."""
        most = MOST_OWN if self.in_registers else MOST_PASSES
        bounds = [("own", self.own, most), ("written", self.written, 1),
                  ("sectors", self.sectors, MOST_SECTORS), ("ways", self.ways, MOST_WAYS)]
        if self.blocks * self.threads > ENOUGH_THREADS:
            bounds.append(("shared again", self.shared, MOST_SHARED))
        return [one for one in bounds if one[1] > one[2] + ROUNDING]


def label_of(launch):
    """The path of the model, without the numbers of layers, and which launch it is."""
    path = ".".join("*" if part.isdigit() else part for part in launch.source.split("."))
    step = launch.entry.rsplit("_", 1)[1] if launch.entry.count("_") > 1 else ""
    return f"{path or 'all'} {step}".strip()


def own_operands(launch, numbers):
    most = max((one.reached for one in launch.operands), default=0)
    return [i for i in numbers if launch.operands[i].reached == most]


def row_of(program, launch):
    counts = launch.counts["operands"]
    numbers = [i for i, one in enumerate(launch.operands) if one.same < 0]
    own = own_operands(launch, numbers)
    shared = [i for i in numbers if i not in own]

    def total(key, of=numbers):
        return sum(counts[i][key] for i in of)

    ideal = sum(max(counts[i][f"ideal{kind}Sectors"], counts[i][sectors])
                for i in numbers for kind, sectors in (("Load", "readSectors"),
                                                       ("Store", "writtenSectors")))
    blocks = sum(count for _, count in launch.ran)
    elements = max((counts[i]["read"] for i in own), default=0) / max(blocks, 1) / 4
    return Row(
        program, label_of(launch), launch.blocks, launch.threads,
        sum(launch.operands[i].reached for i in numbers),
        ratio(total("readByWarps", own), total("read", own)),
        ratio(total("readByWarps", shared) - total("read", shared),
              total("read") + total("written")),
        ratio(total("writtenByWarps"), total("written")),
        ratio(total("loadSectors") + total("storeSectors"), ideal),
        ratio(launch.counts["ways"], launch.counts["idealWays"]),
        elements <= ROW_IN_REGISTERS, launch.counts["findings"])


def assembled(row, launch, found, ptx):
    """Adds what ptxas says; sin and cos of libdevice take large angles apart on a
    stack, by a table called i2opi."""
    for chip in CHIPS:
        one = found[chip, launch.entry]
        row.registers[chip] = one["registers"]
        row.memory = one["shared"]
        row.occupancy[chip] = occupancy(chip, launch.threads, one["registers"], one["shared"])
        body = ptx[ptx.index(f".entry {launch.entry}("):]
        has_angles = re.search(r"\bi2opi|i2opi", body[: body.index("\n}\n")])
        if one["spills"] or (one["stack"] and not has_angles):
            row.wrong.append(f"it has a stack of {one['stack']} bytes and spills {one['spills']} "
                             f"bytes on {chip}")
