"""A training step of GPT-2 in PyTorch on the CPU, float32.

    python gpt2_pytorch_train.py [--processes 1] [--threads 2] [--size 124M] ...

With two processes over gloo, placed by torch.distributed.tensor.parallel as
`sequence_parallel` in docs/examples/gpt2.hkt places it: heads, the inner dim
and the vocabulary split, the residual stream and the norms split by sequence,
the loss computed on split logits. The rows of the position embedding are split
as well: that is how this interface gives its output by sequence.
"""

import contextlib
import os
import tempfile

import torch
import torch.nn.functional as F
from torch import nn

import gpt2_model as model


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.head_dim = size.hidden // size.heads
        self.c_attn = nn.Linear(size.hidden, 3 * size.hidden)  # heads, qkv, d
        self.c_proj = nn.Linear(size.hidden, size.hidden)

    def forward(self, x):
        qkv = self.c_attn(x).unflatten(-1, (-1, 3, self.head_dim))
        q, k, v = qkv.permute(3, 0, 2, 1, 4)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(o.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.c_fc = nn.Linear(size.hidden, 4 * size.hidden)
        self.c_proj = nn.Linear(4 * size.hidden, size.hidden)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.ln_1 = nn.LayerNorm(size.hidden)
        self.attn = Attention(size)
        self.ln_2 = nn.LayerNorm(size.hidden)
        self.mlp = Mlp(size)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.wte = nn.Embedding(size.vocab, size.hidden)
        self.wpe = nn.Embedding(size.positions, size.hidden)
        self.h = nn.ModuleList(Block(size) for i in range(size.layers))
        self.ln_f = nn.LayerNorm(size.hidden)
        self.head = nn.Linear(size.hidden, size.vocab, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tokens, positions):
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


def load(network, size):
    """GPT-2 keeps [in, out] and (qkv, heads, d); Linear keeps [out, in]."""
    state = {}
    for name, value in model.draw(size).items():
        value = torch.from_numpy(value)
        if ".c_attn." in name:
            value = value.unflatten(-1, (3, size.heads, -1))
            value = value.transpose(-3, -2).flatten(-3)
        state[name] = value.T if ".c_" in name and value.ndim == 2 else value
    state["head.weight"] = state["wte.weight"]
    network.load_state_dict(state)


def split(network):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
        parallelize_module)

    def gather():
        return PrepareModuleInput(input_layouts=Shard(1),
                                  desired_input_layouts=Replicate())

    def embedding():
        return RowwiseParallel(input_layouts=Replicate(),
                               output_layouts=Shard(1))

    plan = {
        "wte": embedding(),
        "wpe": embedding(),
        "ln_f": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1),
                                output_layouts=Shard(-1),
                                use_local_output=False),
    }
    for i in range(len(network.h)):
        plan |= {
            f"h.{i}.ln_1": SequenceParallel(),
            f"h.{i}.ln_2": SequenceParallel(),
            f"h.{i}.attn": gather(),
            f"h.{i}.mlp": gather(),
            f"h.{i}.attn.c_attn": ColwiseParallel(),
            f"h.{i}.mlp.c_fc": ColwiseParallel(),
            f"h.{i}.attn.c_proj": RowwiseParallel(output_layouts=Shard(1)),
            f"h.{i}.mlp.c_proj": RowwiseParallel(output_layouts=Shard(1)),
        }
    mesh = init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    parallelize_module(network, mesh, plan)
    network.head.weight = network.wte.weight


def measure(args, rank=0):
    torch.set_num_threads(args.threads)
    size = model.size_of(args)
    network = Gpt2(size)
    load(network, size)
    context = contextlib.nullcontext
    if args.processes > 1:
        from torch.distributed.tensor.parallel import loss_parallel as context
        split(network)
    recipe = model.AdamW()
    parameters = list(network.parameters())
    optimizer = torch.optim.AdamW(
        parameters, lr=recipe.rate, betas=recipe.betas, eps=recipe.eps,
        weight_decay=recipe.decay, fused=True)
    tokens, targets = (torch.from_numpy(x).long() for x in
                       model.draw_examples(size, args.batch, args.seq))
    positions = torch.arange(args.seq).expand(args.batch, -1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with context():
            logits = network(tokens, positions)
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
            loss.backward()
        nn.utils.clip_grad_norm_(parameters, recipe.clip)
        optimizer.step()
        loss = loss.detach()
        return loss.full_tensor() if args.processes > 1 else loss

    report = model.Report("pytorch " + torch.__version__, args)
    if rank > 0:
        report.time(step)
    else:
        report.training(step, processes=args.processes, threads=args.threads)


def run_rank(rank, args, folder):
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank,
        world_size=args.processes)
    measure(args, rank)
    torch.distributed.destroy_process_group()


def main():
    parser = model.options(__doc__)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    if args.processes == 1:
        return measure(args)
    # Each process pins nothing: the system places one a core.
    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(run_rank, (args, folder), args.processes)


if __name__ == "__main__":
    main()
