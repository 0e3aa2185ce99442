#!/usr/bin/env python3
"""Makes a kit (kit.py): all that gpu-test needs on a machine with a GPU.

    pack.py FOLDER BUILD [--small] [--only PATTERN] [--arch CHIPS] [--jobs N]

Needs the build folder BUILD, and ptxas unless CHIPS is `none`: the driver then
assembles the kernels when a program starts.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import kit
from measured import measures
from programs import verified

TOP = Path(__file__).resolve().parents[3]
TOOLS = ["ptx-vectors", "compare-kept", "gpu-baseline"]
MOST_BYTES = 64 << 20
# What every Linux that can run the programs has; another one's would not go
# together with its loader.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread))\.so")


def call(words, **more):
    done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, **more)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Packer:
    def __init__(self, build, root, arch):
        self.build, self.root = Path(build).resolve(), root
        self.runner = self.build / "bin/hocket-runner-cuda"
        self.target = ["--target=cuda"] + ([] if arch == "none" else [f"--arch={arch}"])

    def add(self, program):
        """Puts one program into the kit; gives its ranks and the PTX of its kernels."""
        place = self.root / "programs" / program.name
        place.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=self.root.parent) as scratch:
            made = Path(scratch) / "kept"
            where = ["--keep", made] if program.command == "verify" else ["-o", made / "program"]
            made.mkdir()
            call([self.build / "bin/hocket", program.command, program.file, *program.options,
                  *self.target, *where], input=program.text)
            (place / "tail").write_bytes(kit.tail_of(made / "program", self.runner))
            for file in made.glob("*.safetensors"):
                shutil.move(file, place)
            ranks = json.loads(call([made / "program", "--describe"]))["ranks"]
            return ranks, call([TOP / "test/Cuda/Inputs/kernels-of", made / "program"])

    def add_tools(self):
        for folder in ["bin", "lib"]:
            (self.root / folder).mkdir()
        shutil.copy(self.runner, self.root / "runner")
        for tool in TOOLS:
            shutil.copy(self.build / "bin" / tool, self.root / "bin")
        for file in [self.runner, *(self.build / "bin" / tool for tool in TOOLS)]:
            for name, path in re.findall(r"(\S+) => (/\S+)", call(["ldd", file])):
                if not OF_THE_SYSTEM.match(name):
                    shutil.copy(path, self.root / "lib" / name)

    def add_forms(self, texts):
        """Forms of all instructions of the kit's kernels and of the runtime's own."""
        with tempfile.TemporaryDirectory() as folder:
            files = sorted((self.build / "runtime/lib/Cuda/Kernels").glob("*.ptx"))
            for number, text in enumerate(texts):
                files.append(Path(folder) / f"{number}.ptx")
                files[-1].write_text(text)
            forms = call([self.build / "bin/ptx-vectors", "collect", *files])
        (self.root / "forms").write_text(forms)
        return len(forms.splitlines())


def commit():
    """Of the sources, as far as git says."""
    said = subprocess.run(["git", "-c", "safe.directory=*", "-C", TOP, "describe", "--always",
                           "--dirty"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(prog="tools/dev/gpu-test pack")
    parser.add_argument("folder", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--arch", default="sm_80,sm_90", metavar="CHIPS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()

    checked = [p for p in verified(args.small) if re.search(args.only, f"verify/{p.name}")]
    timed = [m for m in measures(args.small) if re.search(args.only, m.name)]
    programs = checked + [p for measure in timed for p in measure.programs]
    if not programs:
        sys.exit(f"error: no program of a kit matches '{args.only}'")
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.folder) as scratch:
        packer = Packer(args.build, Path(scratch) / "kit", args.arch)
        packer.root.mkdir()
        packer.add_tools()
        with ThreadPoolExecutor(args.jobs) as pool:
            added = list(pool.map(packer.add, programs))
        forms = packer.add_forms([text for _, text in added])
        (packer.root / "manifest.json").write_text(json.dumps({
            "commit": commit(), "made": date.today().isoformat(), "small": args.small,
            "arch": args.arch, "verified": [p.name for p in checked],
            "ranks": {p.name: ranks for p, (ranks, _) in zip(programs, added)},
            "measures": [{"name": m.name, "kind": m.kind, "facts": m.facts,
                          "programs": [p.name for p in m.programs]} for m in timed]}, indent=1))
        size = kit.compress(packer.root, args.folder / kit.FILE, preset=0 if args.small else 6)
    print(f"{args.folder / kit.FILE}: {len(programs)} programs, {forms} forms of instructions, "
          f"{size / 2**20:.1f} MiB")
    if size > MOST_BYTES:
        sys.exit(f"error: that is more than {MOST_BYTES >> 20} MiB; leave some out with --only")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"error: {error}")
