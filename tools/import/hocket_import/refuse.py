"""What cannot be imported: single findings, and the list of all of them."""

import collections
import re


class Refused(Exception):
    """The module cannot be imported; the text is the whole message."""


class Lacking(Refused):
    """The language lacks what some operations compute."""


class Unsupported(Exception):
    """One operation cannot be written; whoever walks the graph collects it.

    The text says what is lacking ("a mask that ..."), without the place.
    """


class Findings:
    """Operations that are not supported, grouped by kind and place.

    Layers that are alike give one line: their numbers are read as `*`.
    """

    def __init__(self):
        self.counts = collections.Counter()

    def add(self, what, path, line):
        """`what`: "aten.cumsum" or a sentence; `line`: "file.py:12" or ""."""
        pattern = re.sub(r"(?<![^.])\d+(?![^.])", "*", path) or "the model itself"
        self.counts[what, pattern, line] += 1

    def __bool__(self):
        return bool(self.counts)

    def message(self, title):
        """Every finding: what, where, which line of Python, how often."""
        total = sum(self.counts.values())
        things = "operation is" if total == 1 else "operations are"
        lines = [f"{title} is not imported: {total} {things} not supported"]
        for (what, path, line), count in self.counts.items():
            times = "once" if count == 1 else f"{count} times"
            place = f" ({line})" if line else ""
            lines.append(f"  {what}: {times} in {path}{place}")
        lines.append("note: docs/import.md says what the language lacks; change "
                     "these lines of the module, or import a part of it")
        return "\n".join(lines)
