"""Data for domain-training.hkt, and whether its runs had the same losses.

    domain_training.py --data                  image.npy and target.npy here
    domain_training.py FIRST.jsonl MORE...     exit status 1 if any differs
"""

import array
import json
import math
import sys

EXAMPLES, SHAPE = 8, (3, 11, 10)


def write(name, phase):
    count = EXAMPLES * math.prod(SHAPE)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {(EXAMPLES, *SHAPE)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little"))
        file.write(header.encode())
        array.array("f", (math.sin(phase + 0.7 * i * i) for i in range(count))).tofile(file)


def losses(name):
    with open(name) as file:
        return [json.loads(line)["loss"] for line in file]


if sys.argv[1] == "--data":
    write("image.npy", 0)
    write("target.npy", 0.3)
    sys.exit()
first = losses(sys.argv[1])
assert len(first) == 20 and first[-1] < first[0], first
for name in sys.argv[2:]:
    found = losses(name)
    far = max(abs(a - b) / abs(a) for a, b in zip(first, found))
    if len(found) != len(first) or not far < 1e-4:
        sys.exit(f"{name}: {len(found)} losses, {far} from those of {sys.argv[1]}")
    print(f"{name}: {len(found)} losses within 1e-4 of {sys.argv[1]}")
