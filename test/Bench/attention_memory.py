"""The memory of one causal attention, forward and backward, counted and measured.

    python attention_memory.py [--hocket HOCKET] [--tokens 8192 16384 32768]
                               [--ranks 1 2 4] [--schedule ring]

Compiles attention.hkt (8 heads of 64, float32) for each number of tokens and ranks, and
runs it once on inputs drawn at random. Prints a row for each, in MB: ranks, tokens; of
the rank with the most keys and values that it holds, by the plan, inputs and results, what
it holds between these, scratch of its calls; what all ranks hold; and the most that the
process of all ranks had in memory, less what it has when it only describes itself.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hocket", default=TOP / "build/bin/hocket")
    parser.add_argument("--tokens", type=int, nargs="+", default=[8192, 16384, 32768])
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--schedule", default="ring")
    return parser.parse_args()


def peak(command):
    """Bytes of a process that ends well."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command} failed")
    return usage.ru_maxrss * 1024


def measure(args, ranks, tokens, folder):
    model = [TOP / "test/Bench/attention.hkt", "--grad", "--schedule", args.schedule,
             "-D", f"ranks={ranks}", "-D", f"seq={tokens}"]
    plan = json.loads(subprocess.run([args.hocket, "plan", *model, "--json"], check=True,
                                     capture_output=True).stdout)
    program, stats = folder / f"{ranks}-{tokens}", folder / "stats.json"
    subprocess.run([args.hocket, "compile", *model, "-o", program], check=True)
    idle = peak([program, "--describe"])
    most = peak([program, "--random-input", "1", f"--stats=json:{stats}"])
    held = json.loads(stats.read_text())
    parts = [held[name + "_bytes"] for name in ("box", "arena", "scratch")]
    row = [ranks, tokens,
           plan["attentions"][0]["memory_bytes"]["keys_and_values"],
           *map(max, parts), sum(map(sum, parts)), most - idle]
    row[2:] = [f"{bytes / 1e6:.1f}" for bytes in row[2:]]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)


def main():
    args = options()
    with tempfile.TemporaryDirectory() as name:
        for ranks in args.ranks:
            for tokens in args.tokens:
                measure(args, ranks, tokens, Path(name))


if __name__ == "__main__":
    main()
