"""One run of gpu-test: what its steps call, and what they may take.

A step is a function of a Session. It gives what it found, or raises Failed, Missing
(the machine lacks what it needs) or Late (its time is over).
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


# Small kits are for the look-alikes, which compute on the host.
SLOWER = 10


class Failed(Exception):
    """With what was found all the same, where there is something."""

    def __init__(self, why, data=None):
        super().__init__(why)
        self.data = data


class Missing(Exception):
    pass


class Late(Exception):
    pass


@dataclass(frozen=True)
class Step:
    name: str
    limit: float  # seconds
    run: Callable


def end_of(text, lines=5):
    """The last lines that a program printed."""
    return "\n".join(text.strip().splitlines()[-lines:])


class Session:
    def __init__(self, kit, scratch, environment):
        self.kit, self.scratch, self.environment = kit, Path(scratch), environment
        self.machine = {}  # of step 0
        self.from_kit = []  # libraries that the machine lacks
        self.peer = None
        self.deadline = 0
        # Where look-alikes write what they find, this says how much it was.
        self.report = environment.get("HOCKET_LOOKALIKE_REPORT")

    @property
    def small(self):
        return self.kit.manifest["small"]

    def path(self, name):
        return str(self.scratch / name)

    def left(self):
        return self.deadline - time.monotonic()

    def call(self, words, may_fail=False, environment=None):
        """Runs a program until it ends or the step's time is over."""
        words = [str(word) for word in words]
        process = self.start(words, environment)
        try:
            out, err = process.communicate(timeout=max(self.left(), 0.1))
        except subprocess.TimeoutExpired:
            end(process)
            raise Late(f"{Path(words[0]).name} had not ended") from None
        done = subprocess.CompletedProcess(words, process.returncode, out, err)
        if done.returncode and not may_fail:
            raise Failed(f"{Path(words[0]).name} ended with status {done.returncode}: "
                         f"{end_of(err or out)}")
        return done

    def start(self, words, environment=None):
        """A program in a process group of its own, so that all of it can be ended."""
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**self.environment, **(environment or {})},
                                cwd=self.scratch, start_new_session=True)

    def findings(self):
        """How much the look-alikes have written."""
        return os.path.getsize(self.report) if self.report and os.path.exists(self.report) else 0

    def perform(self, step, most):
        """Runs a step; gives its record."""
        limit = min(step.limit * (SLOWER if self.small else 1), most)
        begin, before = time.monotonic(), self.findings()
        self.deadline = begin + limit
        record = {"step": step.name, "status": "passed"}
        try:
            record["data"] = step.run(self)
        except Failed as failed:
            record |= {"status": "failed", "why": str(failed), "data": failed.data}
        except Missing as missing:
            record |= {"status": "missing", "why": str(missing)}
        except Late as late:
            record |= {"status": "late", "why": f"{late} after {limit:.0f} s"}
        except Exception as error:  # of this program, which has other steps to run
            record |= {"status": "failed", "why": f"{type(error).__name__}: {error}"}
        if self.findings() > before:
            with open(self.report) as report:
                report.seek(before)
                found = f"found by the look-alikes: {end_of(report.read())}"
            record |= {"status": "failed", "why": "; ".join(filter(None, [record.get("why"), found]))}
        record["seconds"] = round(time.monotonic() - begin, 2)
        return record


def end(process):
    """Ends a process and those that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()
