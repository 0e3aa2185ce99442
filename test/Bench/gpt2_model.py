"""GPT-2's parameters, drawn at random, and how forwards and steps are timed.

    python gpt2_model.py DIR [--size 124M]

writes DIR/gpt2.safetensors, DIR/tokens.safetensors and DIR/tokens.bin, from
which a training step is read. Every program measured computes on these: the
published names, the same seed, tokens drawn from the whole vocabulary.
"""

import argparse
import json
import statistics
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Size:
    layers: int
    hidden: int
    heads: int
    vocab: int
    positions: int


SIZES = {"124M": Size(12, 768, 12, 50257, 1024),  # as published
         "10M": Size(6, 384, 6, 256, 512)}


@dataclass(frozen=True)
class AdamW:
    """Of the recipe `bench` in gpt2.hkt."""

    rate: float = 1e-4
    betas: tuple = (0.9, 0.95)
    eps: float = 1e-8
    decay: float = 0.1
    clip: float = 1.0


def draw(size):
    rng = np.random.default_rng(1)
    weights = {}

    def normal(name, *shape):
        weights[name] = 0.02 * rng.standard_normal(shape, np.float32)

    def norm(name):
        weights[name + ".weight"] = np.ones(size.hidden, np.float32)
        weights[name + ".bias"] = np.zeros(size.hidden, np.float32)

    def conv1d(name, inputs, outputs):  # [in, out], as GPT-2 keeps them
        normal(name + ".weight", inputs, outputs)
        normal(name + ".bias", outputs)

    normal("wte.weight", size.vocab, size.hidden)
    normal("wpe.weight", size.positions, size.hidden)
    for i in range(size.layers):
        norm(f"h.{i}.ln_1")
        conv1d(f"h.{i}.attn.c_attn", size.hidden, 3 * size.hidden)
        conv1d(f"h.{i}.attn.c_proj", size.hidden, size.hidden)
        norm(f"h.{i}.ln_2")
        conv1d(f"h.{i}.mlp.c_fc", size.hidden, 4 * size.hidden)
        conv1d(f"h.{i}.mlp.c_proj", 4 * size.hidden, size.hidden)
    norm("ln_f")
    return weights


def draw_tokens(size, batch, seq):
    rng = np.random.default_rng(2)
    return rng.integers(0, size.vocab, (batch, seq), dtype=np.int32)


def draw_examples(size, batch, seq):
    """The tokens and targets of every step."""
    windows = draw_tokens(size, batch, seq + 1)
    return windows[:, :-1].copy(), windows[:, 1:].copy()


def flops(size, batch, seq):
    """Multiplications and additions of the matrix products of a forward,
    causal halves of attention counted whole."""
    token = size.layers * (2 * 12 * size.hidden**2 + 4 * seq * size.hidden)
    return batch * seq * (token + 2 * size.hidden * size.vocab)


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--size", choices=SIZES, default="124M")
    parser.add_argument("--layers", type=int)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int, default=512)
    parser.add_argument("--runs", type=int, default=15)
    return parser


def size_of(args):
    size = SIZES[args.size]
    return replace(size, layers=args.layers) if args.layers else size


@dataclass
class Report:
    """Times `run` and prints one line of JSON."""

    program: str
    args: argparse.Namespace

    def time(self, run):
        run(), run()
        times = []
        for i in range(self.args.runs):
            start = time.perf_counter()
            result = run()
            times.append(time.perf_counter() - start)
        return times, result

    def print(self, times, products, **facts):
        """`products`: of how many forwards."""
        median = statistics.median(times)
        work = products * flops(size_of(self.args), self.args.batch,
                                self.args.seq)
        print(json.dumps({
            "program": self.program, "size": self.args.size,
            "layers": size_of(self.args).layers, "batch": self.args.batch,
            "seq": self.args.seq, "runs": len(times),
            "median_ms": round(1e3 * median, 2),
            "best_ms": round(1e3 * min(times), 2),
            "gflop_per_s": round(work / median / 1e9, 1), **facts,
        }), flush=True)

    def forward(self, run, **facts):
        times, logits = self.time(run)
        vocab = size_of(self.args).vocab
        logits = np.asarray(logits, np.float64)[..., :vocab]
        self.print(times, 1, logits_norm=float(np.linalg.norm(logits)), **facts)

    def training(self, step, **facts):
        """`step` returns the loss before its update."""
        times, loss = self.time(step)
        self.print(times, 3, loss=round(float(loss), 5), **facts)


def main():
    parser = options(__doc__)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    size = size_of(args)
    from safetensors.numpy import save_file

    save_file(draw(size), args.folder / "gpt2.safetensors")
    tokens = draw_tokens(size, args.batch, args.seq)
    save_file({"tokens": tokens}, args.folder / "tokens.safetensors")
    # One batch, met at every step.
    draw_tokens(size, args.batch, args.seq + 1).tofile(args.folder / "tokens.bin")


if __name__ == "__main__":
    main()
