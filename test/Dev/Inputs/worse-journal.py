"""Writes a journal again, with other bits, more bytes and a failure."""

import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1])]
lines[0]["result"]["digest"] += 1
lines[1]["result"]["moved"].setdefault("halo", [0, 0, 0])[1] += 8
lines[2]["result"].update(verdict=3, mended=False, followed=False)
with open(sys.argv[2], "w") as out:
    out.writelines(json.dumps(line) + "\n" for line in lines)
