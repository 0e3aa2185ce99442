"""The programs whose calls fail."""

from dataclasses import dataclass, field


@dataclass
class Program:
    name: str
    source: str
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    processes: int = 1
    starts: bool = False  # its processes by itself
    trains: bool = False


DRAWN = ["--random-weights", "1", "--random-input", "2", "--repeat", "3"]
SMALL = ("layers=1 hidden=24 heads=2 positions=16 seq=8").split()
SMALL = [word for value in SMALL for word in ("-D", "model." * (value[0] in "lh") + value)]
TRAIN = ["--train", "rows", "-D", "vocab=256", "-D", "batch=4", *SMALL]
SAVES = ["--data", "text", "--token-type", "u8", "--steps", "4", "--save-every",
         "1", "--keep", "9", "--validation-data", "text", "--checkpoint", "run"]
PROGRAMS = [
    Program("inference", "convolutions.hkt", [], DRAWN),
    Program("attention", "attention.hkt",
            ["--grad", "--variant", "Brain", "--attention", "cudnn"], DRAWN),
    Program("timed", "mlp.hkt", [], [*DRAWN, "--stats"]),
    Program("ranks on a GPU", "mlp.hkt", ["--schedule", "tp"], DRAWN),
    Program("training", "training.hkt", ["--schedule", "data", *TRAIN], SAVES,
            trains=True),
    Program("processes", "mlp.hkt", ["--schedule", "tp"],
            [*DRAWN, "--sums", "nccl"], 2),
    Program("processes of its own", "convolutions.hkt", ["--schedule", "halo"],
            [*DRAWN, "--ranks-per-node", "2"], 2, starts=True),
    Program("training processes", "training.hkt", ["--schedule", "data", *TRAIN],
            SAVES, 2, trains=True),
]
