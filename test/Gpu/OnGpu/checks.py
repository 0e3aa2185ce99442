"""Steps 0 to 4: the machine, single instructions, programs, NCCL, the sanitizer."""

import filecmp
import json
import shutil
import socket
import sys
from pathlib import Path

import machine
from session import Failed, Late, Missing, Step, end, end_of

HERE = Path(__file__).parent
FORMS_A_STEP = 40


def environment(session):
    """Step 0. Without a GPU nothing else runs."""
    said = session.call([sys.executable, HERE / "machine.py", "probe"])
    session.machine = json.loads(said.stdout)
    session.machine |= {"from_kit": session.from_kit, "torch": session.peer.version()}
    driver = session.machine["driver"]
    if "missing" in driver or not driver["devices"]:
        raise Failed(f"no GPU: {driver.get('missing', 'the driver shows none')}", session.machine)
    lacks = machine.lacking(session.kit.root / "runner", session.environment)
    if lacks:
        raise Failed(f"programs cannot start: {', '.join(sorted(lacks))} is not there, or too old",
                     session.machine)
    return session.machine


def vectors(forms):
    """Step 1: single instructions on the GPU and on the interpreter."""

    def run(session):
        found = {"forms": 0, "numbers": 0, "other_bits": [], "wrong": [], "failed": []}
        left = forms
        while left:
            Path(session.path("forms")).write_text("".join(form + "\n" for form in left))
            done = session.call([session.kit.tool("ptx-vectors"), "run", session.path("forms")],
                                may_fail=True)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            for line in lines:
                count_form(found, line)
            # A form on which the GPU fails takes its process with it.
            if len(lines) < len(left) and not (lines and "failed" in lines[-1]):
                raise Failed(f"ptx-vectors: {end_of(done.stderr)}", found)
            left = left[len(lines):]
        if found["wrong"] or found["failed"]:
            raise Failed(f"of {len(forms)} forms {len(found['wrong'])} are wrong, "
                         f"{len(found['failed'])} failed", found)
        return found

    return run


def count_form(found, line):
    found["forms"] += 1
    if "failed" in line:
        found["failed"].append(line)
        return
    found["numbers"] += line["numbers"]
    for kind in ["other_bits", "wrong"]:
        if line[kind]:
            found[kind].append(line)


def kept(session, program, name, more=(), environment=None):
    """Runs a program on what was kept of it; gives the file of its outputs."""
    output = session.path("outputs.safetensors")
    session.call([program, "--weights", session.kit.data(name, "weights.safetensors"),
                  "--input", session.kit.data(name, "inputs.safetensors"), "--output", output,
                  *more], environment=environment)
    return output


def compare(session, output, name):
    done = session.call([session.kit.tool("compare-kept"), output,
                         session.kit.data(name, "expected.safetensors")], may_fail=True)
    if not done.stdout:
        raise Failed(end_of(done.stderr))
    found = json.loads(done.stdout)
    if found["wrong"]:
        raise Failed(f"{found['wrong'][0]} and {len(found['wrong']) - 1} more outputs are off, "
                     f"the worst by {found['worst']:.1e}, expected at most "
                     f"{found['tolerance']:.0e}", found)
    return found


def verify(name):
    """Step 2: one step is plain launches, the third of three is a graph's replay."""

    def run(session):
        program = session.kit.program(name)
        plain = shutil.move(kept(session, program, name, ["--check-replicas"]),
                            session.path("plain.safetensors"))
        found = compare(session, plain, name)
        replayed = kept(session, program, name, ["--warmup", "2", "--repeat", "1"])
        if not filecmp.cmp(plain, replayed, shallow=False):
            raise Failed("a graph's replay gives other bits than plain launches", found)
        return found | {"replay": "equal bits"}

    return run


