"""Which codes functions return, and what is wrong with a run in which one has."""

import math
import re
import struct

from runs import DEADLINE

LATE = 6  # seconds beside the deadline, on a machine that others use as well

# Codes that documents name, by what a function's name begins with; the longest
# that fits counts.
STICKY = 719
CODES = {
    "cu": [999, STICKY],
    "cuMemAlloc": [2, STICKY],
    "cuMemHostAlloc": [2],
    "cuLibraryLoadData": [2, 200],
    "cuInit": [999, 3],
    "cublasLt": [14, 1],
    "cublasLtCreate": [3],
    "cudnn": [4000, 5000],
    "cudnnCreate": [4004],
    "nccl": [3, 2],
    "ncclMemAlloc": [1, 3],
    "ncclRemote": [6],
}
GIVES_BACK = re.compile(r"(Destroy|DestroyDescriptor|Free|FreeHost|Unload|Release|"
                        r"Deregister|Finalize|Abort)(_v2)?$")
OF_INSTRUCTIONS = re.compile(
    r"cuLaunchKernel|cuLibraryGetKernel|cuKernelGetFunction|cuFuncSetAttribute|"
    r"cublasLtM|cudnnBackend|cudnnSetStream|ncclGroup|ncclSend|ncclRecv|"
    r"ncclAll|ncclReduce|ncclBroadcast|ncclRemote")
NAMED_TWICE = re.compile(r'(\w+ of "[^"]*" \([^()]*\)): \1')
NAMES_LINE = re.compile(r"\([^()]*\.hkt:\d+")


def codesOf(function):
    return CODES[max((p for p in CODES if function.startswith(p)), key=len)]


def givesBack(function):
    return GIVES_BACK.search(function) and function != "cudnnBackendFinalize"


def isClose(a, b):
    """Whether safetensors of f32 hold equal numbers, except for rounding."""
    def numbers(data):
        begin = 8 + struct.unpack("<Q", data[:8])[0]
        return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
    return len(a) == len(b) and all(
        math.isclose(x, y, rel_tol=1e-5, abs_tol=1e-5)
        for x, y in zip(numbers(a), numbers(b)))


def faultOf(runs, run, function, isSticky):
    """What is wrong with a run in which `function` has failed, or nothing."""
    program, name = runs.program, function.removesuffix("_v2")
    passesOver = name.startswith("cudnnBackend") and not any(run.statuses)
    wrong = {key for key, value in run.results.items()
             if value != runs.good.get(key) and
             not (passesOver and isClose(value, runs.good[key]))}
    limit = runs.seconds * 2 + DEADLINE + LATE
    if run.seconds > limit:
        return f"it took {run.seconds:.1f} s"
    if wrong or run.others:
        return f"wrong or half written: {sorted(wrong) + run.others}"
    if not any(run.statuses):
        isOver = set(run.failed) <= runs.operations  # nothing runs after it
        if run.results.keys() != runs.good.keys():
            return "status 0 without results"
        isRight = isOver or passesOver or givesBack(function)
        return "" if isRight else "status 0"
    # What is not given back is left, and what an aborted collective should have
    # brought has no value.
    left = "when the process ends|never destroyed|that are not (destroyed|deregistered)"
    findings = [line for line in run.findings.splitlines()
                if not (givesBack(function) and re.search(left, line))
                and not (program.processes > 1 and "have no value" in line)]
    if findings:
        return "found by the look-alikes: " + findings[0]
    if not all(status in (1, 3) for status in run.statuses):
        return f"statuses {run.statuses}"
    if len(run.errors) != 1:
        return f"{len(run.errors)} errors"
    # One that destroys the context comes from all calls that follow.
    if isSticky and "may have caused it" in run.errors[0]:
        return ""
    # ncclMemAlloc calls the driver, and what runs has no function of its own.
    names = {"cuMemAlloc": ["cuMemAlloc", "ncclMemAlloc"],
             "cuMemFree": ["cuMemFree", "ncclMemFree"],
             "ncclRemote": ["NCCL"]}.get(name, [name])
    if givesBack(function): # NCCL asks for it at its end
        names.append("ncclCommFinalize")
    if not any(one in run.errors[0] for one in names):
        return "the function is not named"
    if NAMED_TWICE.search(run.errors[0]):
        return "the place is named twice"
    if OF_INSTRUCTIONS.match(function) and not NAMES_LINE.search(run.errors[0]):
        return "path and line are not named"
    return ""
