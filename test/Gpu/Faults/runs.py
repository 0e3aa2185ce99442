"""Runs of a program on look-alikes, and what they leave."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("HOCKET_BUILD", TOP / "build"))
INPUTS = TOP / "test" / "Cuda" / "Inputs"
DEADLINE = 6  # seconds, for ranks that wait


class Runs:
    """Runs of one program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        folder.mkdir()
        self.app = folder / "app"
        subprocess.run(
            [BUILD / "bin" / "hocket", "compile", INPUTS / program.source,
             *program.options, "--target=cuda", "-o", self.app], check=True)
        (folder / "text").write_bytes(random.Random(1).randbytes(4000))
        self.good = None
        run = Run(self, {}, 600)
        if any(run.statuses) or run.findings:
            sys.exit(f"error: {program.name}: the run that nothing happens to: "
                     f"{run.statuses}\n{run.text}{run.findings}")
        self.good, self.seconds = run.results, run.seconds
        self.counts, self.operations = run.counts, run.operations

    def run(self, failures):
        """`failures` are values of HOCKET_LOOKALIKE_FAIL, by process."""
        return Run(self, failures, max(60, 4 * self.seconds))


def environmentOf(program, work, process, failures):
    variables = {key: value for key, value in os.environ.items()
                 if not key.startswith(("HOCKET_LOOKALIKE", "RANK", "WORLD_SIZE"))}
    variables.update(
        LD_LIBRARY_PATH=str(BUILD / "test" / "lookalike"),
        HOCKET_LOOKALIKE_REPORT=str(work / "findings"),
        HOCKET_LOOKALIKE_COUNTS=str(work / "counts-%p"),
        HOCKET_LOOKALIKE_FAILED=str(work / "failed"),
        HOCKET_LOOKALIKE_CHIP="120",
        HOCKET_LOOKALIKE_DEVICES=str(program.processes),
        HOCKET_LOOKALIKE_ALIKE="1")
    if process in failures:
        variables["HOCKET_LOOKALIKE_FAIL"] = failures[process]
    if program.processes > 1 and not program.starts:
        variables.update(
            RANK=str(process), LOCAL_RANK=str(process),
            WORLD_SIZE=str(program.processes), MASTER_ADDR="localhost",
            MASTER_PORT=str(random.randrange(20000, 60000)))
    return variables


class Run:
    def __init__(self, runs, failures, limit):
        program = runs.program
        work = runs.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "text").symlink_to("../text")
        command = [runs.app, *program.arguments, "--deadline", str(DEADLINE)]
        if not program.trains:
            command += ["--output", "out.safetensors"]
        count = 1 if program.starts else program.processes
        port = None
        started, begin = [], time.monotonic()
        for process in range(count):
            variables = environmentOf(program, work, process, failures)
            port = port or variables.get("MASTER_PORT")
            if port:
                variables["MASTER_PORT"] = port
            with open(work / f"said-{process}", "w") as said:
                started.append(subprocess.Popen(
                    command, cwd=work, env=variables, stdout=said, stderr=said,
                    stdin=subprocess.DEVNULL))
        self.wait(started, begin + limit)
        self.seconds = time.monotonic() - begin
        self.text = "".join((work / f"said-{process}").read_text()
                            for process in range(count))
        self.errors = [line for line in self.text.splitlines()
                       if line.startswith("error: ")]
        self.findings = textOf(work / "findings")
        # Of each call that failed, how many operations had run by then.
        self.failed = [int(line.split()[1])
                       for line in textOf(work / "failed").splitlines()]
        self.counts = countsOf(work)
        self.operations = operationsOf(work)
        self.lookAt(work)

    def wait(self, started, limit):
        self.statuses = []
        for process in started:
            try:
                process.wait(max(limit - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self.statuses.append(process.returncode)

    def lookAt(self, work):
        """What the run has written: results by name, and what else there is."""
        saved = work / "run"
        paths = [work / "out.safetensors", *saved.glob("step-*.safetensors")]
        self.results = {path.name: path.read_bytes()
                        for path in paths if path.exists()}
        names = [path.name for path in [*work.iterdir(),
                                        *(saved.iterdir() if saved.exists() else [])]]
        known = re.compile(r"said-|counts-|(text|run|findings|failed|\.lock)$|"
                           r"\.running-|(out|step-\d{10})\.safetensors$")
        self.others = [name for name in names if not known.match(name)]


def textOf(path):
    return path.read_text() if path.exists() else ""


def countsOf(work):
    """Calls by function, of the process that made most."""
    most = Counter()
    for path in work.glob("counts-*"):
        for name, number in json.loads(path.read_text())["calls"].items():
            most[name] = max(most[name], number)
    return most


def operationsOf(work):
    """How many operations ran, of each process."""
    operations = [json.loads(path.read_text())["operations"]
                  for path in work.glob("counts-*")]
    return {sum(kind["count"] for kind in of.values()) for of in operations}