def one_rank(name):
    """Step 3, first: a process with a communicator of its own alone."""

    def run(session):
        program = session.kit.program(name)
        shared = shutil.move(kept(session, program, name), session.path("shared.safetensors"))
        alone = kept(session, program, name, ["--ranks-per-node", "1"])
        if not filecmp.cmp(shared, alone, shallow=False):
            raise Failed("a process of its own gives other bits")
        return {"bits": "equal"}

    return run


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def on_one_gpu(name, ranks):
    """Step 3, second: processes that share a GPU. Each has a machine's name of its own,
    without which Hocket, and a NCCL_HOSTID, without which NCCL refuses that."""

    def command(session, program, rank, output, port):
        run = [program, "--weights", session.kit.data(name, "weights.safetensors"), "--input",
               session.kit.data(name, "inputs.safetensors"), "--output", output,
               "--ranks-per-node", "1", "--node", str(rank), "--meet", f"127.0.0.1:{port}",
               "--deadline", "20"]
        return ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', f"node{rank}", *run]

    def run(session):
        if session.call(["unshare", "--uts", "hostname", "node0"], may_fail=True).returncode:
            raise Missing("names of machines cannot be told apart here: unshare --uts is refused")
        program = session.kit.program(name)
        shared = shutil.move(kept(session, program, name), session.path("shared.safetensors"))
        output, port = session.path("outputs.safetensors"), free_port()
        variables = {"NCCL_NET": "Socket", "NCCL_SOCKET_IFNAME": "lo", "NCCL_P2P_DISABLE": "1",
                     "NCCL_SHM_DISABLE": "1", "NCCL_DEBUG": "WARN"}
        started = [session.start(command(session, program, rank, output, port),
                                 {**variables, "NCCL_HOSTID": f"node{rank}"})
                   for rank in range(ranks)]
        said = wait_for_all(session, started)
        if any(process.returncode for process in started):
            raise Failed(f"statuses {[process.returncode for process in started]}: "
                         f"{end_of(said)}")
        equal = filecmp.cmp(shared, output, shallow=False)
        if not equal:
            raise Failed("the processes give other bits than streams of one process")
        return {"ranks": ranks, "bits": "equal to those of one process"}

    return run


def wait_for_all(session, started):
    said = ""
    try:
        for process in started:
            said += process.communicate(timeout=max(session.left(), 0.1))[1]
    except Exception:
        for process in started:
            end(process)
        raise Late("a process had not ended") from None
    return said


def sanitize(tool, name):
    """Step 4."""

    def run(session):
        sanitizer = session.machine.get("sanitizer")
        if not sanitizer:
            raise Missing("compute-sanitizer is not installed")
        program = session.kit.program(name)
        words = [sanitizer, "--tool", tool, "--error-exitcode", "86", "--print-limit", "5",
                 program, "--weights", session.kit.data(name, "weights.safetensors"), "--input",
                 session.kit.data(name, "inputs.safetensors"), "--repeat", "2"]
        done = session.call(words, may_fail=True)
        summary = end_of(done.stdout, 1)
        if done.returncode:
            raise Failed(f"status {done.returncode}: {end_of(done.stdout + done.stderr, 12)}")
        return {"said": summary}

    return run


def steps(kit):
    """Of a kit, in their order."""
    yield Step("environment", 120, environment)
    forms = (kit.root / "forms").read_text().splitlines()
    for first in range(0, len(forms), FORMS_A_STEP):
        part = forms[first : first + FORMS_A_STEP]
        yield Step(f"vectors/{first + 1}-{first + len(part)}", 120, vectors(part))
    names = kit.manifest["verified"]
    for name in names:
        yield Step(f"verify/{name}", 60, verify(name))
    ranks = kit.manifest["ranks"]
    alone = [name for name in names if ranks[name] == 1 and name.endswith("-f32")]
    for name in alone[:1]:
        yield Step(f"nccl/one-rank/{name}", 60, one_rank(name))
    several = [name for name in names if 1 < ranks[name] <= 4 and name.endswith(("-f32", "-bf16"))]
    for name in sorted(several, key=lambda name: ranks[name])[:3]:
        yield Step(f"nccl/on-one-gpu/{name}", 90, on_one_gpu(name, ranks[name]))
    for tool in ["memcheck", "racecheck"]:
        for name in sanitized(names):
            yield Step(f"sanitize/{tool}/{name}", 60, sanitize(tool, name))


def sanitized(names):
    """One program of each example in f32, and one in bf16: the tool takes its time."""
    kinds = set()
    for name in names:
        file, precision = name.split("-")[0], name.rsplit("-", 1)[1]
        kind = "any" if precision == "bf16" else file, precision
        if precision != "f64" and kind not in kinds:
            kinds.add(kind)
            yield name
