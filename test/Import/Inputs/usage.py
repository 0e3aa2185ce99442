"""What hocket import says of mistakes in its command line: each in this process, since
starting PyTorch takes seconds."""

import contextlib
import io
import os

import models  # noqa: F401  (quiet logs)
from hocket_import.command import command

IDS = ["--input", "ids=i64[batch, seq]"]
CASES = [
    ["plain:Plain"],
    ["plain:Plain", "--input", "ids=i65[batch]"],
    ["plain:Norm", "--config", '{"size": 8}', "--input", "x=f32[batch, 8]", "--input",
     "y=f32[batch, 8]"],
    ["plain:turn", *IDS],
    ["plain:Nothing"],
    ["nothing:Plain"],
    ["plain"],
    ["plain:torch.arange", "--config", '{"end": 3}'],
    ["plain:Plain", "--config", "no.json"],
    ["plain:Plain", "--config", '{"count"}'],
    ["plain:Plain", "--config", "list.json"],
    ["transformers:AutoModelForCausalLM", "--config", "{}"],
]

with open("list.json", "w") as file:
    file.write("[]")
for words in CASES:
    print("== " + " ".join(words))
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            command([*words, "--hocket", "hocket", "-o", "none.hkt"])
            said = "nothing"
        except SystemExit as end:
            said = str(end)
    print(said)
assert not os.path.exists("none.hkt"), "a file was written"
