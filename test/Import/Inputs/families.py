"""Imports a tiny model of each family; compares its text with PyTorch, on one device
and, under a schedule that was written by hand for it, on ranks: outputs at two
lengths, and the gradients of all parameters.

    families.py FOLDER NAME...

A schedule is NAME_schedules.hkt beside this file: the first one of it is run.
"""

import pathlib
import shutil
import sys

import hocket_import
import models
import texts
from hocket_import import check

HERE = pathlib.Path(__file__).parent


def family(name, folder):
    folder.mkdir(parents=True)
    module, inputs = models.build(name)
    inputs = models.with_padding(name, inputs)
    dims = {key: models.dims(key) for key in inputs}
    text, graph = hocket_import.convert(module, inputs, dims, models.FAMILIES[name][0])
    assert text == hocket_import.to_hkt(module, kwargs=inputs, dims=dims), \
        "a second import differs"
    file = folder / f"{name}.hkt"
    file.write_text(text)
    golden = HERE / file.name
    if golden.exists():
        assert text == golden.read_text(), f"the text is not that of {golden}:\n{text}"
    texts.hocket("fmt", "--check", file)
    texts.compare(file, module, inputs)
    check.check("hocket", text, module, graph)
    gradients(name, folder, dims)
    said = "one device"
    schedules = HERE / f"{name}_schedules.hkt"
    if schedules.exists():
        shutil.copy(schedules, folder)
        for line in schedules.read_text().splitlines():
            if line.startswith("schedule "):
                schedule = line.split("(")[0].split()[1]
                texts.compare(folder / schedules.name, module, inputs,
                              "--schedule", schedule)
                said += f", {schedule}"
    print(f"{name}: right on {said}", flush=True)


def gradients(name, folder, dims):
    """Those of the text of the same model without dropout."""
    module, inputs = models.build(name, **models.without_dropout(name))
    file = folder / f"{name}_gradients.hkt"
    file.write_text(hocket_import.to_hkt(module, kwargs=inputs, dims=dims))
    texts.compare_gradients(file, module, inputs)


root = pathlib.Path(sys.argv[1])
shutil.rmtree(root, ignore_errors=True)
for name in sys.argv[2:]:
    family(name, root / name)
