"""Starts the compiler."""

import os
import subprocess
import sys
import tempfile

from .library import Error, compiler
from .program import Program


def option(name, value):
    """grad=True: --grad; seed=2: --seed 2."""
    word = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    return [word] if value is True else [word, str(value)]


def spell(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class Source:
    """A file or a text, with what was chosen of it."""

    def __init__(self, source, options, dims):
        is_text = isinstance(source, str) and ("\n" in source or not source.strip())
        self.text = source if is_text else None
        self.file = "-" if is_text else os.path.abspath(source)
        self.folder = os.getcwd()  # that imports of a text are relative to
        self.options = [word for name, value in options.items()
                        for word in option(name, value)]
        for name, value in dims.items():
            self.options += ["-D", f"{name}={spell(value)}"]

    def run(self, command, *words, **options):
        """What a command of the compiler prints."""
        further = [word for name, value in options.items()
                   for word in option(name, value)]
        done = subprocess.run([compiler(), command, self.file, *self.options, *words,
                               *further], input=self.text or "", text=True,
                              capture_output=True, cwd=self.folder)
        if done.returncode:
            raise Error(done.stderr or done.stdout, done.returncode)
        return done.stdout


def compile(source, schedule=None, *, model=None, variant=None, function=None, grad=False,
            output=None, threads=0, deadline=0, pinned=True, **dims):
    """Compiles a model for ranks that are threads of this process.

    `source` is a path of a .hkt file, or the text of one, which has several lines.
    `schedule`, `model`, `variant`, `function` and `grad` are the options of `hocket
    compile`, `dims` are parameters of model and schedule: seq=128, or
    **{"schedule.tp": 4}. `output` keeps the shared library there, for hocket.load.

    `threads` are those of each rank (0: cores / ranks), `deadline` the seconds that
    one waits for another (0: 60), `pinned` whether ranks keep to cores where each
    thread has one.
    """
    chosen = Source(source, dict(schedule=schedule, model=model, variant=variant,
                                 function=function, grad=grad), dims)
    with tempfile.TemporaryDirectory(prefix="hocket-") as folder:
        # Once it is loaded, the file need not be there any more.
        path = os.path.abspath(output) if output else os.path.join(folder, "libapp.so")
        chosen.run("compile", "--emit=shared", "-o", path)
        return Program(path, chosen, threads=threads, deadline=deadline, pinned=pinned)


def load(path, *, threads=0, deadline=0, pinned=True):
    """A program that `hocket compile --emit=shared` made, or an executable for CPUs."""
    return Program(path, threads=threads, deadline=deadline, pinned=pinned)


def command():
    """The command line: becomes the compiler, whose importer runs in this Python."""
    os.environ.setdefault("HOCKET_PYTHON", sys.executable)
    program = str(compiler())
    os.execv(program, [program, *sys.argv[1:]])
