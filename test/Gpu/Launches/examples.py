"""The programs whose kernels the table has: all examples, with gradients."""

import sys
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "test/Gpu/OnGpu"))
from programs import EXAMPLES, VERIFIED, schedule  # noqa: E402

# Recipes, whose optimizers are kernels too: at most one of an example.
TRAINED = {
    "gpt2.hkt": ("pretrain", "deferred_gather"),
    "natten.hkt": ("imagenet", "domain_fsdp_and_tensor"),
    "cnn.hkt": ("classify", "space_channels"),
    "graph.hkt": ("forecast", "domain_and_data"),
    "tutorial.hkt": ("quickly", "tensor"),
}


@dataclass(frozen=True)
class Program:
    """`options` of hocket compile. `whole`: as the example stands, where sizes are
    multiples of a tile; else the odd ones at which tests verify it."""

    name: str
    file: str
    options: tuple
    whole: bool


def of_example(file, whole):
    _, sizes, schedules = VERIFIED[file]
    if whole:  # each schedule once, for as many ranks as it says
        sizes, schedules = (), dict.fromkeys(text.split()[0] for text in schedules)
    name = name_of(file)
    for text in schedules:
        yield Program(f"{name} {text}", EXAMPLES + file,
                      ("--grad", *schedule(text), *sizes), whole)
    if file in TRAINED:
        recipe, text = TRAINED[file]
        yield Program(f"{name} {recipe}", EXAMPLES + file,
                      ("--train", recipe, *schedule(text), *sizes), whole)


def name_of(file):
    return file.removesuffix(".hkt")


NAMES = [name_of(file) for file in VERIFIED]


def programs(whole, names, first=False):
    """Of each example that is named a list of all programs, or of the first alone. A
    kernel counts for the first program of its example that has it."""
    return [list(of_example(file, whole))[: 1 if first else None]
            for file in VERIFIED if name_of(file) in names]
