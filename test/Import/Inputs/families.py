"""Imports a tiny model of each family, and compares its text with PyTorch: outputs in
float32 at two lengths, in float64, and the gradients of all parameters, on one device;
outputs under each of the family's schedules on 2 and on 4 ranks, on 4 in float64 too.
There gradients in float64 are compared with those of the reference.

    families.py FOLDER NAME...        says what is right
    families.py table FOLDER NAME...  the rows of the table of docs/import.md
"""

import json
import pathlib
import re
import shutil
import sys

import hocket_import
import models
import texts
import wide
from hocket_import import check

HERE = pathlib.Path(__file__).parent
# What a row of the table says, in this order.
ERRORS = ("float32", "gradients", "float64", "double")
# Families whose schedules are those of another: only the names of model and file differ.
ALIKE = {"llama_padded": "llama", "llama3_1": "llama", "yarn": "llama",
         "mistral": "llama", "qwen3": "llama", "gemma": "gemma3",
         "electra": "bert", "roberta_counted": "bert", "clip_text_end": "clip_text"}


def schedules(name, folder):
    """The file of a family's schedules, in `folder`."""
    other = ALIKE.get(name, name)
    text = (HERE / f"{other}_schedules.hkt").read_text()
    text = text.replace(f'"{other}.hkt"', f'"{name}.hkt"').replace(
        f" for {models.FAMILIES[other][0]} ", f" for {models.FAMILIES[name][0]} ")
    file = folder / f"{name}_schedules.hkt"
    file.write_text(text)
    texts.hocket("fmt", "--check", file)
    return file


def runs(file):
    """(schedule, ranks, options) of a file: the last parameter of each schedule is set
    so that there are 2 ranks, and so that there are 4; one without is of 4."""
    for schedule, has, parameters in re.findall(
            r"^schedule (\w+)(\(?)(.*?)\)? for", file.read_text(), re.MULTILINE):
        if not has:
            yield schedule, 4, ["--schedule", schedule]
            continue
        *_, last = named = re.findall(r"(\w+): int = (\d+)", parameters)
        others = 1
        for _, size in named[:-1]:
            others *= int(size)
        for ranks in (2, 4):
            yield schedule, ranks, ["--schedule", schedule,
                                    "-D", f"schedule.{last[0]}={ranks // others}"]


def family(name, folder):
    folder.mkdir(parents=True)
    module, inputs = models.build(name)
    inputs = models.with_padding(name, inputs)
    dims = models.dims(name)
    text, graph = hocket_import.convert(module, inputs, dims, models.FAMILIES[name][0])
    assert text == hocket_import.to_hkt(module, kwargs=inputs, dims=dims), \
        "a second import differs"
    file = folder / f"{name}.hkt"
    file.write_text(text)
    golden = HERE / file.name
    if golden.exists():
        assert text == golden.read_text(), f"the text is not that of {golden}:\n{text}"
    texts.hocket("fmt", "--check", file)
    errors = [texts.compare(file, module, inputs),
              check.check("hocket", text, module, graph)]
    row = {"gradients": gradients(name, file, dims)}
    placed = schedules(name, folder)
    ranks = {}
    for schedule, count, options in runs(placed):
        errors.append(texts.compare(placed, module, inputs, *options))
        ranks.setdefault(schedule, []).append(str(count))
    in_float64(name, folder, module, inputs, row)
    row |= {"float32": max(errors), "schedules": [
        f"{schedule} on {' and '.join(counts)}" for schedule, counts in ranks.items()]}
    (folder / "row").write_text(json.dumps(row))
    documented(name, row)
    print(f"{name}: right on one device, {', '.join(row['schedules'])}", flush=True)


def in_float64(name, folder, module, inputs, row):
    """Outputs on one device and on 4 ranks; gradients there."""
    file, placed = folder / f"{name}.hkt", folder / f"{name}_schedules.hkt"
    expected = wide.Expected(name, module, inputs, file.read_text())
    errors = [wide.compare(file, expected)]
    for options in (options for _, ranks, options in runs(placed) if ranks == 4):
        errors.append(wide.compare(placed, expected, *options))
        texts.hocket("verify", placed, *options, "--float64", "--grad")
    row["float64"], row["double"] = map(max, zip(*errors))


def gradients(name, file, dims):
    """The error of those of the text of the same model without dropout."""
    changes = models.without_dropout(name)
    module, inputs = models.build(name, **changes)
    if changes:
        file = file.with_name(f"{name}_gradients.hkt")
        file.write_text(hocket_import.to_hkt(module, kwargs=inputs, dims=dims))
    return texts.compare_gradients(file, module, inputs)


def cells(name, row):
    """A row of the table of docs/import.md."""
    return [name, *(f"{row[error]:.0e}".replace("e-0", "e-") for error in ERRORS),
            ", ".join(row["schedules"])]


def documented(name, row):
    """The table says what was found; on another CPU errors are others, not much more."""
    text = (HERE.parents[2] / "docs" / "import.md").read_text()
    found = cells(name, row)
    said = re.search(rf"^\| {name} \| (.*) \|$", text, re.MULTILINE)
    assert said, f"docs/import.md lacks a row: | {' | '.join(found)} |"
    *errors, schedules = said[1].split(" | ")
    assert schedules == found[-1], f"docs/import.md has '{schedules}' for {name}"
    for error, number in zip(ERRORS, errors):
        assert row[error] <= 10 * float(number), \
            f"docs/import.md has {number} for the {error} of {name}: {row[error]}"


def table(root, names):
    for name in names:
        row = json.loads((root / name / "row").read_text())
        print(f"| {' | '.join(cells(name, row))} |")


def main(root, names):
    if root == "table":
        return table(pathlib.Path(names[0]), names[1:])
    root = pathlib.Path(root)
    shutil.rmtree(root, ignore_errors=True)
    for name in names:
        family(name, root / name)


main(sys.argv[1], sys.argv[2:])
