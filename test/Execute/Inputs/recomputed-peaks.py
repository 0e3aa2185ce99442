"""Resident memory that one more recomputed layer takes, by schedule.

    recomputed-peaks.py MODEL.hkt LAYERS VALUE [-D NAME=VALUE...]

Compiles and runs MODEL with 4 and 12 layers (the parameter LAYERS) under each of
its schedules, all ranks in one process, and compares the growth of the peak with
the formula: a layer's input, VALUE bytes, once on each group of ranks that holds
it together. Fails where it is not within 0.8 and 1.6 of it.
"""

import os
import subprocess
import sys

# Ranks, and among how many of them a layer's input is split.
SCHEDULES = {
    "whole": (1, 1),
    "by_tensor": (2, 1),
    "by_sequence": (2, 2),
    "by_batch": (2, 2),
    "all_three": (4, 4),
}
FEW, MANY = 4, 12


def peak(model, layers, count, schedule, arguments):
    program = f"{schedule}.{count}"
    subprocess.run(
        ["hocket", "compile", model, "--grad", "--schedule", schedule]
        + ["-D", f"{layers}={count}", *arguments, "-o", program],
        check=True,
    )
    run = [f"./{program}", "--random-weights", "1", "--random-input", "1"]
    running = subprocess.Popen(run + ["--output", f"{program}.safetensors"])
    _, status, used = os.wait4(running.pid, 0)
    if status:
        sys.exit(f"{program} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_maxrss * 1024


model, layers, value, *arguments = sys.argv[1:]
failed = False
for schedule, (ranks, parts) in SCHEDULES.items():
    few, many = (
        peak(model, layers, count, schedule, arguments) for count in (FEW, MANY)
    )
    ratio = (many - few) / (MANY - FEW) / (int(value) * ranks / parts)
    print(f"{schedule}: {ratio:.2f} of the formula")
    failed |= not 0.8 <= ratio <= 1.6
sys.exit(failed)
