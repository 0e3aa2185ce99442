"""Runs the text of an import by hocket, and compares it with the module."""

import pathlib
import subprocess

import torch
from safetensors.torch import load_file, save_file

TOLERANCE = 1e-5  # of the largest value of an output
GRADIENTS = 1e-4  # of the largest value of a gradient


def hocket(*words, status=0):
    done = subprocess.run(["hocket", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, " ".join(map(str, words)) + "\n" + done.stderr
    return done.stdout


def expected(module, inputs):
    """The tensors that a module gives, in order."""
    if getattr(getattr(module, "config", None), "use_cache", None):
        module.config.use_cache = False
    with torch.no_grad():
        result = module.eval()(**inputs)
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result)
            if torch.is_tensor(leaf)]


def weights(module, folder):
    """A file of the weights, as save_pretrained or, where that renames, as a
    state_dict."""
    renames = type(module).__name__ in (
        "GPTNeoXForCausalLM", "ViTModel", "Dinov2Model", "SwinModel",
        "SegformerModel", "SegformerForSemanticSegmentation")
    if hasattr(module, "save_pretrained") and not renames:
        module.save_pretrained(folder)
        return next(folder.glob("*model.safetensors"))
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


def compare_gradients(text, module, inputs):
    """The largest error of the gradients of all parameters, for random ones of the
    outputs, by autograd's; relative to the largest value of each.

    The softmax takes what is the same for all keys out again: of a bias of keys the
    gradient is rounding, and is compared with the largest of all gradients.
    """
    folder, app = text.parent, text.with_suffix(".app")
    hocket("compile", text, "--grad", "-o", app)
    module.train()
    outputs = [leaf for leaf in torch.utils._pytree.tree_leaves(module(**inputs))
               if torch.is_tensor(leaf)]
    torch.manual_seed(7)
    given = [torch.randn(output.shape) for output in outputs]
    parameters = {name: parameter for name, parameter in module.named_parameters()
                  if parameter.requires_grad}
    wanted = torch.autograd.grad(outputs, list(parameters.values()), given,
                                 allow_unused=True)
    names = ["output"] if len(outputs) == 1 else \
        [f"output{place}" for place in range(len(outputs))]
    save_file({**{name: tensor.clone() for name, tensor in inputs.items()},
               **{f"{name}.grad": tensor for name, tensor in zip(names, given)},
               "step": torch.tensor(0, dtype=torch.int32)}, folder / "inputs")
    done = subprocess.run(
        [app, "--weights", weights(module, folder), "--input", folder / "inputs",
         "--output", folder / "gradients", "--force"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = load_file(folder / "gradients")
    all_names = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        all_names.setdefault(id(parameter), []).append(f"{name}.grad")
    largest = max(float(want.abs().max()) for want in wanted if want is not None)
    seen, worst = 0, 0.0
    for parameter, want in zip(parameters.values(), wanted):
        got = [found[name] for name in all_names[id(parameter)] if name in found]
        if want is None or not want.any() and not got:
            assert not any(tensor.any() for tensor in got)
            continue
        assert len(got) == 1, f"{len(got)} gradients of {all_names[id(parameter)]}"
        error = float((got[0] - want).abs().max())
        error /= max(float(want.abs().max()), 1e-2 * largest)
        assert error <= GRADIENTS, f"{all_names[id(parameter)]}: an error of {error}"
        seen, worst = seen + 1, max(worst, error)
    assert seen, "no gradients"
    return worst
