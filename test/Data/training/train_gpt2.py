"""Trains docs/examples/gpt2_training.hkt's GPT-2 in PyTorch, dropout off.

Begins with a safetensors file of parameters and reads the same bytes in the same
order as a compiled program; writes a line of JSON for each step. Needs PyTorch
and safetensors.
"""

import argparse
import json
import math

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def philox(counter, key):
    """Ten rounds of Philox 4x32 (Salmon et al., 2011)."""
    (a, b, c, d), (k0, k1) = counter, key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (
            (second >> 32) ^ b ^ k0,
            second & MASK32,
            (first >> 32) ^ d ^ k1,
            first & MASK32,
        )
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return a, b, c, d


def example_at(index, count, seed, epoch):
    """Which window an epoch takes as number `index`: a Feistel network that is
    walked until it is back in range."""
    key = 0xCBF29CE484222325
    for byte in b"order of the examples":
        key = ((key ^ byte) * 0x100000001B3) & MASK64
    key ^= seed
    half = 1
    while (1 << (2 * half)) < count:
        half += 1
    mask = (1 << half) - 1
    while True:
        left, right = index >> half, index & mask
        for number in range(8):
            word = philox(
                (right, number, epoch & MASK32, epoch >> 32),
                (key & MASK32, key >> 32),
            )[0]
            left, right = right, (word ^ left) & mask
        index = left << half | right
        if index < count:
            return index


def batch_at(text, step, rows, seq, seed):
    count = (len(text) - 1) // seq
    starts = []
    for place in range(step * rows, (step + 1) * rows):
        starts.append(seq * example_at(place % count, count, seed, place // count))
    tokens = torch.tensor([list(text[at : at + seq]) for at in starts])
    targets = torch.tensor([list(text[at + 1 : at + seq + 1]) for at in starts])
    return tokens, targets


def loss_of(w, tokens, targets, layers, heads):
    batch, seq = tokens.shape
    hidden = w["wte.weight"].shape[1]
    x = w["wte.weight"][tokens] + w["wpe.weight"][:seq]

    def norm(x, name):
        return F.layer_norm(x, (hidden,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def conv(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    for layer in range(layers):
        at = f"h.{layer}."
        q, k, v = conv(norm(x, at + "ln_1"), at + "attn.c_attn").split(hidden, dim=2)
        q, k, v = (
            t.view(batch, seq, heads, hidden // heads).transpose(1, 2)
            for t in (q, k, v)
        )
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        o = o.transpose(1, 2).reshape(batch, seq, hidden)
        x = x + conv(o, at + "attn.c_proj")
        inner = F.gelu(conv(norm(x, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
        x = x + conv(inner, at + "mlp.c_proj")
    logits = norm(x, "ln_f") @ w["wte.weight"].T
    return F.cross_entropy(logits.view(batch * seq, -1), targets.reshape(-1))


def rate(step, most, warmup=30, steps=300):
    if step < warmup:
        return most * (step + 1) / warmup
    way = min((step - warmup) / (steps - warmup), 1)
    return most * 0.5 * (1 + math.cos(math.pi * way))


def parameters(file, dtype, nudge):
    stored = load_file(file)
    if nudge:
        first = stored["h.0.attn.c_attn.weight"].view(-1)[:1]
        first.copy_(torch.nextafter(first, torch.tensor(math.inf)))
    return {
        name: torch.nn.Parameter(value.to(dtype)) for name, value in stored.items()
    }


def adamw(w):
    plain = [p for name, p in w.items() if name.endswith(".bias") or "ln_" in name]
    listed = {id(p) for p in plain}
    decayed = [p for p in w.values() if id(p) not in listed]
    groups = [
        {"params": plain, "weight_decay": 0.0},
        {"params": decayed, "weight_decay": 0.1},
    ]
    return torch.optim.AdamW(groups, betas=(0.9, 0.95))


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--metrics", required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seq", type=int, default=64)
    parser.add_argument("--rate", type=float, default=3e-4, help="its largest")
    parser.add_argument("--double", action="store_true", help="compute in float64")
    parser.add_argument(
        "--nudge", action="store_true", help="one weight to the next float32"
    )
    return parser.parse_args()


def main():
    o = options()
    torch.set_num_threads(1)
    with open(o.data, "rb") as file:
        text = file.read()
    w = parameters(o.weights, torch.float64 if o.double else torch.float32, o.nudge)
    optimizer = adamw(w)
    with open(o.metrics, "w") as metrics:
        for step in range(o.steps):
            for group in optimizer.param_groups:
                group["lr"] = rate(step, o.rate)
            optimizer.zero_grad()
            tokens, targets = batch_at(text, step, o.batch, o.seq, o.seed)
            loss = loss_of(w, tokens, targets, o.layers, o.heads)
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(list(w.values()), 1.0)
            optimizer.step()
            line = {"step": step + 1, "loss": loss.item(), "grad_norm": norm.item()}
            metrics.write(json.dumps(line) + "\n")
            metrics.flush()


if __name__ == "__main__":
    main()
