"""The launches of generated kernels in a plan, as launch-counts takes them."""

import math
from dataclasses import dataclass, field

BYTES = {"f32": 4, "f64": 8, "bf16": 2, "f16": 2, "i32": 4, "i64": 8, "bool": 1}
ALLOCATION = 256  # what the base of an allocation is a multiple of


@dataclass
class Operand:
    """Memory from the lowest byte that the kernel can reach; `reached` are bytes."""

    buffer: int
    below: int  # bytes that lie before element 0
    bytes: int
    reached: int
    shift: int
    same: int = -1


@dataclass
class Launch:
    """`reads` and `writes` are numbers of operands."""

    entry: str
    blocks: int
    threads: int
    flops: int
    reads: list
    writes: list
    operands: list
    scalars: list
    source: str
    counts: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)  # blocks, as first and number

    def request(self, ranges):
        return {"entry": self.entry, "grid": self.blocks, "threads": self.threads,
                "blocks": ranges, "scalars": self.scalars,
                "operands": [{"bytes": one.bytes, "shift": one.shift + one.below,
                              "same": one.same} for one in self.operands]}


class Rank:
    """What a plan says of one rank."""

    def __init__(self, plan, rank):
        self.plan = plan
        self.coordinates = []
        for axis in reversed(plan["mesh"]):
            self.coordinates.insert(0, rank % axis["size"])
            rank //= axis["size"]

    def number(self, number):
        if not isinstance(number, list):
            return number
        constant, table, scale = number
        axes = self.plan["tables"][table]["axes"]
        at = 0
        for axis in axes:
            at = at * self.plan["mesh"][axis]["size"] + self.coordinates[axis]
        return constant + scale * self.plan["tables"][table]["values"][at]

    def operand(self, view, buffers):
        buffer, offset, shape, strides = view[:4]
        offset += sum(self.number(term) for term in (view[4] if len(view) > 4 else []))
        size = BYTES[buffers[buffer]["type"]]
        reach = [(extent - 1) * stride for extent, stride in zip(shape, strides)]
        low = sum(min(step, 0) for step in reach)
        high = sum(max(step, 0) for step in reach)
        empty = 0 in shape
        extents = [extent for extent, stride in zip(shape, strides) if stride]
        first = buffers[buffer]["offset"] * (buffers[buffer]["region"] not in ("input", "output"))
        first += (offset + low) * size
        bytes_ = 0 if empty else (high - low + 1) * size
        return Operand(buffer, -low * size, bytes_, 0 if empty else min(math.prod(extents) * size, bytes_),
                       first % ALLOCATION), first


def launches_of(plan):
    """Of each symbol the first launch, of the first rank of its class."""
    found = {}
    for one in plan["classes"]:
        rank = Rank(plan, one["ranks"][0])
        for instruction in one["load"] + one["step"]:
            if instruction["op"] == "kernel" and instruction["symbol"] not in found:
                found[instruction["symbol"]] = launch_of(plan, one, rank, instruction)
    return list(found.values())


def launch_of(plan, rank_class, rank, kernel):
    operands, places = [], {}
    views = kernel["inputs"] + kernel["outputs"]
    for view in views:
        operand, first = rank.operand(view, rank_class["buffers"])
        place = (operand.buffer, first)
        operand.same = places.setdefault(place, len(operands))
        if operand.same == len(operands):
            operand.same = -1
        operands.append(operand)
    count = len(kernel["inputs"])
    sources = plan["sources"]
    path = sources[kernel["source"]]["path"] if "source" in kernel else ""
    return Launch(kernel["symbol"], kernel["extent"], kernel["threads"], kernel["flops"],
                  list(range(count)), list(range(count, len(views))), operands,
                  [rank.number(number) for number in kernel.get("scalars", [])], path)
