"""GPT-2's parameters, drawn at random, and how a forward is timed.

    python gpt2_model.py DIR      writes DIR/gpt2.safetensors, DIR/tokens.safetensors

Every program measured computes on these: the published shapes and names
(124M parameters), the same seed, tokens drawn from the whole vocabulary.
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

VOCAB, POSITIONS, HIDDEN, HEADS = 50257, 1024, 768, 12


def draw(layers):
    rng = np.random.default_rng(1)
    weights = {}

    def normal(name, *shape):
        weights[name] = 0.02 * rng.standard_normal(shape, np.float32)

    def norm(name):
        weights[name + ".weight"] = np.ones(HIDDEN, np.float32)
        weights[name + ".bias"] = np.zeros(HIDDEN, np.float32)

    def conv1d(name, inputs, outputs):  # [in, out], as GPT-2 keeps them
        normal(name + ".weight", inputs, outputs)
        normal(name + ".bias", outputs)

    normal("wte.weight", VOCAB, HIDDEN)
    normal("wpe.weight", POSITIONS, HIDDEN)
    for i in range(layers):
        norm(f"h.{i}.ln_1")
        conv1d(f"h.{i}.attn.c_attn", HIDDEN, 3 * HIDDEN)
        conv1d(f"h.{i}.attn.c_proj", HIDDEN, HIDDEN)
        norm(f"h.{i}.ln_2")
        conv1d(f"h.{i}.mlp.c_fc", HIDDEN, 4 * HIDDEN)
        conv1d(f"h.{i}.mlp.c_proj", 4 * HIDDEN, HIDDEN)
    norm("ln_f")
    return weights


def draw_tokens(batch, seq):
    rng = np.random.default_rng(2)
    return rng.integers(0, VOCAB, (batch, seq), dtype=np.int32)


def flops(layers, batch, seq):
    """Multiplications and additions of the matrix products, causal halves
    of attention counted whole."""
    token = layers * (2 * 12 * HIDDEN**2 + 4 * seq * HIDDEN)
    return batch * seq * (token + 2 * HIDDEN * VOCAB)


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seq", type=int, default=512)
    parser.add_argument("--runs", type=int, default=15)
    return parser


@dataclass
class Report:
    """Times `run` and prints one line of JSON."""

    program: str
    layers: int
    batch: int
    seq: int
    runs: int

    def measure(self, run, **facts):
        run(), run()
        times = []
        for i in range(self.runs):
            start = time.perf_counter()
            logits = run()
            times.append(time.perf_counter() - start)
        median = statistics.median(times)
        logits = np.asarray(logits, np.float64)[..., :VOCAB]
        work = flops(self.layers, self.batch, self.seq)
        print(json.dumps({
            "program": self.program, **facts, "layers": self.layers,
            "batch": self.batch, "seq": self.seq, "runs": self.runs,
            "median_ms": round(1e3 * median, 2),
            "best_ms": round(1e3 * min(times), 2),
            "gflop_per_s": round(work / median / 1e9, 1),
            "logits_norm": float(np.linalg.norm(logits)),
        }))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    from safetensors.numpy import save_file

    folder = Path(sys.argv[1])
    save_file(draw(layers=12), folder / "gpt2.safetensors")
    save_file({"tokens": draw_tokens(1, 512)}, folder / "tokens.safetensors")


if __name__ == "__main__":
    main()
