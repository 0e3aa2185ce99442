# How lit runs the tests in this folder: which files are tests, which tools
# they see, and which features a test may require.

import os
import shutil

import lit.formats

config.name = "hocket"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".hkt", ".test"]
config.excludes = ["Inputs", "Cases", "Data", "Fuzz", "Bench", "Random"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.hocket_build_dir, "test")

# hocket, hocket-opt, FileCheck, not, split-file and so on are found on PATH,
# ours first.
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.hocket_build_dir, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)

# Variables of FileCheck that do not start with $ end at each CHECK-LABEL. Of an
# input that does not match enough is shown to read what a program said.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope -dump-input-context=40"

# Memory is filled with a pattern before use and after it is freed: what reads
# it there is wrong on every run, not on one in a thousand.
config.environment["MALLOC_PERTURB_"] = "165"

for name in ["CC", "CXX", "HOCKET_CACHE", "XDG_CACHE_HOME"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

cache = os.environ.get(
    "HOCKET_CACHE", os.path.join(config.hocket_source_dir, ".cache")
)
weights = os.path.join(cache, "minilm", "model.safetensors")

config.substitutions += [
    ("%minilm-weights", weights),
    # A dump with an operation a line, its types and attributes in full.
    ("%in-full", "hocket-opt --mlir-print-debuginfo --mlir-use-nameloc-as-prefix"),
    ("%same-text", os.path.join(config.test_source_root, "Errors", "same-text")),
    (
        "%on-lookalikes",
        "env HOCKET_BUILD="
        + config.hocket_build_dir
        + " "
        + os.path.join(config.test_source_root, "Gpu", "on-lookalikes"),
    ),
    ("%nvcc", config.nvcc),
    ("%ptxas", os.path.join(os.path.dirname(config.nvcc), "ptxas")),
    ("%data", os.path.join(config.test_source_root, "Data")),
    ("%examples", os.path.join(config.hocket_source_dir, "docs", "examples")),
    ("%hocket-source", config.hocket_source_dir),
    ("%hocket-build", config.hocket_build_dir),
    ("%llvm-include", config.llvm_include_dir),
    # A program in C that calls what is compiled: %call-c FILE.c -o PROGRAM.
    (
        "%call-c",
        "cc -std=c99 -pedantic -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -I "
        + os.path.join(config.hocket_source_dir, "runtime", "include")
        + " -pthread -Wl,-rpath,"
        + os.path.dirname(config.hocket_library)
        + " -Wl,--no-as-needed "
        + config.hocket_library,
    ),
]

# Tests of `hocket import` need PyTorch: tools/dev/install-torch.
importer = os.path.join(config.hocket_build_dir, "import-env", "python")
config.environment["HOCKET_PYTHON"] = importer
config.environment["PYTHONPATH"] = os.path.join(
    config.hocket_source_dir, "tools", "import"
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.substitutions.append(("%import-python", importer))
if os.path.exists(importer):
    config.available_features.add("torch")
packages = os.path.join(config.hocket_build_dir, "import-env", "packages")
config.substitutions.append(("%import-packages", packages))
if os.path.exists(os.path.join(packages, "scikit_build_core")):
    config.available_features.add("scikit-build")
if os.path.exists(weights):
    config.available_features.add("minilm-weights")
if shutil.which("bible"):
    config.available_features.add("kjv")
# What needs kernels of CUDA C++, and what needs a real driver.
if config.nvcc:
    config.available_features.add("nvcc")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("nvidia-driver")

# One executable serves with either MPI; a test names the one that it needs.
for mpi in ["openmpi", "mpich"]:
    run = shutil.which("mpirun." + mpi)
    shim = os.path.join(config.hocket_build_dir, "lib", "hocket-%s.so" % mpi)
    if run and os.path.exists(shim):
        config.available_features.add(mpi)
# Tests may run as root in a container, with more processes than cores.
for name, value in {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_orte_abort_print_stack": "0",
}.items():
    config.environment[name] = value
