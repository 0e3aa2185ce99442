"""What is timed, and beside what.

A measure names its programs, of which each is compiled once, and says in `facts`
what its kind needs to know.

| kind | beside |
|---|---|
| group | a copy of as many bytes as come in and go out |
| product | cuBLASLt's product alone |
| attention | PyTorch's fastest backend |
| blocks | the time of the same attention with all keys visible, by the blocks that are visited |
| step | PyTorch's own step, compiled and eager |
| ranks | the same layer on one rank |

Sizes are larger than a GPU's caches and no larger, for a program draws its numbers
when it starts.
"""

from dataclasses import dataclass, field

from programs import EXAMPLES, INPUTS, Program, defines


@dataclass(frozen=True)
class Measure:
    name: str
    kind: str
    programs: tuple
    facts: dict = field(default_factory=dict)


def compiled(name, file, *options):
    return Program(f"measure-{name}", "compile", file, tuple(options))


def groups(small):
    sizes = defines(rows=64, columns=128) if small else ()
    for model in ["Norm", "Softmax", "Gated", "ColumnSums"]:
        yield Measure(f"group/{model}", "group", (
            compiled(f"group-{model}", INPUTS + "groups.hkt", "--model", model, *sizes),))


def products(small):
    shapes = [(64, 32, 64)] if small else [(8192, 4096, 4096), (4096, 12288, 4096),
                                           (4096, 4096, 8192)]
    for m, n, k in shapes:
        for type, variant in [("f32", ("--model", "Product")),
                              ("bf16", ("--variant", "ProductBf16"))]:
            name = f"{m}x{n}x{k}-{type}"
            yield Measure(f"product/{name}", "product", (
                compiled(f"product-{name}", INPUTS + "products.hkt", *variant,
                         *defines(m=m, n=n, k=k)),),
                {"shape": [m, n, k], "in": type, "out": "f32"})


def attention(name, model, shape, *options):
    """Forward, and forward and backward, of one attention; by the own kernels, if the
    options do not say otherwise."""
    if "--attention" not in options:
        options = ("--attention", "own", *options)
    sizes = defines(**dict(zip("bhsd", shape)))
    return tuple(compiled(f"attention-{name}-{way}", INPUTS + "attention.hkt", *grad,
                          "--variant", model + "Bf16", *options, *sizes)
                 for way, grad in [("forward", ()), ("backward", ("--grad",))])


# Of cuDNN before 9.25 a gradient with equal bits takes too much memory.
CUDNN = ("--attention", "cudnn", "--nondeterministic")


def attentions(small):
    """By the own kernels, and by cuDNN, whose look-alike has a test of its own."""
    shapes = [(1, 2, 64, 32)] if small else [(2, 16, 4096, 128), (2, 16, 4096, 64)]
    for shape in shapes:
        for model in ["Attention", "Causal"]:
            for engine, options in [("", ())] + ([] if small else [("-cudnn", CUDNN)]):
                name = f"{model}-{'x'.join(map(str, shape))}{engine}"
                yield Measure(f"attention/{name}", "attention",
                              attention(name, model, shape, *options),
                              {"shape": shape, "causal": model == "Causal"})


def blocks(small):
    """Masks under which fewer blocks of keys are visited."""
    shape = (1, 2, 128, 32) if small else (1, 8, 16384, 128)
    reaches = [16] if small else [512, 4096]
    sizes = [8] if small else [64, 16]  # of a layout's blocks
    masks = [("Attention", ()), ("Causal", ())] + [  # by the own kernels
        ("Window", defines(reach=reach)) for reach in reaches] + [
        ("Sparse", defines(block=size)) for size in sizes]
    programs, facts = [], []
    for model, options in masks:
        name = "-".join(["blocks", model, *options[1:]]).replace("=", "")
        programs += attention(name, model, shape, *options)
        facts.append({"model": model, "size": int(options[1].split("=")[1]) if options else None})
    yield Measure("blocks/attention", "blocks", tuple(programs), {"shape": shape, "masks": facts})


def steps(small):
    layer = {"hidden": 64, "heads": 2, "seq": 32} if small else {
        "hidden": 4096, "heads": 32, "seq": 4096}
    for way, grad in [("forward", ()), ("forward-and-backward", ("--grad",))]:
        yield Measure(f"step/layer-{way}", "step", (
            compiled(f"layer-{way}", INPUTS + "layer.hkt", *grad, "--variant", "LayerBf16",
                     *defines(batch=1, **layer)),),
            {"peer": "layer", "backward": bool(grad), **layer})
    minilm = {"layers": 1, "hidden": 48, "heads": 4, "inner": 96, "vocab": 64, "positions": 32,
              "batch": 2, "seq": 16} if small else {
        "layers": 6, "hidden": 384, "heads": 12, "inner": 1536, "vocab": 30522, "positions": 512,
        "batch": 64, "seq": 128}
    yield Measure("step/minilm", "step", (
        compiled("minilm", EXAMPLES + "bert_schedules.hkt", "--schedule", "one_device",
                 *defines(**minilm)),),
        {"peer": "minilm", **minilm})
    gpt2 = {"layers": 1, "hidden": 32, "heads": 2, "vocab": 64, "positions": 32, "batch": 2,
            "seq": 16} if small else {
        "layers": 12, "hidden": 768, "heads": 12, "vocab": 50257, "positions": 1024, "batch": 8,
        "seq": 1024}
    yield Measure("step/train-gpt2", "train", (
        compiled("train-gpt2", "test/Bench/gpt2.hkt", "--schedule", "one_device", "--train", "bench",
                 *defines(p=0, **gpt2)),),
        {"peer": "train", **gpt2})


def ranks(small):
    sizes = {"layers": 1, "channels": 32, "heads": 2, "reach": 4, "grid": 32} if small else {
        "layers": 1}
    for schedule in ["shard_sequence", "shard_heads"]:
        programs = tuple(
            compiled(f"anemoi-{schedule}-{count}", EXAMPLES + "anemoi.hkt", "--grad", "--schedule",
                     schedule, *defines(ranks=count, **sizes))
            for count in ([1, 2] if small else [1, 2, 4, 8]))
        yield Measure(f"ranks/anemoi-{schedule}", "ranks", programs)


def measures(small):
    for kind in [groups, products, attentions, blocks, steps, ranks]:
        yield from kind(small)
