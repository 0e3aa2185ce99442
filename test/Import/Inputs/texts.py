"""Runs the text of an import by hocket, and compares it with the module."""

import pathlib
import subprocess

import torch
from safetensors.torch import load_file, save_file

TOLERANCE = 1e-5  # of the largest value of an output


def hocket(*words, status=0):
    done = subprocess.run(["hocket", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, " ".join(map(str, words)) + "\n" + done.stderr
    return done.stdout


def expected(module, inputs):
    """The tensors that a module gives, in order."""
    if getattr(module, "config", None) is not None:
        module.config.use_cache = False
    with torch.no_grad():
        result = module.eval()(**inputs)
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result)
            if torch.is_tensor(leaf)]


def weights(module, folder):
    """A file of the weights, as save_pretrained or as a state_dict."""
    if hasattr(module, "save_pretrained"):
        module.save_pretrained(folder)
        return folder / "model.safetensors"
    save_file({name: tensor.clone() for name, tensor in module.state_dict().items()},
              folder / "weights")
    return folder / "weights"


def compare(text, module, inputs, *options):
    """The largest error of the text's outputs, relative to the largest value."""
    text = pathlib.Path(text)
    folder = text.parent
    save_file({name: tensor.clone() for name, tensor in inputs.items()}, folder / "inputs")
    hocket("run", text, *options, "--weights", weights(module, folder), "--input",
           folder / "inputs", "--output", folder / "outputs", "--force")
    found, wanted = load_file(folder / "outputs"), expected(module, inputs)
    assert len(found) == len(wanted), f"{list(found)} for {len(wanted)} outputs"
    worst = 0.0
    for name, want in zip(sorted(found), wanted):
        largest = want.abs().max()
        assert largest >= 0.1, f"an output of at most {largest} shows nothing"
        worst = max(worst, float((found[name] - want).abs().max() / largest))
    assert worst <= TOLERANCE, f"an error of {worst} of the largest value"
    return worst
