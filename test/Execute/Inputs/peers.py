"""Prints how many ranks receive from how many others, "2 from 1" where two receive
from one: of `hocket plan --json` a line for each collective of a step, of a run's
`--stats=json` one for each kind.

    hocket plan ... --json | peers.py
"""

import json
import sys

found = json.load(sys.stdin)
lines = [(one["kind"] + " " + one["path"], one["ranks_by_peers"])
         for one in found.get("collectives", []) if one["stage"] == "step"]
lines = lines or [(kind, one["ranks_by_peers"])
                  for kind, one in found["totals"]["step"].items() if one["calls"]]
for name, peers in lines:
    print(name, ", ".join(f"{ranks} from {count}" for count, ranks in peers.items()))
