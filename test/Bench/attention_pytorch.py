"""Causal attention, ours and PyTorch's in turn on the same numbers.

    python attention_pytorch.py [--tokens 4096] [--heads 8] [--threads 1]
                                [--rounds 7] [--program PROGRAM]

Float32, heads of 64, q, k, v and results as projections leave them ([tokens,
heads, 64]). A round is a step of each: a forward, and a gradient (PyTorch's is
scaled_dot_product_attention and autograd of it). Prints a line of JSON: medians
over rounds, in milliseconds of processor time of all threads, of the forward and
of both together; and the median, least and largest of the rounds' ratios, by
processor time and by what passed on the clock. PROGRAM is bench-attention-steps,
in the build directory. It ends with an error if the results differ.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

SIZE = 64
NAMES = ("out", "dq", "dk", "dv")


def options():
    built = Path(__file__).resolve().parents[2] / "build/test/bench"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--program", default=built / "bench-attention-steps")
    return parser.parse_args()


class Ours:
    def __init__(self, args, folder, inputs):
        for name, values in inputs.items():
            values.tofile(folder / name)
        self.folder = folder
        self.process = subprocess.Popen(
            [args.program, folder, str(args.tokens), str(args.heads),
             str(args.threads)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def step(self):
        """(wall, processor) of the forward, then of the gradient."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        times = [float(t) for t in self.process.stdout.readline().split()]
        return times[:2], times[2:]

    def results(self, shape):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise SystemExit("our program failed")
        return [np.fromfile(self.folder / name, np.float32).reshape(shape)
                for name in NAMES]


class Pytorch:
    def __init__(self, inputs):
        self.q, self.k, self.v, self.dout = (
            torch.from_numpy(values)[None].transpose(1, 2)
            for values in inputs.values())
        self.inputs = (self.q, self.k, self.v)
        for one in self.inputs:
            one.requires_grad_()

    def step(self):
        """As Ours.step."""
        clocks = [now()]
        self.out = F.scaled_dot_product_attention(*self.inputs,
                                                  is_causal=True)
        clocks.append(now())
        self.gradients = torch.autograd.grad(self.out, self.inputs, self.dout)
        clocks.append(now())
        return [[1e3 * (b - a) for a, b in zip(before, after)]
                for before, after in zip(clocks, clocks[1:])]

    def results(self):
        return [one.detach().transpose(1, 2)[0].numpy()
                for one in (self.out, *self.gradients)]


def now():
    return time.monotonic(), time.process_time()


def compare(ours, theirs):
    for name, a, b in zip(NAMES, ours, theirs):
        difference = np.abs(a - b).max() / np.abs(b).max()
        if not difference < 1e-4:
            raise SystemExit(f"{name} differs by {difference} of its largest")


def report(args, ours, theirs):
    line = {"tokens": args.tokens, "heads": args.heads,
            "threads": args.threads, "pytorch": torch.__version__}
    for name, total in (("forward", lambda step, clock: step[0][clock]),
                        ("both", lambda step, clock:
                         step[0][clock] + step[1][clock])):
        for owner, steps in (("ours", ours), ("pytorch", theirs)):
            line[f"{name}_{owner}_ms"] = round(
                statistics.median(total(step, 1) for step in steps), 1)
        for clock, of in ((1, "ratio"), (0, "wall_ratio")):
            ratios = [total(a, clock) / total(b, clock)
                      for a, b in zip(ours, theirs)]
            line[f"{name}_{of}"] = [round(f(ratios), 3) for f in
                                    (statistics.median, min, max)]
    print(json.dumps(line))


def main():
    args = options()
    torch.set_num_threads(args.threads)
    random = np.random.default_rng(1)
    shape = (args.tokens, args.heads, SIZE)
    inputs = {name: random.standard_normal(shape, np.float32)
              for name in ("q", "k", "v", "dout")}
    with tempfile.TemporaryDirectory() as name:
        ours, theirs = Ours(args, Path(name), inputs), Pytorch(inputs)
        steps = [(ours.step(), theirs.step())
                 for _ in range(args.rounds + 1)][1:]  # caches and pages
        compare(ours.results(shape), theirs.results())
    report(args, *zip(*steps))


if __name__ == "__main__":
    main()
