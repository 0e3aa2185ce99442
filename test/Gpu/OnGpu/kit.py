"""A kit: what a machine with a GPU gets, as a folder and as one compressed file.

    manifest.json           what is in it, and from which sources
    runner                  what every program begins with
    programs/NAME/tail      what follows it: kernels, plan, trailer (Launcher/Pack.h)
    programs/NAME/*.safetensors   of a program that is verified (hocket verify --keep)
    bin/, lib/              tools, and the libraries that they and the runner need
    forms                   of instructions, for ptx-vectors
"""

import json
import lzma
import shutil
import struct
import tarfile
from pathlib import Path

FILE = "kit.tar.xz"
TRAILER = struct.Struct("<5Q8s")  # offsets and sizes of kernels and plan, checksum, mark


def tail_of(program, runner):
    """What a compiled program has behind the runner."""
    content, start = Path(program).read_bytes(), Path(runner).read_bytes()
    *_, mark = TRAILER.unpack(content[-TRAILER.size :])
    if mark != b"HOCKET01" or not content.startswith(start):
        raise ValueError(f"'{program}' does not begin with the runner '{runner}'")
    return content[len(start) :]


def compress(folder, archive, preset):
    with lzma.open(archive, "wb", preset=preset) as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            tar.add(folder, arcname=".")
    return Path(archive).stat().st_size


class Kit:
    """One that is unpacked into `scratch`, where programs are put together too."""

    def __init__(self, folder, scratch):
        archive = Path(folder) / FILE
        if not archive.exists():
            raise FileNotFoundError(f"no '{archive}': make it with tools/dev/gpu-test pack {folder}")
        self.root, self.scratch = Path(scratch) / "kit", Path(scratch)
        with tarfile.open(archive) as tar:
            tar.extractall(self.root, filter="tar")
        self.manifest = json.loads((self.root / "manifest.json").read_text())

    def tool(self, name):
        return str(self.root / "bin" / name)

    def data(self, name, file):
        return str(self.root / "programs" / name / file)

    def program(self, name):
        """The executable of a program. Only the last one is kept: they are large."""
        path = self.scratch / "program"
        with open(path, "wb") as file:
            for part in [self.root / "runner", self.root / "programs" / name / "tail"]:
                with open(part, "rb") as source:
                    shutil.copyfileobj(source, file)
        path.chmod(0o755)
        return str(path)
