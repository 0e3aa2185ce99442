"""What PyTorch takes for the same work: a line of JSON a question, a line an answer.

    {"what": "attention", "shape": [4, 16, 4096, 128], "causal": true, "runs": 10}
    {"flash forward": 0.0012, "flash backward": 0.0031, ...}

Seconds are medians, by events of the GPU, after warming up. What a question needs is
made and compiled once: the same one again is timed alone. Compiled steps are those
of torch.compile, and of it with CUDA graphs (mode="reduce-overhead"), as ours are one.
Products in f32 do not use tf32, as ours do not.
"""

import json
import statistics
import sys
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cuDNN": SDPBackend.CUDNN_ATTENTION,
            "efficient": SDPBackend.EFFICIENT_ATTENTION}
DEVICE = "cuda"
WARMUP = 3


def seconds(work, runs):
    """The median of `runs` runs; each between two events."""
    for _ in range(WARMUP):
        work()
    times = []
    for _ in range(runs):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def attention(shape, causal):
    q, k, v, gradient = (torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16)
                         for _ in range(4))
    for tensor in (q, k, v):
        tensor.requires_grad_()

    def forward(backend):
        with sdpa_kernel([backend]):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    def backward(backend):
        outputs = []  # of the first call

        def step():
            outputs.extend(() if outputs else [forward(backend)])
            torch.autograd.grad(outputs[0], (q, k, v), gradient, retain_graph=True)

        return step

    return {f"{name} forward": partial(forward, backend) for name, backend in BACKENDS.items()} | {
        f"{name} backward": backward(backend) for name, backend in BACKENDS.items()}


class Attention(nn.Module):
    """With a mask that is causal, or of keys that are kept."""

    def __init__(self, hidden, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.proj = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)

    def forward(self, x, keep=None):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mask = None if keep is None else keep[:, None, None, :]
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.causal)
        return self.proj(o.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Norms before the branches, as in GPT-2, or behind them, as in BERT."""

    def __init__(self, hidden, heads, inner, causal):
        super().__init__()
        self.causal = causal
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.attn = Attention(hidden, heads, causal)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)

    def forward(self, x, keep=None):
        if self.causal:
            x = x + self.attn(self.ln_1(x))
            return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))
        x = self.ln_1(x + self.attn(x, keep))
        return self.ln_2(x + self.down(F.gelu(self.up(x))))


class Model(nn.Module):
    """GPT-2 with its head tied, or BERT's encoder."""

    def __init__(self, layers, hidden, heads, inner, vocab, positions, causal):
        super().__init__()
        self.causal = causal
        self.wte, self.wpe = nn.Embedding(vocab, hidden), nn.Embedding(positions, hidden)
        self.h = nn.ModuleList(Layer(hidden, heads, inner, causal) for _ in range(layers))
        self.ln = nn.LayerNorm(hidden)

    def forward(self, tokens, keep=None):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        x = x if self.causal else self.ln(x)
        for layer in self.h:
            x = layer(x, keep)
        return F.linear(self.ln(x), self.wte.weight) if self.causal else x


def each_way(build):
    """The steps that `build` makes of a module's forward, eager and compiled."""
    ways = {"eager": lambda run: run, "compiled": torch.compile,
            "compiled, graphs": partial(torch.compile, mode="reduce-overhead")}
    return {name: build(way) for name, way in ways.items()}


def layer(hidden, heads, seq, backward):
    """Forward, with `backward` the gradients too; parameters of f32 under autocast, as
    ours, and all in bf16."""
    steps = {}
    for type, suffix in [(torch.float32, ""), (torch.bfloat16, ", all bf16")]:
        build = partial(layer_step, hidden, heads, seq, backward, type)
        steps |= {name + suffix: step for name, step in each_way(build).items()}
    return steps


def layer_step(hidden, heads, seq, backward, type, way):
    network = Layer(hidden, heads, 4 * hidden, True).to(DEVICE, type)
    x = torch.randn(1, seq, hidden, device=DEVICE, dtype=type, requires_grad=backward)
    gradient = torch.randn(1, seq, hidden, device=DEVICE, dtype=type)
    inputs, run = [x, *network.parameters()], way(network)

    def step():
        with torch.set_grad_enabled(backward), torch.autocast(
                DEVICE, torch.bfloat16, enabled=type == torch.float32):
            output = run(x)
        if backward:
            torch.autograd.grad(output, inputs, gradient.to(output.dtype))

    return step


def minilm(layers, hidden, heads, inner, vocab, positions, batch, seq):
    network = Model(layers, hidden, heads, inner, vocab, positions, False).to(DEVICE).eval()
    tokens = torch.randint(vocab, (batch, seq), device=DEVICE)
    keep = torch.rand(batch, seq, device=DEVICE) > 0.5

    def build(way):
        run = way(network)

        def step():
            with torch.no_grad():
                run(tokens, keep)

        return step

    return each_way(build)


def train(layers, hidden, heads, vocab, positions, batch, seq):
    """As test/Bench/gpt2_pytorch_train.py: AdamW, fused, and clipping by the norm."""
    network = Model(layers, hidden, heads, 4 * hidden, vocab, positions, True).to(DEVICE)
    parameters = list(network.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.95), eps=1e-8,
                                  weight_decay=0.1, fused=True)
    tokens, targets = (torch.randint(vocab, (batch, seq), device=DEVICE) for _ in range(2))

    def build(way):
        run = way(lambda: F.cross_entropy(network(tokens).flatten(0, 1), targets.flatten()))

        def step():
            optimizer.zero_grad(set_to_none=True)
            run().backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()

        return step

    return each_way(build)


def answer(steps, runs):
    """Seconds by name. What PyTorch refuses, a backend say, is left out for good."""
    found = {}
    for name, step in list(steps.items()):
        try:
            found[name] = seconds(step, runs)
        except RuntimeError as error:
            print(name, error, file=sys.stderr)
            del steps[name]
    return found


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(1)
    work = {"attention": attention, "layer": layer, "minilm": minilm, "train": train}
    # What libraries print must not get between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    asked, steps = None, {}
    for line in sys.stdin:
        request = json.loads(line)
        runs = request.pop("runs")
        if request != asked:
            steps.clear()
            torch.cuda.empty_cache()
            asked, steps = dict(request), work[request.pop("what")](**request)
        print(json.dumps(answer(steps, runs)), file=answers, flush=True)


if __name__ == "__main__":
    main()
