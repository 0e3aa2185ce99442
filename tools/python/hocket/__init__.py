"""Compiles models of the Hocket language and calls them with arrays.

    import hocket
    program = hocket.compile("gpt2.hkt", schedule="tensor_parallel", seq=128)
    program.load_weights("model.safetensors")
    logits = program(tokens=tokens)  # of numpy or of torch, as `tokens` is

Ranks are threads of this process, and a call leaves Python's lock to others.
What is wrong is a hocket.Error, with the sentence of the command line.
"""

import pathlib
import sys

from .compiler import compile, load
from .library import Error
from .program import Program, Tensor

__all__ = ["Error", "Program", "Tensor", "compile", "load", "to_hkt"]


def to_hkt(module, *args, **kwargs):
    """The text of a torch.nn.Module, which compile() takes: to_hkt of hocket_import,
    with its arguments. What cannot be imported is a hocket_import.Refused."""
    folder = pathlib.Path(__file__).parent / "share" / "hocket" / "import"
    if folder.is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))
    import hocket_import

    return hocket_import.to_hkt(module, *args, **kwargs)
