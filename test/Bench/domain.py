"""What run-domain asks for between its programs.

    python domain.py --draw DIR             inputs and weights of both models
    python domain.py --pytorch [--runs N]   PyTorch's convolution, two layouts
    python domain.py --steps NAME STATS     a line of what an executable printed
    python domain.py --ratios RESULTS       medians of rounds, ratios
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

CONV = (1, 64, 1024, 1024)
GRID = (1, 40320, 1024)  # o96, the channels of anemoi's processor


def draw(folder):
    from safetensors.numpy import save_file
    rng = np.random.default_rng(1)

    def normal(*shape, scale=1.0):
        return np.float32(scale) * rng.standard_normal(shape, np.float32)

    for name, shape in (("conv", CONV), ("grid", GRID)):
        save_file({"x": normal(*shape), "output.grad": normal(*shape),
                   "step": np.array(0, np.int32)},
                  folder / f"{name}.safetensors")
    save_file({"conv.weight": normal(64, 64, 3, 3, scale=1 / 24),
               "conv.bias": normal(64)}, folder / "weights.safetensors")


def pytorch(runs):
    import torch
    torch.set_num_threads(2)
    for layout in (torch.contiguous_format, torch.channels_last):
        x, gradient = (torch.randn(CONV).to(memory_format=layout)
                       for _ in range(2))
        x.requires_grad_()
        conv = torch.nn.Conv2d(64, 64, 3, padding=1).to(memory_format=layout)
        times = []
        for _ in range(runs + 2):  # two that don't count
            x.grad = None
            conv.zero_grad()
            start = time.perf_counter()
            conv(x).backward(gradient)
            times.append(time.perf_counter() - start)
        name = str(layout).removeprefix("torch.")
        report("conv", f"pytorch {torch.__version__} {name}", times[2:])


def report(what, program, times):
    print(json.dumps({
        "what": what, "program": program, "runs": len(times),
        "median_ms": round(1e3 * statistics.median(times), 1),
        "best_ms": round(1e3 * min(times), 1)}), flush=True)


def print_steps(name, stats):
    what, schedule = name.split("/")
    stats = json.loads(Path(stats).read_text())
    steps = stats["step_seconds"]
    print(json.dumps({
        "what": what, "program": f"hocket {schedule}", "runs": len(steps["all"]),
        "median_ms": round(1e3 * steps["median"], 1),
        "best_ms": round(1e3 * steps["min"], 1),
        "convolutions": stats.get("implementations", {})}), flush=True)


def print_ratios(results):
    rounds = {}
    for line in map(json.loads, Path(results).read_text().splitlines()):
        key = (line["what"], line["program"])
        rounds.setdefault(key, []).append(line)
    ours = {"conv": "hocket two_devices", "anemoi": "hocket shard_sequence"}
    medians = {key: statistics.median(line["median_ms"] for line in lines)
               for key, lines in rounds.items()}
    for (what, program), median in medians.items():
        print(json.dumps({
            "what": what, "program": program,
            "rounds": len(rounds[what, program]), "median_ms": median,
            "ours": ours[what],
            "ours_over_it": round(medians[what, ours[what]] / median, 3)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=Path)
    parser.add_argument("--pytorch", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", nargs=2)
    parser.add_argument("--ratios")
    args = parser.parse_args()
    if args.draw:
        draw(args.draw)
    if args.pytorch:
        pytorch(args.runs)
    if args.steps:
        print_steps(*args.steps)
    if args.ratios:
        print_ratios(args.ratios)


if __name__ == "__main__":
    main()
