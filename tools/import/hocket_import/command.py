"""The command: `hocket import`, which starts this with its own path."""

import argparse
import importlib
import inspect
import json
import os
import pathlib
import sys
import types

import torch

from . import Refused, convert
from .archive import load
from .check import check
from .inputs import dims_of, read_input
from .refuse import Lacking
from .saved import Saved

SIZES = {"batch": 2, "seq": 16}  # of the examples that are drawn


def progress(text):
    """On a terminal, what is being done."""
    if sys.stderr.isatty():
        print(f"\r\033[Khocket import: {text}", end="" if text else "\r\033[K",
              file=sys.stderr, flush=True)


def read_config(text):
    """The JSON object of --config, a file or the text itself."""
    if text is None:
        return {}
    try:
        if not text.lstrip().startswith("{"):
            text = pathlib.Path(text).read_text()
        config = json.loads(text)
    except (OSError, json.JSONDecodeError) as error:
        raise Refused(f"cannot read --config: {error}") from error
    if not isinstance(config, dict):
        raise Refused("--config is no JSON object")
    return config


def find(spec):
    """The callable that `module:callable` names."""
    module, colon, name = spec.partition(":")
    if not colon or not name:
        raise Refused(f"'{spec}' is neither MODULE:CALLABLE nor MODEL.pt2")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise Refused(f"cannot import '{module}': {error}; it is looked for in this "
                      "folder and in PYTHONPATH") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise Refused(f"'{module}' has no '{name}'")
        found = getattr(found, part)
    return found


def typed(config):
    """The config of transformers that names its model_type."""
    rest = {key: value for key, value in config.items() if key != "model_type"}
    auto = importlib.import_module("transformers").AutoConfig
    return auto.for_model(config["model_type"], **rest)


def convert_saved(path, config, texts, name):
    """(module, text, graph) of a file of torch.export.save; the config has names of
    sizes, which the file has not."""
    saved = Saved(load(path), path)
    if config:
        saved.module.config = typed(config) if "model_type" in config else \
            types.SimpleNamespace(**config)
    dims = dims_of(saved, texts)
    try:
        return saved.module, *convert(saved.module, {key: saved.inputs[key] for key in dims},
                                      dims, name, saved.program)
    except Lacking as lacking:
        raise Refused("\n".join([str(lacking), *saved.advice()])) from lacking


def make(spec, config):
    """(module, its example inputs or {}, their dims or {})."""
    maker = find(spec)
    if hasattr(maker, "load_config"):  # of diffusers
        made = maker.from_config(config)
    elif hasattr(maker, "from_config"):  # of transformers: AutoModelForCausalLM
        if "model_type" not in config:
            raise Refused(f"--config of {spec} names no model_type")
        made = maker.from_config(typed(config))
    elif getattr(maker, "config_class", None):
        made = maker(maker.config_class(**config))
    else:
        try:
            made = maker(**config)
        except TypeError as error:
            raise Refused(f"{spec} cannot be called with --config: {error}") from error
    module, inputs, dims = (*made, {})[:3] if isinstance(made, tuple) else (made, {}, {})
    if not isinstance(module, torch.nn.Module):
        raise Refused(f"{spec} gives {type(module).__name__}, not a torch.nn.Module")
    return module, inputs, dims


def draw(name, kind, shape, module):
    """Example values of an input: ids, masks that keep all, positions, floats."""
    if kind == torch.float32:
        return torch.randn(shape)
    if kind == torch.bool or "mask" in name:
        return torch.ones(shape, dtype=kind)
    if "timestep" in name:
        return torch.randint(0, 1000, shape).to(kind)
    if "position" in name:
        return torch.arange(shape[-1], dtype=kind).expand(shape).clone()
    vocab = getattr(getattr(module, "config", None), "vocab_size", 2)
    high = min(2, vocab) if "type" in name else vocab
    return torch.randint(0, high, shape).to(kind)


def declared(texts, module):
    """(examples, dims) of what --input says: name=i64[batch, seq]."""
    inputs, dims = {}, {}
    for text in texts:
        name, kind, named = read_input(text)
        shape = [dim if isinstance(dim, int) else SIZES.get(dim, 8) for dim in named]
        dims[name] = named
        inputs[name] = draw(name, kind, shape, module)
    return inputs, dims


def parse(words):
    parser = argparse.ArgumentParser(prog="hocket import")
    parser.add_argument("spec")
    parser.add_argument("--config")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--name")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--hocket", required=True)
    parser.add_argument("-o", dest="output", required=True)
    return parser.parse_args(words)


def check_output(options):
    """What -o names may be replaced: nothing, or the text of an import."""
    output = pathlib.Path(options.output)
    if options.output == "-" or options.force or not output.exists():
        return
    if "# Made by hocket import of " not in output.read_text(errors="replace"):
        raise Refused(f"'{output}' holds something else than the text of an import; "
                      "--force replaces it")


def made(options):
    """(module, its example inputs, their dims) of MODULE:CALLABLE."""
    module, inputs, dims = make(options.spec, read_config(options.config))
    texts = options.input
    if not texts and not inputs and \
            getattr(module, "main_input_name", None) == "input_ids":
        texts = ["input_ids=i64[batch, seq]"]
    more, named = declared(texts, module)
    inputs, dims = {**inputs, **more}, {**dims, **named}
    if not inputs:
        raise Refused(f"the inputs of {type(module).__name__} are not known: say "
                      "--input NAME=TYPE[DIM, ...] for each")
    taken = inspect.signature(module.forward).parameters
    for name, tensor in inputs.items():
        if name not in taken and not any(parameter.kind is parameter.VAR_KEYWORD
                                         for parameter in taken.values()):
            raise Refused(f"'{name}' is no argument of {type(module).__name__}'s forward; "
                          f"there are {', '.join(taken)}")
        if tensor.dim() == 2:
            dims.setdefault(name, ("batch", "seq"))
    return module, inputs, dims


def main(options):
    check_output(options)
    torch.manual_seed(0)
    sys.path.insert(0, os.getcwd())
    if options.spec.endswith(".pt2"):
        progress("reads the file and recognises")
        module, text, graph = convert_saved(options.spec, read_config(options.config),
                                            options.input, options.name)
    else:
        progress("makes the module")
        module, inputs, dims = made(options)
        progress("traces and recognises")
        text, graph = convert(module, inputs, dims, options.name)
    said = f"{graph.title}, not checked"
    if not options.no_check:
        progress("compiles the text, runs it and compares")
        error = check(options.hocket, text, module, graph)
        said = f"{graph.title}, within {error:.0e} of PyTorch"
    progress("")
    if options.output == "-":
        print(text, end="")
    else:
        pathlib.Path(options.output).write_text(text)
        print(f"{options.output}: {said}")


def command(words):
    try:
        main(parse(words))
    except (Refused, OSError) as refused:
        progress("")
        sys.exit(f"error: {refused}")
