#!/usr/bin/env python3
"""Makes small GPT-2 and Llama models and PyTorch's answers for them.

    python make_golden.py        needs PyTorch and safetensors

Nothing that builds, tests or runs Hocket needs this script; its outputs are
committed, for each model:

    MODEL.weights.safetensors   published parameter names, drawn at random
    MODEL.tokens.safetensors    tokens i32[2, 24]
    MODEL.logits.safetensors    logits f32[2, 24, vocab], computed in float32
                                logits_f64, computed in float64

Sizes are those of docs/examples with the definitions in SIZES. They are odd on
purpose: a vocabulary that no mesh divides, grouped heads, an inner dim that is
not a multiple of 16. It runs on one thread: the same PyTorch gives the same
bytes again.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

HERE = Path(__file__).resolve().parent
BATCH, SEQ = 2, 24
SIZES = {
    "gpt2": dict(layers=2, hidden=32, heads=4, vocab=101, positions=40),
    "llama": dict(depth=2, hidden=32, heads=4, kv_heads=2, inner=56, vocab=67,
                  base=10000.0),
}


class Drawn(dict):
    """Parameters by name. Wide enough for every term to show in the result."""

    def __init__(self, seed):
        self.random = torch.Generator().manual_seed(seed)

    def normal(self, name, *shape, mean=0.0, scale=0.3):
        noise = torch.randn(shape, generator=self.random)
        self[name] = mean + scale * noise


def draw_gpt2(size):
    w, hidden = Drawn(3), size["hidden"]

    def norm(name):
        w.normal(name + ".weight", hidden, mean=1.0)
        w.normal(name + ".bias", hidden)

    def conv1d(name, inputs, outputs):
        w.normal(name + ".weight", inputs, outputs)
        w.normal(name + ".bias", outputs)

    w.normal("wte.weight", size["vocab"], hidden, scale=1.0)
    w.normal("wpe.weight", size["positions"], hidden)
    for i in range(size["layers"]):
        norm(f"h.{i}.ln_1")
        conv1d(f"h.{i}.attn.c_attn", hidden, 3 * hidden)
        conv1d(f"h.{i}.attn.c_proj", hidden, hidden)
        norm(f"h.{i}.ln_2")
        conv1d(f"h.{i}.mlp.c_fc", hidden, 4 * hidden)
        conv1d(f"h.{i}.mlp.c_proj", 4 * hidden, hidden)
    norm("ln_f")
    return w


def gpt2(tokens, w, size):
    def norm(x, name):
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"],
                            w[name + ".bias"], 1e-5)

    def conv1d(x, name):
        return x @ w[name + ".weight"] + w[name + ".bias"]

    def attention(x, name):
        q, k, v = (part.view(BATCH, SEQ, size["heads"], -1).transpose(1, 2)
                   for part in conv1d(x, name + ".c_attn").chunk(3, -1))
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return conv1d(o.transpose(1, 2).flatten(2), name + ".c_proj")

    x = w["wte.weight"][tokens] + w["wpe.weight"][:SEQ]
    for i in range(size["layers"]):
        x = x + attention(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn")
        y = conv1d(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        x = x + conv1d(F.gelu(y, approximate="tanh"), f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


def draw_llama(size):
    w, hidden = Drawn(4), size["hidden"]
    kv = hidden // size["heads"] * size["kv_heads"]
    w.normal("model.embed_tokens.weight", size["vocab"], hidden, scale=1.0)
    for i in range(size["depth"]):
        layer = f"model.layers.{i}."
        w.normal(layer + "input_layernorm.weight", hidden, mean=1.0)
        for name, rows in [("q", hidden), ("k", kv), ("v", kv), ("o", hidden)]:
            w.normal(f"{layer}self_attn.{name}_proj.weight", rows, hidden)
        w.normal(layer + "post_attention_layernorm.weight", hidden, mean=1.0)
        w.normal(layer + "mlp.gate_proj.weight", size["inner"], hidden)
        w.normal(layer + "mlp.up_proj.weight", size["inner"], hidden)
        w.normal(layer + "mlp.down_proj.weight", hidden, size["inner"])
    w.normal("model.norm.weight", hidden, mean=1.0)
    w.normal("lm_head.weight", size["vocab"], hidden)
    return w


def rotary(x, base):
    """Turns the pairs (i, i + d/2) of the last dim by position * base^(-2i/d)."""
    half = x.shape[-1] // 2
    power = torch.arange(half, dtype=torch.float64) / half
    angle = torch.arange(SEQ, dtype=torch.float64)[:, None] / base**power
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def llama(tokens, w, size):
    def norm(x, name):
        return F.rms_norm(x, x.shape[-1:], w[name + ".weight"], 1e-5)

    def linear(x, name):
        return x @ w[name + ".weight"].T

    def heads(x, name, count):
        return linear(x, name).view(BATCH, SEQ, count, -1).transpose(1, 2)

    def attention(x, name):
        group = size["heads"] // size["kv_heads"]
        q = rotary(heads(x, name + ".q_proj", size["heads"]), size["base"])
        k = rotary(heads(x, name + ".k_proj", size["kv_heads"]), size["base"])
        v = heads(x, name + ".v_proj", size["kv_heads"])
        o = F.scaled_dot_product_attention(
            q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1),
            is_causal=True)
        return linear(o.transpose(1, 2).flatten(2), name + ".o_proj")

    x = w["model.embed_tokens.weight"][tokens]
    for i in range(size["depth"]):
        layer = f"model.layers.{i}."
        x = x + attention(norm(x, layer + "input_layernorm"),
                          layer + "self_attn")
        y = norm(x, layer + "post_attention_layernorm")
        y = (F.silu(linear(y, layer + "mlp.gate_proj"))
             * linear(y, layer + "mlp.up_proj"))
        x = x + linear(y, layer + "mlp.down_proj")
    return linear(norm(x, "model.norm"), "lm_head")


def make(name, draw, forward):
    size = SIZES[name]
    w = draw(size)
    tokens = torch.randint(0, size["vocab"], (BATCH, SEQ), generator=w.random)
    single = forward(tokens, w, size)
    double = forward(tokens, {k: v.double() for k, v in w.items()}, size)
    save_file(dict(w), HERE / f"{name}.weights.safetensors")
    save_file({"tokens": tokens.int()}, HERE / f"{name}.tokens.safetensors")
    save_file({"logits": single, "logits_f64": double},
              HERE / f"{name}.logits.safetensors")
    print(name, "logits up to", double.abs().max().item(),
          "float32 - float64:", (single - double).abs().max().item())


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    make("gpt2", draw_gpt2, gpt2)
    make("llama", draw_llama, llama)
