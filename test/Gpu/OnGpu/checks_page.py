"""gpu-checks.md: what was computed rightly on a GPU."""

from page import head, paragraph, table, under, why

PRECISIONS = ["f32", "f64", "bf16"]


def place(path):
    """The end of a path, which says as much to others."""
    return "/".join(path.split("/")[-4:]).removeprefix("/")


def libraries(machine):
    rows = [["driver", machine["driver_version"], place(machine["driver"]["path"])]]
    for name, found in machine["libraries"].items():
        rows.append([name, found.get("version", "missing"),
                     place(found["path"]) if "path" in found else found["missing"]])
    rows.append(["PyTorch", machine["torch"] or "missing", "" if machine["torch"] else
                 "times have nothing beside them"])
    rows.append(["compute-sanitizer", "there" if machine["sanitizer"] else "missing",
                 place(machine["sanitizer"])])
    rows.append(["taken along", "", ", ".join(machine["from_kit"]) or "nothing was lacking"])
    return table(["what", "version", "where"], rows)


def instructions(steps):
    """Of all forms together; a row for each that is not as expected."""
    found = [record.get("data") for record in steps.values() if record.get("data")]
    forms, numbers = (sum(data[key] for data in found) for key in ["forms", "numbers"])
    text = paragraph(f"{forms} forms of instructions; {numbers} numbers, each computed by the GPU "
                     "and by the interpreter.")
    wrong = [line for data in found for line in data["wrong"] + data["failed"]]
    other = [line for data in found for line in data["other_bits"] if not line["wrong"]]
    if wrong:
        text += "\n" + table(["form", "rule", "wrong", "first"],
                             [[f"`{line['form']}`", line.get("rule", ""), line.get("wrong", "failed"),
                               line.get("first", line.get("failed"))] for line in wrong])
    if other:
        text += "\nOther bits, within the rule:\n\n" + table(
            ["form", "rule", "of", "other bits", "worst, of what may differ"],
            [[f"`{line['form']}`", line["rule"], line["numbers"], line["other_bits"],
              f"{line['worst']:.2g}" if "worst" in line else ""] for line in other])
    if not wrong and not other and found:
        text += "All bits are equal.\n"
    return text + not_passed(steps)


def not_passed(steps):
    rows = [[f"`{name}`", record["status"], why(record)] for name, record in steps.items()
            if record["status"] != "passed"]
    return "\n" + table(["step", "", "why"], rows) if rows else ""


def programs(steps):
    """A row a program, a column a precision: the worst error of an output."""
    rows = {}
    for name, record in steps.items():
        program, precision = name.rsplit("-", 1)
        data = record.get("data") or {}
        cell = f"{data['worst']:.1e}" if record["status"] == "passed" else record["status"]
        rows.setdefault(program, {})[precision] = cell
    return table(["program", *PRECISIONS],
                 [[f"`{program}`", *(cells.get(each, "") for each in PRECISIONS)]
                  for program, cells in rows.items()]) + not_passed(steps)


def outcomes(steps):
    return table(["step", "", "what came of it"],
                 [[f"`{name}`", record["status"],
                   why(record) or ", ".join(f"{key}: {value}" for key, value in
                                            (record["data"] or {}).items())]
                  for name, record in steps.items()])


def write(records, is_lookalike):
    text = head("Checks on a GPU", records, is_lookalike)
    text += libraries(records["environment"]["data"])
    parts = [
        ("vectors", "Single instructions", instructions,
         "By the rules of [test/Gpu](../../test/Gpu/README.md#vectors-the-interpreter-beside-a-gpu)."),
        ("verify", "Programs", programs,
         "Relative errors from the float64 reference, of gradients a tenth, all ranks on one "
         "GPU, with dropout; 1e-5, 1e-12 and 2e-2 are accepted. Where there is a number, the third "
         "step, the replay of a graph, gave the bits of the first, plain launches."),
        ("nccl", "NCCL", outcomes,
         "One rank in a process of its own; and a process a rank on one GPU, each with another "
         "name of a machine and another NCCL_HOSTID, over sockets. The bits of one process are "
         "expected."),
        ("sanitize", "compute-sanitizer", outcomes, "")]
    for prefix, title, rows, about in parts:
        steps = under(records, prefix)
        if steps:
            text += f"\n## {title}\n\n" + (paragraph(about) + "\n" if about else "") + rows(steps)
    return text
