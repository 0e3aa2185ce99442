"""What run-training asks for between its programs.

    python training_report.py SIZE                    options of `hocket compile`
    python training_report.py SIZE SCHEDULE METRICS   a line as gpt2_model.Report's
    python training_report.py --ratios RESULTS        medians of rounds, ratios
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import gpt2_model as model

SEQ = 512


def print_defines(name):
    size = model.SIZES[name]
    facts = vars(size) | {"p": 0, "batch": 1, "seq": SEQ}
    for key, value in facts.items():
        print(f"-D\n{key}={value}")


def print_steps(name, schedule, metrics):
    lines = [json.loads(line) for line in Path(metrics).read_text().split("\n")
             if line]
    times = [SEQ / line["tokens_per_second"] for line in lines[2:]]
    args = argparse.Namespace(size=name, layers=None, batch=1, seq=SEQ)
    model.Report("hocket", args).print(
        times, 3, loss=round(lines[-1]["loss"], 5), schedule=schedule)


def print_ratios(results):
    rounds = {}
    for line in Path(results).read_text().splitlines():
        line = json.loads(line)
        how = [f"{key} {line[key]}" for key in
               ("schedule", "processes", "devices") if key in line]
        program = " ".join([line["program"], *how])
        rounds.setdefault(line["size"], {}).setdefault(program, []).append(line)
    for size, programs in rounds.items():
        medians = {program: statistics.median(x["median_ms"] for x in lines)
                   for program, lines in programs.items()}
        ours = medians["hocket schedule two_devices"]
        for program, lines in programs.items():
            print(json.dumps({
                "size": size, "program": program, "rounds": len(lines),
                "median_ms": medians[program],
                "best_ms": min(x["best_ms"] for x in lines),
                "hocket_over_it": round(ours / medians[program], 2),
                "loss": sorted({x["loss"] for x in lines}),
            }))


def main():
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "--ratios":
        print_ratios(words[1])
    elif len(words) == 3:
        print_steps(*words)
    elif len(words) == 1 and words[0] in model.SIZES:
        print_defines(words[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
