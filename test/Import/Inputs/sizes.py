"""Imports models of other sizes: of the text only the model's parameters change, and
the schedules that were written for the first one still compile.

    sizes.py FOLDER
"""

import pathlib
import shutil
import sys

import hocket_import
import models
import texts

HERE = pathlib.Path(__file__).parent
# Family -> changes of its config; some make two sizes equal that are not one dim.
CHANGES = {
    "gpt2": [dict(n_layer=1), dict(n_layer=3), dict(n_embd=96, n_head=6),
             dict(n_inner=48), dict(vocab_size=48), dict(n_positions=101)],
    "llama": [dict(num_hidden_layers=1), dict(num_hidden_layers=4),
              dict(intermediate_size=64), dict(vocab_size=112, hidden_size=32),
              dict(num_key_value_heads=4), dict(max_position_embeddings=16)],
    "bert": [dict(num_hidden_layers=1), dict(intermediate_size=48),
             dict(hidden_size=96, vocab_size=96), dict(num_attention_heads=2)],
}


def head(text):
    """The model's line with its parameters, and all other lines."""
    lines = text.splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("model "))
    end = next(k for k in range(begin, len(lines)) if lines[k].endswith("{"))
    return " ".join(lines[begin:end + 1]), lines[:begin] + lines[end + 1:]


def check(folder, name, text):
    (folder / f"{name}.hkt").write_text(text)
    texts.hocket("fmt", "--check", folder / f"{name}.hkt")
    texts.hocket("check", "-q", folder / f"{name}_schedules.hkt")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, changes in CHANGES.items():
        shutil.copy(HERE / f"{name}_schedules.hkt", folder)
        first = (HERE / f"{name}.hkt").read_text()
        for change in changes:
            module, inputs = models.build(name, **change)
            text = hocket_import.to_hkt(module, kwargs=inputs)
            said = ", ".join(f"{key} = {value}" for key, value in change.items())
            assert head(text)[1] == head(first)[1], f"{name}, {said}:\n{text}"
            assert head(text)[0] != head(first)[0] or "max_position" in said
            check(folder, name, text)
            print(f"{name}: {said}")
        # A batch of one, and another length.
        module, _ = models.build(name)
        inputs = {key: models.draw(key, 1, 21) for key in models.FAMILIES[name][2]}
        text = hocket_import.to_hkt(module, kwargs=inputs)
        want = first.replace("batch: int = 3, seq: int = 13", "batch: int = 1, seq: int = 21")
        assert text == want, text
        texts_of_one = {key: models.draw(key, 1, 22) for key in inputs}
        check(folder, name, text)
        texts.compare(folder / f"{name}.hkt", module, texts_of_one, "-D", "seq=22")
        print(f"{name}: batch 1, seq 21 and 22")


main(pathlib.Path(sys.argv[1]))
