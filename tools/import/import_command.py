"""What `hocket import` starts: looks for PyTorch, then hands over to the package.

What is wrong is one text on standard error that begins with `error: `; the status
is 1 then, and no file is written.
"""

import logging
import sys

logging.getLogger("torch.utils.flop_counter").setLevel(logging.ERROR)  # of triton
try:
    import torch  # noqa: F401
except ImportError as lacking:
    sys.exit(f"error: hocket import needs PyTorch, and {sys.executable} cannot import "
             f"it: {lacking}\nnote: install it there, pip install torch, or name a "
             "Python that has it: HOCKET_PYTHON=PYTHON hocket import ...")

from hocket_import.command import command  # noqa: E402

command(sys.argv[1:])
