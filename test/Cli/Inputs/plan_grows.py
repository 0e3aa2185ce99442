"""What a plan and planning grow with.

    plan_grows.py time GPT3.hkt       processor time does not grow with ranks
    plan_grows.py layers NET.hkt  nor more than in proportion with layers that are
                                  computed again
    plan_grows.py graph GRAPH.hkt NPY layers of one graph share what they hold; its
                                      edges are written to NPY
"""

import json
import resource
import struct
import subprocess
import sys


def seconds(*arguments):
    """Processor time of `hocket ARGUMENTS`, the least of two."""
    times = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["hocket", *arguments], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


def check_time(model):
    def plan(dp):
        return seconds("plan", model, "--grad", "--schedule", "tensor_sequence", "-D", "layers=24",
                       "-D", "hidden=12288", "-D", "heads=96", "-D", "tp=8",
                       "-D", f"dp={dp}", "-D", f"batch={dp}")
    few, many = plan(2), plan(8192)
    # With lists of sizes by rank it was over three times.
    assert many < 2 * few, f"{few:.2f} s on 16 ranks, {many:.2f} s on 65536"


def check_layers(model):
    few, many = (seconds("check", model, "--schedule", "norms", "-D", f"layers={layers}",
                         "-D", "hidden=4", "-D", "rows=2") for layers in (500, 4000))
    # Where each layer looked for its begin from the model's, 33 times.
    assert many < 16 * few, f"{few:.2f} s for 500 layers, {many:.2f} s for 4000"


def write_edges(path, nodes):
    """Each node hears of the two before it and of every seventh: no interval."""
    ends = [(source, target) for target in range(nodes) for source in range(nodes)
            if source % 7 == 0 or 0 < target - source < 3]
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, %d), }" % len(ends)
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for side in range(2):
            file.write(struct.pack("<%di" % len(ends), *(pair[side] for pair in ends)))


def check_graph(model, edges):
    write_edges(edges, 96)
    command = ["hocket", "compile", model, "--schedule", "domain", "--grad", "--emit", "plan",
               "-D", f'file="{edges}"']
    plan = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    halos = [step for one in plan["classes"] for step in one["step"]
             if step["op"] == "collective" and step["kind"].startswith("halo")]
    # Three layers, there and back, in four classes.
    assert len(halos) >= 3 * 4, len(halos)
    assert len(plan["row_lists"]) == 1, len(plan["row_lists"])
    assert all(halo["rows"] == 0 for halo in halos)


{"time": check_time, "layers": check_layers, "graph": check_graph}[sys.argv[1]](*sys.argv[2:])
