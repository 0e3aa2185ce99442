"""PyTorch in a process of its own, which is asked for times in turn with ours."""

import json
import select
import subprocess
import sys
from pathlib import Path

from machine import said
from session import Failed, Late, end, end_of

PROGRAM = Path(__file__).with_name("torch_peer.py")
NO_GPU = "sees no GPU"  # in the place of a version


class Peer:
    """Started by the first question, where the machine has PyTorch; where it has
    not, `missing` says so and questions have no answer. It finds its libraries by
    itself, as without us."""

    def __init__(self, session):
        self.session, self.process = session, None
        self.log = Path(session.path("peer.log"))

    def version(self):
        """Of PyTorch; NO_GPU, or nothing where it is not installed."""
        return said(sys.executable, "-c", "import torch; print(torch.__version__ if "
                    f"torch.cuda.is_available() else '{NO_GPU}')")

    @property
    def missing(self):
        torch = self.session.machine.get("torch")
        if not torch:
            return "PyTorch is not installed"
        return f"PyTorch {NO_GPU}" if torch == NO_GPU else ""

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=log, text=True, start_new_session=True)

    def ask(self, request):
        """Seconds by name."""
        if self.missing:
            return {}
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its log says why
        ready, _, _ = select.select([self.process.stdout], [], [], max(self.session.left(), 0.1))
        if not ready:
            self.close()
            raise Late("PyTorch had not answered")
        answer = self.process.stdout.readline()
        if not answer:
            self.close()
            raise Failed(f"PyTorch: {end_of(self.log.read_text())}")
        return json.loads(answer)

    def close(self):
        if self.process:
            end(self.process)
            self.process = None
