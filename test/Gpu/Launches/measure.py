"""Compiles programs, and asks ptxas and launch-counts about their kernels."""

import json
import re
import subprocess
from pathlib import Path

from examples import TOP
from launches import launches_of
from rows import CHIPS, assembled, row_of

KERNELS_OF = TOP / "test/Cuda/Inputs/kernels-of"
# Blocks of a large launch that run: some of the first, the middle and the last, so
# many, or as many as move so many bytes.
FEW, ENOUGH_BYTES = 8, 1 << 20


class Tools:
    """Programs of a build folder, and ptxas; files go to `folder`."""

    def __init__(self, build, ptxas, folder):
        self.bin = Path(build, "bin").resolve()
        self.ptxas = ptxas
        self.folder = Path(folder)

    def run(self, *words, **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              cwd=TOP, **more)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
        return done

    def version(self):
        return re.search(r"V([\d.]+)", self.run(self.ptxas, "--version").stdout)[1]


def compiled(tools, program):
    """The launches of a program, and the PTX of its kernels."""
    plan, app = tools.folder / "plan.json", tools.folder / "app"
    tools.run(tools.bin / "hocket", "compile", "--target=cuda", TOP / program.file,
              *program.options, "--emit", "plan", "-o", plan)
    tools.run(tools.bin / "hocket", "compile", plan, "--from", "plan", "-o", app)
    return launches_of(json.loads(plan.read_text())), tools.run(KERNELS_OF, app).stdout


def said_by_ptxas(tools, ptx):
    """By chip and entry: registers, stack, spills and shared memory."""
    source = tools.folder / "kernels.ptx"
    source.write_text(ptx)
    found = {}
    for chip in CHIPS:
        said = tools.run(tools.ptxas, "-v", f"-arch={chip}", "-o", tools.folder / "cubin",
                         source).stderr
        for name, stack, stores, loads, count, rest in re.findall(
                r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill "
                r"stores, (\d+) bytes spill loads.*?Used (\d+) registers([^\n]*)", said, re.S):
            shared = re.search(r"(\d+) bytes smem", rest)
            found[chip, name] = {"registers": int(count), "stack": int(stack),
                                 "spills": int(stores) + int(loads),
                                 "shared": int(shared[1]) if shared else 0}
    return found


def ranges_of(launch, all_blocks):
    moved = sum(one.reached for one in launch.operands if one.same < 0)
    few = max(1, min(FEW, ENOUGH_BYTES * launch.blocks // max(moved, 1)))
    if all_blocks or launch.blocks <= 3 * few:
        return [[0, launch.blocks]]
    middle = launch.blocks // 2 - few // 2
    return [[0, few], [middle, few], [launch.blocks - few, few]]


def count(tools, launches, ptx, all_blocks):
    """Fills `counts` and `ran` of each launch, which all have blocks."""
    source = tools.folder / "kernels.ptx"
    source.write_text(ptx)
    for launch in launches:
        launch.ran = ranges_of(launch, all_blocks)
    lines = "".join(json.dumps(one.request(one.ran)) + "\n" for one in launches)
    said = tools.run(tools.bin / "launch-counts", source, input=lines).stdout.splitlines()
    for launch, line in zip(launches, said, strict=True):
        launch.counts = json.loads(line)


def rows_of(tools, program, known):
    """Of the launches whose entries are not `known` yet, which they are then."""
    launches, ptx = compiled(tools, program)
    launches = [one for one in launches if one.blocks and one.entry not in known]
    known.update(one.entry for one in launches)
    count(tools, launches, ptx, all_blocks=not program.whole)
    rows = [row_of(program.name, launch) for launch in launches]
    if program.whole:
        found = said_by_ptxas(tools, ptx)
        for row, launch in zip(rows, launches):
            assembled(row, launch, found, ptx)
    return rows
