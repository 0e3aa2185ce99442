"""What a machine has of what gpu-test needs: driver, GPU, libraries, compute-sanitizer.

    python3 machine.py probe     a line of JSON; run alone, for it loads libraries

`prepare` says in which folders programs find what the loader does not.
"""

import ctypes
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

# Of each library: the names that Hocket looks for, and its version.
LIBRARIES = {
    "cuBLASLt": (["libcublasLt.so.13", "libcublasLt.so.12"], "cublasLtGetVersion"),
    "cuDNN": (["libcudnn.so.9"], "cudnnGetVersion"),
    "NCCL": (["libnccl.so.2"], "ncclGetVersion"),
}
COMPUTE_CAPABILITY = (75, 76)  # attributes of a device: major, minor
LOOKALIKE = "Look-alike"


def library_folders():
    """Where toolkits and Python packages have NVIDIA's libraries."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"),
                *(path for path in sys.path if path.endswith("-packages"))}
    homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *glob.glob("/usr/local/cuda-*")]
    homes.append("/usr/local/nvidia")
    folders = [f"{home}/{lib}" for home in homes if home for lib in ["lib64", "lib"]]
    for package in sorted(packages):
        folders += sorted(glob.glob(f"{package}/nvidia/*/lib"))
    return [folder for folder in folders if glob.glob(f"{folder}/lib*.so*")]


def lacking(file, environment=None):
    """The libraries of a program or library that the loader does not find, or finds too
    old."""
    done = subprocess.run(["ldd", file], capture_output=True, text=True, env=environment)
    said = done.stdout + done.stderr
    return set(re.findall(r"(\S+) => not found", said)) | set(
        re.findall(r"([^\s/]+): version `\S+' not found", said))


def prepare(kit, scratch):
    """The environment in which programs run, and the libraries of the kit that they
    take there: those alone that are lacking. What was said before counts first."""
    own = Path(scratch) / "lib"
    own.mkdir(exist_ok=True)
    looked_at = [kit.root / "runner", *(kit.root / "bin").iterdir()]
    for file in looked_at:
        for name in lacking(file):
            if (kit.root / "lib" / name).exists() and not (own / name).exists():
                (own / name).symlink_to(kit.root / "lib" / name)
                looked_at.append(own / name)  # it may need others
    before = [path for path in os.environ.get("LD_LIBRARY_PATH", "").split(":") if path]
    folders = dict.fromkeys([*before, str(own), *library_folders()])
    return ({**os.environ, "LD_LIBRARY_PATH": ":".join(folders)},
            sorted(path.name for path in own.iterdir()))


def path_of(name):
    """The file of a library that this process has loaded."""
    for line in open("/proc/self/maps"):
        if os.path.basename(line.split()[-1]).startswith(name.split(".so")[0] + ".so"):
            return line.split()[-1]
    return name


def version_of(library, function):
    if function == "ncclGetVersion":
        version = ctypes.c_int()
        library.ncclGetVersion(ctypes.byref(version))
        number = version.value
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    get = getattr(library, function)
    get.restype = ctypes.c_size_t
    number = get()
    thousands = 1000 if function == "cudnnGetVersion" and number < 90000 else 10000
    return f"{number // thousands}.{number % thousands // 100}.{number % 100}"


def find(names, function):
    problems = []
    for name in names:
        try:
            library = ctypes.CDLL(name)
            return {"path": path_of(name), "version": version_of(library, function)}
        except (OSError, AttributeError) as error:
            problems.append(str(error))
    return {"missing": problems[0]}


def describe(cuda, number):
    """One GPU."""
    device, value, capability = ctypes.c_int(), ctypes.c_int(), []
    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    cuda.cuDeviceGet(ctypes.byref(device), number)
    cuda.cuDeviceGetName(name, 256, device)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    for attribute in COMPUTE_CAPABILITY:
        cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        capability.append(str(value.value))
    return {"name": name.value.decode(), "capability": ".".join(capability),
            "memory": memory.value}


def gpus():
    """What the driver says; "missing" without one."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return {"missing": str(error)}
    version, count = ctypes.c_int(), ctypes.c_int()
    code = cuda.cuInit(0)
    if code:
        return {"missing": f"cuInit returned {code}"}
    cuda.cuDriverGetVersion(ctypes.byref(version))
    cuda.cuDeviceGetCount(ctypes.byref(count))
    found = []
    for number in range(count.value):
        found.append(describe(cuda, number))
    cuda_version = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return {"cuda": cuda_version, "path": path_of("libcuda.so.1"), "devices": found}


def said(*words):
    """The last line of what a program prints, or nothing."""
    try:
        text = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return text.strip().splitlines()[-1] if text.strip() else ""


def sanitizer():
    names = [shutil.which("compute-sanitizer"), *glob.glob("/usr/local/cuda*/bin/compute-sanitizer")]
    return next((name for name in names if name), "")


def probe():
    return {
        "driver": gpus(),
        "driver_version": said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
        "libraries": {name: find(*how) for name, how in LIBRARIES.items()},
        "sanitizer": sanitizer(),
        "system": f"{platform.freedesktop_os_release().get('PRETTY_NAME', platform.system())}, "
                  f"glibc {platform.libc_ver()[1]}, Python {platform.python_version()}",
        "cores": len(os.sched_getaffinity(0)),
    }


if __name__ == "__main__":
    print(json.dumps(probe()))
