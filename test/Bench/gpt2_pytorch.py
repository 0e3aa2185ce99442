"""The GPT-2 forward in PyTorch on the CPU, float32, without gradients.

    python gpt2_pytorch.py [--threads 2] [--compile] [--size 124M] [--seq 512] ...
"""

import torch
import torch.nn.functional as F

import gpt2_model as model


def layer_norm(x, w, name):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"],
                        w[name + ".bias"], 1e-5)


def conv1d(x, w, name):
    flat = torch.addmm(w[name + ".bias"], x.flatten(0, -2), w[name + ".weight"])
    return flat.view(*x.shape[:-1], -1)


def attention(x, w, name, heads):
    batch, seq, hidden = x.shape
    qkv = conv1d(x, w, name + ".c_attn").view(batch, seq, 3, heads, -1)
    q, k, v = qkv.permute(2, 0, 3, 1, 4)
    o = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    o = o.transpose(1, 2).reshape(batch, seq, hidden)
    return conv1d(o, w, name + ".c_proj")


def mlp(x, w, name):
    y = F.gelu(conv1d(x, w, name + ".c_fc"), approximate="tanh")
    return conv1d(y, w, name + ".c_proj")


def forward(tokens, w, size):
    x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.shape[1]]
    for i in range(size.layers):
        y = layer_norm(x, w, f"h.{i}.ln_1")
        x = x + attention(y, w, f"h.{i}.attn", size.heads)
        x = x + mlp(layer_norm(x, w, f"h.{i}.ln_2"), w, f"h.{i}.mlp")
    return layer_norm(x, w, "ln_f") @ w["wte.weight"].T


def main():
    parser = model.options(__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compile", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    size = model.size_of(args)
    weights = {k: torch.from_numpy(v) for k, v in model.draw(size).items()}
    tokens = torch.from_numpy(model.draw_tokens(size, args.batch, args.seq))
    step = torch.compile(forward) if args.compile else forward
    report = model.Report("pytorch " + torch.__version__, args)
    with torch.inference_mode():
        report.forward(lambda: step(tokens, weights, size),
                       threads=args.threads, compiled=args.compile)


if __name__ == "__main__":
    main()
