"""What hocket import makes of files of torch.export.save, in this folder: each is
compared with the text of the module, and mistakes are said."""

import contextlib
import dataclasses
import io
import json
import os
import re
import zipfile

import hocket_import
import models
import plain
import torch
from hocket_import import check
from hocket_import.command import command, convert_saved
from torch import nn
from torch.export import Dim

IDS = torch.randint(0, 50, (2, 16))
KEEP = torch.ones(2, 16, dtype=torch.long)
ANY = {"batch": Dim("batch"), "seq": Dim("seq")}


class Parts(nn.Module):
    """Parts without gradients and without autocast, a buffer, BatchNorm, dropout, and a
    container that is not called."""

    def __init__(self, autocast=False):
        super().__init__()
        self.autocast = autocast
        self.box = nn.ModuleDict({"drop": nn.Dropout(0.1), "up": nn.Linear(8, 8)})
        self.norm = nn.BatchNorm1d(8)
        self.register_buffer("scale", torch.full((8,), 3.0), persistent=False)

    def forward(self, x, again=None, times=2):
        with torch.no_grad():
            y = x * self.scale * times
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.autocast):
            y = y + self.box["drop"](self.box["up"](x))
        return self.norm(y), x


class Two(nn.Module):
    """Of two lengths; members have names that the importer has too."""

    def __init__(self):
        super().__init__()
        self.program, self.inputs = nn.Embedding(30, 8), nn.Embedding(30, 8)

    def forward(self, ids, more):
        return self.program(ids).mean(1) + self.inputs(more).mean(1)


@dataclasses.dataclass
class Pair:
    one: torch.Tensor


torch.export.register_dataclass(Pair, serialized_type_name="nowhere.Pair")


class Paired(nn.Module):
    def forward(self, x):
        return Pair(x + 1)


