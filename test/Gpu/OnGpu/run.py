#!/usr/bin/env python3
"""Runs a kit on a machine with a GPU, a step after the other.

    run.py FOLDER [--results FILE] [--seconds N] [--only PATTERN] [--again PATTERN]

What was done is a line in FILE, by default $OUT/gpu-test.jsonl or else
FOLDER/gpu-test.jsonl, which another run goes on from. A step that fails, or takes
longer than it may, does not end the others. After N seconds, 1500 by default, no step
goes on. The status is 0 if all is done and nothing failed, 1 if a step failed, 3 if
some are left, which the same command runs then.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import checks
import machine
import timings
from journal import Journal
from kit import Kit
from peer import Peer
from session import Session

FILE = "gpu-test.jsonl"
SECONDS = 25 * 60
LEAST = 5  # seconds that a step needs to begin


def arguments():
    parser = argparse.ArgumentParser(prog="tools/dev/gpu-test run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="N")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--again", metavar="PATTERN")
    args = parser.parse_args()
    args.results = args.results or Path(os.environ.get("OUT") or args.folder) / FILE
    return args


class Run:
    def __init__(self, args, scratch):
        self.end = time.monotonic() + args.seconds
        self.only = args.only
        self.kit = Kit(args.folder, scratch)
        self.journal = Journal(args.results, args.folder / FILE)
        if args.again:
            self.journal.forget(lambda step: re.search(args.again, step))
        environment, from_kit = machine.prepare(self.kit, scratch)
        self.session = Session(self.kit, scratch, environment)
        self.session.from_kit = from_kit
        self.session.peer = Peer(self.session)

    def steps(self):
        for step in [*checks.steps(self.kit), *timings.steps(self.kit)]:
            if step.name == "environment" or re.search(self.only, step.name):
                yield step

    def perform(self, step):
        """Runs a step, if there is time, and says what came of it."""
        most = self.end - time.monotonic()
        if most < LEAST:
            return
        if self.journal.beginnings.get(step.name, 0) > 1:
            record = {"step": step.name, "status": "failed", "seconds": 0,
                      "why": "the run ended twice during this step"}
        else:
            self.journal.write({"began": step.name})
            record = self.session.perform(step, most)
        # Cut short for want of time: another run has more.
        if record["status"] == "late" and time.monotonic() >= self.end:
            self.journal.write({"cut": step.name})
            return
        self.write(record)
        print(f"{step.name}: {record['status']}, {record['seconds']} s"
              + (f": {record['why']}" if "why" in record else ""), flush=True)

    def write(self, record):
        """With the device, for another run may go on with another one."""
        devices = self.session.machine.get("driver", {}).get("devices", [])
        self.journal.write({**record, "device": devices[0]["name"] if devices else "none",
                            "at": datetime.now(timezone.utc).isoformat("T", "seconds")})

    def all(self):
        steps = list(self.steps())
        # The machine may be another one than at the step before.
        first = self.session.perform(steps[0], steps[0].limit)
        self.write({**first, "kit": {key: self.kit.manifest[key] for key in
                                     ["commit", "made", "small", "arch"]}})
        print(f"environment: {first['status']}" + (f": {first['why']}" if "why" in first else ""))
        if first["status"] != "passed":
            return 1
        for step in steps[1:]:
            if step.name not in self.journal.records:
                self.perform(step)
        self.session.peer.close()
        return self.summary(steps)

    def summary(self, steps):
        records = [self.journal.records.get(step.name) for step in steps]
        left = records.count(None)
        count = {status: sum(bool(record) and record["status"] == status for record in records)
                 for status in ["passed", "failed", "late", "missing"]}
        print(", ".join(f"{number} {status}" for status, number in count.items())
              + (f", {left} left: run it again" if left else ""))
        return 1 if count["failed"] or count["late"] else 3 if left else 0


def main():
    args = arguments()
    with tempfile.TemporaryDirectory(prefix="gpu-test-") as scratch:
        return Run(args, scratch).all()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
