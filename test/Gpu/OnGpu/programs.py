"""The programs of a kit: those that are verified, and those that are timed.

Files are below the source tree. `small` are the sizes in which all of it runs on
look-alikes, where times mean nothing.
"""

from dataclasses import dataclass

EXAMPLES = "docs/examples/"
INPUTS = "test/Gpu/OnGpu/Inputs/"


@dataclass(frozen=True)
class Program:
    """`command` is a subcommand of hocket: verify, whose data are kept, or compile."""

    name: str
    command: str
    file: str
    options: tuple
    text: str = ""  # of FILE, where it is -


def defines(**sizes):
    return tuple(word for name, value in sizes.items()
                 for word in ("-D", f"{name.replace('__', '.')}={value}"))


def schedule(text):
    """The options of "tensor_and_context cp=2 tp=4"; of "" none."""
    words = text.split()
    return (("--schedule", words[0]) if words else ()) + tuple(
        word for define in words[1:] for word in ("-D", define))


# File: its model, sizes, schedules with theirs. As docs/benchmarks/gpu-verify.md
# has them; a small kit has the first schedule of each.
VERIFIED = {
    "gpt2_schedules.hkt": (
        "Gpt2",
        defines(layers=1, hidden=24, heads=4, vocab=31, positions=16, batch=2, seq=11),
        ["tensor_and_context", "tensor_parallel tp=4", "context_parallel cp=3",
         "data_and_tensor", "tensor_and_context cp=2 tp=4", "data_and_tensor dp=2 tp=4"]),
    "gpt2.hkt": (
        "Gpt2",
        defines(layers=1, hidden=24, heads=4, vocab=31, positions=16, batch=2, seq=11),
        ["deferred_gather", "sequence_parallel tp=2 dp=2"]),
    "llama_schedules.hkt": (
        "Llama",
        defines(depth=1, hidden=48, heads=12, kv_heads=3, inner=50, vocab=71, batch=3, seq=13),
        ["ulysses u=3", "tensor_parallel tp=3", "sequence_parallel tp=3", "context_parallel cp=5",
         "tensor_and_context tp=3 cp=2", "data_and_tensor dp=2 tp=3"]),
    "llama_ring.hkt": (
        "Llama",
        defines(depth=1, hidden=48, heads=12, kv_heads=6, inner=50, vocab=71, batch=3, seq=21),
        ["ring", "ring cp=3", "ring_in_intervals", "ulysses_ring"]),
    "bert_schedules.hkt": (
        "MiniLm",
        defines(layers=1, hidden=48, heads=6, inner=60, vocab=53, positions=20, batch=3, seq=13),
        ["one_device", "sequence_parallel tp=3", "tensor_parallel tp=6", "data_and_tensor",
         "data_and_sequence"]),
    "anemoi.hkt": (
        "Processor",
        defines(layers=1, channels=16, heads=4, reach=3, grid=23, batch=2),
        ["shard_sequence ranks=7", "shard_sequence_early", "shard_heads", "domain_and_data",
         "domain_fsdp_and_tensor"]),
    "natten.hkt": (
        "Nat",
        defines(batch=2, height=21, width=18, channels=8, heads=2, kernel=3, far=2, depth=1,
                classes=5),
        ["tiles", "domain_and_data", "domain_fsdp_and_tensor"]),
    "unet.hkt": ("Unet", defines(c=8, height=13, width=8), ["domain", "domain_channels"]),
    "cnn.hkt": (
        "Cnn",
        defines(model__c=8, groups=4, classes=7, batch=3, height=13, width=11),
        ["space", "space_data", "space_channels"]),
    "graph.hkt": ("Gnn", defines(channels=8, layers=1), ["domain", "domain_and_data"]),
    "tutorial.hkt": ("Bytes", (), ["tensor"]),
}

# Options of test/Execute/block-layouts.hkt.
LAYOUTS = ["BigBird --schedule ring -D n=3", "Fixed --schedule gathered -D n=3",
           "Horizontal --schedule heads -D tp=2", "Variable --schedule exchanged -D n=2",
           "Longformer --schedule gathered -D n=2", "Sliding --schedule zigzag -D n=2",
           "Windowed --schedule margins -D n=3", "Listed --schedule heads -D tp=4"]

# Options of test/Execute/documents.hkt, attention-bias.hkt and attention-mask-of-scores.hkt.
OF_DATA = {"documents": ["Net", "Net zigzag", "Net heads", "Near windows", "Sparse split"],
           "attention-bias": ["Net", "Net zigzag", "Net heads", "Near windows", "Sparse split"],
           "attention-mask-of-scores": ["Net", "Hidden hidden"]}


def narrow(file, model):
    """The text of an example in bf16; that of a variant says what the variant does."""
    lines = "precision bf16 master f32 reduce f32"
    if model == "BigBirdGpt2":
        model = "Gpt2"
        lines = ("\n  mask h.*.attn causal * bigbird(block = 16, random = 1, window = 3, "
                 f"global = 1, per_head = true, seed = 7)\n  {lines}\n")
    return (f'hocket 1\nimport "{EXAMPLES}{file}"\n'
            f"variant Narrow of {model} {{ {lines} }}\n")


def verified(small):
    """In f32, f64 and bf16, with gradients and dropout."""
    for file, (model, sizes, schedules) in VERIFIED.items():
        for text in schedules[: 1 if small else None]:
            name = "-".join([file.removesuffix(".hkt"), *text.replace("=", "").split()])
            options = ("--grad", *schedule(text), *sizes)
            yield Program(f"{name}-f32", "verify", EXAMPLES + file, options)
            yield Program(f"{name}-f64", "verify", EXAMPLES + file, ("--float64", *options))
            yield Program(f"{name}-bf16", "verify", "-", ("--variant", "Narrow", *options),
                          narrow(file, model))
    for text in LAYOUTS[: 1 if small else None]:
        variant, *options = text.split()
        for name, more in [("f32", ()), ("f64", ("--float64",))]:
            yield Program(f"layouts-{variant}-{name}", "verify", "test/Execute/block-layouts.hkt",
                          ("--grad", "--variant", variant, *options, *more))
    for file, texts in OF_DATA.items():
        for text in texts[: 1 if small else None]:
            model, *rest = text.split()
            options = ("--grad", "--model", model, *(("--schedule", *rest) if rest else ()))
            for name, more in [("f32", ()), ("f64", ("--float64",))]:
                yield Program(f"{file}-{'-'.join([model, *rest])}-{name}", "verify",
                              f"test/Execute/{file}.hkt", (*options, *more))
        yield Program(f"{file}-bf16", "verify", f"test/Execute/{file}.hkt",
                      ("--grad", "--model", "Narrow", "--schedule", "narrow"))
    yield Program("layouts-groups-bf16", "verify", "test/Cuda/Inputs/sparse.hkt",
                  ("--grad", "--variant", "Brain", "--schedule", "heads"))
    # A user's functions have a type of their own.
    yield Program("hooks-own-f32", "verify", EXAMPLES + "hooks.hkt", ("--grad", "--schedule", "own"))