@torch.library.custom_op("own::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


twice.register_fake(torch.empty_like)


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.own.twice(x)


class Length(nn.Module):
    def forward(self, x, n):
        return x + n


def save(name, module, args=(), kwargs=None, dims=None, change=lambda program: program,
         **options):
    """Exports a module; `dims` are those of its inputs that have any size."""
    shapes = {key: {axis: ANY.get(dim, Dim.DYNAMIC) for axis, dim in enumerate(names)
                    if isinstance(dim, str)} if names else None
              for key, names in dims.items()} if dims else None
    program = torch.export.export(module, args, kwargs, dynamic_shapes=shapes, **options)
    torch.export.save(change(program), f"{name}.pt2")


def said(name, *words):
    """What the command says of a file, and the text that it writes."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            command([f"{name}.pt2", *words, "--hocket", "hocket", "-o", "out.hkt"])
        except SystemExit as end:
            assert not os.path.exists("out.hkt"), "a file was written"
            text = str(end).replace(torch.__version__, "VERSION")
            return re.sub(r"\bs\d+\b", "s0", text), None  # a symbol
    with open("out.hkt") as file:
        text = file.read()
    os.remove("out.hkt")
    return out.getvalue().split(":", 1)[1].split(" of PyTorch")[0], text


def compare(title, name, wanted, *words):
    """The text of a file is the one that is wanted."""
    line, text = said(name, *words)
    print(f"== {title}\n" + (line if text is None else
                             "equal" if text == wanted else text))


def refuse(name, *words):
    print(f"== {' '.join([name, *words])}\n{said(name, *words)[0]}")


def families():
    ANY.clear()  # a table of positions ends
    for name in ("gpt2", "bert", "llama", "t5_encoder", "vit", "resnet"):
        module, inputs = models.build(name)
        module.config.use_cache = False
        dims = models.dims(name)
        wanted = hocket_import.to_hkt(module, kwargs=inputs, dims=dims)
        with open(f"{name}.json", "w") as file:
            json.dump(module.config.to_dict(), file)
        with open(f"{name}.wanted", "w") as file:
            file.write(wanted)
        save(name, module.train(), (), inputs, dims)
        compare(name, name, wanted, "--config", f"{name}.json")
        if name == "bert":
            save("eval", module.eval(), (), inputs, dims)
            _, text = said("eval", "--config", "bert.json")
            print("in eval mode, dropout is", "in" if "ropout" in text else "not in",
                  "the text; in train mode it is", "in it" if "ropout" in wanted else "not")


def modules():
    module = plain.Plain()
    dims = {"ids": ("batch", "seq"), "keep": ("batch", "seq")}
    wanted = hocket_import.to_hkt(module, (IDS, KEEP))
    with open("plain.wanted", "w") as file:
        file.write(wanted)
    for title, name, options in (
            ("plain", "plain", {}), ("strict", "strict", {"strict": True}),
            ("functional", "functional",
             {"change": lambda program: program.run_decompositions({})})):
        save(name, module, (IDS, KEEP), None, dims, **options)
        compare(title, name, wanted)
    save("zeros", module, (), {"ids": 0 * IDS, "keep": KEEP}, dims)
    compare("zeros", "zeros", wanted)
    compare("names", "plain", hocket_import.to_hkt(
        module, (IDS, KEEP), dims=dict.fromkeys(dims, ("rows", "length")), name="Named"),
        "--input", "ids=i64[rows, length]", "--name", "Named")
    parts, x = Parts(), torch.zeros(4, 8)
    save("parts", parts, (x, None, 2), None, {"x": ("batch", 8), "again": None,
                                              "times": None})
    compare("parts", "parts", hocket_import.to_hkt(parts, (x,), dims={"x": ("batch", 8)}))
    save("two", Two(), (IDS[:, :9] // 2, IDS // 2), None,
         {"ids": ("batch", "seq"), "more": ("batch", "long")})
    compare("two", "two", hocket_import.to_hkt(
        Two(), (IDS[:, :9], IDS), dims={"more": ("batch", "more_1")}))
    save("turned", Two(), (), {"more": IDS // 2, "ids": IDS // 2},
         {"more": ("batch", "seq"), "ids": ("batch", "seq")})
    compare("turned", "turned", hocket_import.to_hkt(Two(), (IDS, IDS)),
            "--input", "ids=i64[batch, seq]", "--input", "more=i64[batch, seq]")
    save("core", module, (IDS, KEEP), None, dims,
         change=lambda program: program.run_decompositions())
    save("static", module, (IDS, KEEP))


def without_examples(program):
    program.example_inputs = None
    return program


def broken():
    """Files that are no exports, or not as this PyTorch writes them."""
    with open("text.pt2", "w") as file:
        file.write("hello")
    torch.save(plain.Plain().state_dict(), "weights.pt2")
    for name, part, data in (("schema", "model.json", None), ("later", "version", b"9"),
                             ("lacking", "sample_inputs/model.pt", b"")):
        with zipfile.ZipFile("plain.pt2") as old, zipfile.ZipFile(
                f"{name}.pt2", "w") as new:
            for entry in old.namelist():
                held = old.read(entry)
                if entry.endswith(part):
                    held = data if data is not None else json.dumps(
                        json.loads(held) | {"schema_version": {"major": 99, "minor": 1}})
                if held:
                    new.writestr(entry, held)
    x = torch.randn(4, 8)
    save("pair", Paired(), (x,))
    save("custom", Custom(), (x,))
    save("bare", nn.Linear(8, 8), (x,), change=without_examples)
    save("half", nn.Linear(8, 8).half(), (x.half(),))
    save("meta", nn.Linear(8, 8, device="meta"), (x.to("meta"),))
    save("autocast", Parts(autocast=True), (x,), None, {"x": ("batch", 8)})
    torch.export.save(torch.export.export(
        Length(), (x, 3), dynamic_shapes={"x": None, "n": Dim.DYNAMIC}), "length.pt2")
    torch.export.save(torch.export.export(
        Custom(), (x,), dynamic_shapes={"x": {0: 2 * Dim("half")}}), "even.pt2")


modules()
families()
broken()
for name in ("text", "weights", "absent", "schema", "later", "lacking", "bare", "half", "meta",
             "autocast", "length", "even", "core", "static"):
    refuse(name)
refuse("plain", "--input", "words=i64[batch]")
refuse("plain", "--input", "ids=i64[batch]")
refuse("plain", "--input", "ids=i32[batch, seq]")
refuse("plain", "--input", "ids=i64[batch, 16]")
refuse("plain", "--input", "ids=i64[a, b]", "--input", "keep=i64[c, b]")
refuse("static", "--input", "ids=i64[batch, 16]")
refuse("static", "--input", "ids=i64[4, 16]")
refuse("two", "--input", "ids=i64[batch, seq]", "--input", "more=i64[batch, seq]")

# What is compared is the file's own program.
for name, old, new in (("parts", " * 2", " * 4"), ("plain", "0.5", "0.25"),
                       ("plain", "0.5", "0.5")):
    module, text, graph = convert_saved(f"{name}.pt2", {}, [], None)
    assert old in text, text
    print(f"== {name}, {old} -> {new}")
    try:
        print(check.check("hocket", text.replace(old, new), module, graph) < 1e-5)
    except hocket_import.Refused as refused:
        print(str(refused).split(" by ")[0])
try:
    module(ids=torch.zeros(2, 50, dtype=torch.long), keep=torch.ones(2, 50))
except hocket_import.Refused as refused:
    print(f"== 50 of 40 positions\n{refused}")
