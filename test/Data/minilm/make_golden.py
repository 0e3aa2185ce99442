#!/usr/bin/env python3
"""Makes the reference data for all-MiniLM-L6-v2 with PyTorch.

    tools/dev/fetch-minilm        # prints the path of the weights
    python make_golden.py DIR     # the folder of that path

needs PyTorch, safetensors and tokenizers in a virtual environment. Nothing
that builds, tests or runs Hocket needs this script; its outputs are committed:

    tokens.safetensors      tokens i32[4, 96], keep bool[4, 96] (false: padding)
    embeddings.safetensors  embeddings f32[4, 384]      computed in float32
                            embeddings_f64 f64[4, 384]  computed in float64

The forward is written out in plain tensor operations after the published
description of BERT, so that it shares nothing with the code it checks.
It runs on one thread: the same PyTorch gives the same bytes again.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
SEQ, LAYERS, HEADS, EPS = 96, 6, 12, 1e-12


def tokenize(sentences, model_dir):
    """Word pieces between [CLS] and [SEP], padded with [PAD] = 0 to SEQ."""
    tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokens = torch.zeros(len(sentences), SEQ, dtype=torch.int32)
    keep = torch.zeros(len(sentences), SEQ, dtype=torch.bool)
    for row, sentence in enumerate(sentences):
        ids = tokenizer.encode(sentence).ids
        if len(ids) > SEQ:
            sys.exit(f"sentence {row} has {len(ids)} tokens, more than {SEQ}")
        tokens[row, : len(ids)] = torch.tensor(ids, dtype=torch.int32)
        keep[row, : len(ids)] = True
    return tokens, keep


def layer_norm(x, weights, name):
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    normal = (x - mean) / torch.sqrt(variance + EPS)
    return normal * weights[name + ".weight"] + weights[name + ".bias"]


def linear(x, weights, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / 2**0.5))


def attention(x, keep, weights, name):
    batch, seq, hidden = x.shape

    def heads(part):
        y = linear(x, weights, f"{name}.self.{part}")
        return y.view(batch, seq, HEADS, hidden // HEADS).transpose(1, 2)

    q, k, v = heads("query"), heads("key"), heads("value")
    scores = q @ k.transpose(-1, -2) / (hidden // HEADS) ** 0.5
    scores = scores.masked_fill(~keep[:, None, None, :], float("-inf"))
    mixed = torch.softmax(scores, -1) @ v
    mixed = mixed.transpose(1, 2).reshape(batch, seq, hidden)
    out = linear(mixed, weights, name + ".output.dense")
    return layer_norm(out + x, weights, name + ".output.LayerNorm")


def encode(tokens, keep, weights):
    """One vector of length 1 a sentence: the mean over its real tokens."""
    words = weights["embeddings.word_embeddings.weight"][tokens.long()]
    places = weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
    types = weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(words + places + types, weights, "embeddings.LayerNorm")
    for i in range(LAYERS):
        name = f"encoder.layer.{i}"
        a = attention(x, keep, weights, name + ".attention")
        y = gelu(linear(a, weights, name + ".intermediate.dense"))
        y = linear(y, weights, name + ".output.dense")
        x = layer_norm(y + a, weights, name + ".output.LayerNorm")
    w = keep[:, :, None].to(x.dtype)
    pooled = (x * w).sum(1) / w.sum(1)
    return pooled / pooled.norm(dim=1, keepdim=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model_dir = Path(sys.argv[1])
    sentences = (HERE / "sentences.txt").read_text().splitlines()
    tokens, keep = tokenize(sentences, model_dir)
    weights = load_file(model_dir / "model.safetensors")
    single = encode(tokens, keep, weights)
    double = encode(
        tokens, keep,
        {k: v.double() for k, v in weights.items() if v.is_floating_point()})
    save_file({"tokens": tokens, "keep": keep}, HERE / "tokens.safetensors")
    save_file({"embeddings": single, "embeddings_f64": double},
              HERE / "embeddings.safetensors")
    print("tokens a sentence:", keep.sum(1).tolist())
    print("float32 - float64:", (single - double).abs().max().item())
    print("similarity:\n", double @ double.T)


if __name__ == "__main__":
    main()
