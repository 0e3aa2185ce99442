"""docs/benchmarks/gpu-kernels.md, from rows."""

from rows import CHIPS, ENOUGH_THREADS, MOST_SECTORS, MOST_WAYS, ROW_IN_REGISTERS

PAGE = "docs/benchmarks/gpu-kernels.md"
LISTED = 64 * 1024  # bytes that a launch of a row of its own moves

HEAD = f"""# Generated kernels of the examples

```
test/Gpu/Launches/gpu-kernel-table --write
test/Gpu/Launches/gpu-kernel-table --check
```

The first command writes this page. It compiles all examples for GPUs, with gradients and
with their recipes, assembles the kernels for {', '.join(CHIPS)}, and runs launches
of them on the [interpreter](../../test/Gpu/README.md). The interpreter counts what warps ask
of memory; it does not say how long that takes. The second command compares with this page.
The suite does so for the first schedule of some examples (test/Cuda/kernel-table.test).
Registers and occupancy come from ptxas {{version}}.

| column | it means | bound |
|---|---|---|
| registers | of a thread on {', '.join(CHIPS)}; no kernel spills, and only kernels with sin or cos have a stack | |
| shared | bytes of shared memory of a block | |
| warps | the part of a multiprocessor's 64 warps that can be resident at once, on sm_80 and sm_90 | |
| MB | megabytes of operands and results, each byte counted once, from the plan | |
| own | of the operands that have as many elements as the largest: bytes that warps ask for, divided by distinct bytes | 1; for rows of more than {ROW_IN_REGISTERS:,} elements, which do not fit into the registers of a block, the number of passes over a row |
| shared again | of the other operands, which rows or threads share (the weight of a norm): bytes that warps ask for again, which caches give, divided by all bytes that the launch must move | 1, in launches of more than {ENOUGH_THREADS:,} threads |
| sectors | sectors of 32 bytes that warps touch, divided by the sectors that the bytes of each access would fill, or, if those are more, by the distinct sectors that warps touch | {MOST_SECTORS} |
| ways | passes over the banks of shared memory, divided by the least number of passes | {MOST_WAYS} |

Every byte of a result is written once. A reduction that is cut into parts is two launches:
the first leaves the sums of the parts in memory of its own, and the second reads each once.

"""


WHY_OVER = """
## Over a bound

Why these launches touch more sectors than the bound allows:

- `loss.grad`, and attention at odd sizes: rows are so short that they begin and end inside
  a sector, which two rows then touch.
- `.grad` of bert: a warp has several rows, and for each row it reads one value (a mean or a
  sum) from another sector. Rows are short, so these sectors count.
- norms of unet and cnn whose channels are split among ranks: operands lie in different
  orders (channels first and channels last), or an operand is a part of each row of a larger
  one; and no tile of whole sectors in both orders divides the dims that a rank has.

Launches of one or two blocks that add up the parts of a sum read some bytes twice, at most
2 % of them.

"""


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def row_cells(row, count):
    name = row.label + (f" ({count} of them)" if count > 1 else "")
    registers = [str(row.registers[chip]) for chip in CHIPS]
    warps = [f"{row.occupancy[chip]:.0%}" for chip in ("sm_80", "sm_90")]
    return [name, f"{row.blocks} x {row.threads}", ", ".join(registers), str(row.memory),
            ", ".join(warps), f"{row.moved / 1e6:.3g}", number(row.own), number(row.shared),
            number(row.sectors), number(row.ways)]


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


NAMES = ["launch", "blocks x threads", "registers", "shared", "warps", "MB", "own",
         "shared again", "sectors", "ways"]


def header(names):
    return line(names) + "|" + "---|" * len(names) + "\n"


def listed(rows):
    """Rows of large launches; equal ones are one."""
    counts = {}
    for row in rows:
        if row.moved >= LISTED:
            cells = tuple(row_cells(row, 1))
            counts[cells] = counts.get(cells, 0) + 1
    return [line([cells[0] + (f" ({count} of them)" if count > 1 else ""), *cells[1:]])
            for cells, count in counts.items()]


def worst_counts(rows):
    return [number(max(getattr(row, key) for row in rows))
            for key in ("own", "shared", "sectors", "ways")]


def worst_registers(rows):
    return [", ".join(str(max(row.registers[chip] for row in rows)) for chip in CHIPS),
            ", ".join(f"{min(row.occupancy[chip] for row in rows):.0%}"
                      for chip in ("sm_80", "sm_90"))]


SUMMARY_NAMES = ["program", "launches", "own", "shared again", "sectors", "ways"]


def section(program, rows):
    """The lines of one program, by which it is found again."""
    if not rows:
        return ""
    if not program.whole:
        return line([program.name, str(len(rows)), *worst_counts(rows)])
    text = f"### {program.name}\n\n"
    large = listed(rows)
    small = [row for row in rows if row.moved < LISTED]
    if large:
        text += header(NAMES) + "".join(large) + "\n"
    if small:
        text += (f"{len(small)} launches of less than {LISTED // 1024} KiB: registers at most, "
                 f"warps at least, and the largest of own, shared again, sectors and ways: "
                 f"{'; '.join(worst_registers(small) + worst_counts(small))}.\n\n")
    return text


RUNTIME_NAMES = ["source", "kernels", "threads", "most registers", "least warps"]


def runtime_section(rows):
    """Of the runtime's own kernels."""
    return header(RUNTIME_NAMES) + "".join(map(line, rows))


MISSES_NAMES = ["program", "sizes", "launch", "blocks x threads", "column", "value", "bound"]


def sizes_of(program):
    return "as they stand" if program.whole else "odd"


def misses(program, rows):
    """The lines about what of a program keeps to no bound."""
    found = [(row.label, f"{row.blocks} x {row.threads}", column, number(value), number(bound))
             for row in rows for column, value, bound in row.misses()]
    return [line([program.name, sizes_of(program), *one]) for one in dict.fromkeys(found)]


def page(found, runtime, version):
    """`found`: of each program its section and its lines of misses."""
    text = HEAD.format(version=version)
    text += ("## As the examples stand\n\nA launch is listed under the first program of an "
             "example that has it. Of a large launch\nonly some blocks ran: up to eight at the "
             "beginning, in the middle and at the end.\n\n")
    text += "".join(text for program, text, _ in found if program.whole)
    text += ("## At odd sizes\n\nThe sizes at which the suite verifies the examples "
             "([gpu-verify](gpu-verify.md)); few of\ntheir dims are multiples of a sector. All "
             "blocks ran. A row has the largest values of any\nlaunch of the program:\n\n")
    text += header(SUMMARY_NAMES)
    text += "".join(text for program, text, _ in found if not program.whole)
    if over := "".join(row for _, _, rows in found for row in rows):
        text += WHY_OVER + header(MISSES_NAMES) + over
    text += ("\n## The runtime's own\n\nThe [kernels of the runtime](../../runtime/lib/Cuda/Kernels/README.md) "
             "that are bound by memory.\ntest/Gpu/Kernels/TrafficTest.cpp shows that they ask "
             "for each byte once, in whole sectors.\n\n")
    return text + runtime
