#!/usr/bin/env python3
"""Writes what gpu-test has found as pages of docs/benchmarks.

    report.py RESULTS [--into FOLDER]

RESULTS is the file of a run, or the folder it lies in. FOLDER is docs/benchmarks by
default, but of results of the look-alikes there is no default.
"""

import argparse
import sys
from pathlib import Path

import checks_page
import speed_page
from journal import complete_lines
from machine import LOOKALIKE

TOP = Path(__file__).resolve().parents[3]


def read(path):
    """The last record of each step, in the order of the file."""
    records = {}
    for line in complete_lines(path):
        if "step" in line:
            records.pop(line["step"], None)
            records[line["step"]] = line
    return records


def main():
    parser = argparse.ArgumentParser(prog="tools/dev/gpu-test report")
    parser.add_argument("results", type=Path)
    parser.add_argument("--into", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    file = args.results / "gpu-test.jsonl" if args.results.is_dir() else args.results
    if not file.exists():
        sys.exit(f"error: no results '{file}': make them with tools/dev/gpu-test run")
    records = read(file)
    if "environment" not in records:
        sys.exit(f"error: '{file}' does not say on which machine its steps ran")
    is_lookalike = any(record["device"] == LOOKALIKE for record in records.values())
    if is_lookalike and not args.into:
        sys.exit("error: these are results of the look-alikes, whose times mean nothing; name a "
                 "folder for them with --into FOLDER")
    folder = args.into or TOP / "docs/benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in [("gpu-checks.md", checks_page), ("gpu-speed.md", speed_page)]:
        (folder / name).write_text(page.write(records, is_lookalike))
        print(f"wrote {folder / name}")


if __name__ == "__main__":
    main()
