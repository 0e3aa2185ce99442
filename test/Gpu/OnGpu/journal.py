"""What has been run: a line of JSON for each step that began, and for each that ended.

    {"began": "verify/graph-domain-f32"}
    {"step": "verify/graph-domain-f32", "status": "passed", "seconds": 2.1, "data": {...}}
    {"cut": "verify/graph-domain-f32"}      there was no time for it

A run that is cut off goes on behind the last line. A step that was twice under way
when a run ended is not tried a third time: it may be what ended it.
"""

import json
import os
from pathlib import Path


class Journal:
    def __init__(self, path, earlier=None):
        """Takes the lines of `earlier`, another journal, where `path` is new."""
        self.path = Path(path)
        self.records, self.beginnings = {}, {}
        source = self.path if self.path.exists() else earlier
        lines = complete_lines(source) if source and Path(source).exists() else []
        for line in lines:
            self.take(line)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def take(self, line):
        if "began" in line:
            self.beginnings[line["began"]] = self.beginnings.get(line["began"], 0) + 1
        elif "cut" in line:
            self.beginnings.pop(line["cut"], None)
        else:
            self.records[line["step"]] = line
            self.beginnings.pop(line["step"], None)

    def write(self, line):
        """On disk before the next step begins."""
        self.take(line)
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def forget(self, matches):
        """Steps that are to be run again."""
        for step in [step for step in self.records if matches(step)]:
            del self.records[step]
        self.beginnings = {}
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.records.values()))


def complete_lines(path):
    """Those of a file whose last line may be cut short."""
    text = Path(path).read_text()
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
