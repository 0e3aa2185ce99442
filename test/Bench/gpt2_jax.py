"""The GPT-2 forward in JAX (XLA for CPU), float32, spread over devices.

    python gpt2_jax.py [--devices 2] [--layers 12] [--seq 512] ...

The placement is that of `sequence_parallel` in docs/examples/gpt2.hkt: heads,
the inner dim and the vocabulary split, the residual stream split by sequence.
It is stated with NamedSharding; XLA chooses the collectives. JAX splits evenly
only, so the vocabulary has one more row here where 50257 does not divide.
"""

import os
import sys

import gpt2_model as model

parser = model.options(__doc__)
parser.add_argument("--devices", type=int, default=2)
args = parser.parse_args()
os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count={args.devices}")
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tp",))
HEAD_DIM = model.HIDDEN // model.HEADS

# How each parameter is stored, by the end of its name.
SPLITS = {
    "wte.weight": P("tp", None),
    "attn.c_attn.weight": P(None, None, "tp", None),  # [in, qkv, heads, d]
    "attn.c_attn.bias": P(None, "tp", None),
    "attn.c_proj.weight": P("tp", None, None),  # [heads, d, out]
    "mlp.c_fc.weight": P(None, "tp"),
    "mlp.c_fc.bias": P("tp"),
    "mlp.c_proj.weight": P("tp", None),
}


def place(x, spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, spec))


def load(name, value):
    if name.endswith("c_attn.weight"):
        value = value.reshape(-1, 3, model.HEADS, HEAD_DIM)
    elif name.endswith("c_attn.bias"):
        value = value.reshape(3, model.HEADS, HEAD_DIM)
    elif name.endswith("attn.c_proj.weight"):
        value = value.reshape(model.HEADS, HEAD_DIM, -1)
    elif name == "wte.weight":
        value = np.pad(value, ((0, -len(value) % args.devices), (0, 0)))
    spec = next((s for end, s in SPLITS.items() if name.endswith(end)), P())
    return jax.device_put(value, NamedSharding(mesh, spec))


def layer_norm(x, w, name):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    normal = (x - mean) * jax.lax.rsqrt(variance + 1e-5)
    return normal * w[name + ".weight"] + w[name + ".bias"]


def attention(x, w, name):
    qkv = jnp.einsum("bsi,iqhd->qbshd", x, w[name + ".c_attn.weight"])
    q, k, v = qkv + w[name + ".c_attn.bias"][:, None, None]
    o = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    return (jnp.einsum("bshd,hdo->bso", o, w[name + ".c_proj.weight"])
            + w[name + ".c_proj.bias"])


def mlp(x, w, name):
    y = x @ w[name + ".c_fc.weight"] + w[name + ".c_fc.bias"]
    y = jax.nn.gelu(y, approximate=True)
    return y @ w[name + ".c_proj.weight"] + w[name + ".c_proj.bias"]


@jax.jit
def forward(tokens, w):
    stream, whole = P(None, "tp", None), P(None, None, None)
    x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.shape[1]]
    x = place(x, stream)
    for i in range(args.layers):
        y = place(layer_norm(x, w, f"h.{i}.ln_1"), whole)
        x = place(x + attention(y, w, f"h.{i}.attn"), stream)
        y = place(layer_norm(x, w, f"h.{i}.ln_2"), whole)
        x = place(x + mlp(y, w, f"h.{i}.mlp"), stream)
    y = place(layer_norm(x, w, "ln_f"), whole)
    return place(y @ w["wte.weight"].T, P(None, None, "tp"))


def main():
    weights = {k: load(k, v) for k, v in model.draw(args.layers).items()}
    tokens = jax.device_put(model.draw_tokens(args.batch, args.seq),
                            NamedSharding(mesh, P()))
    report = model.Report("jax " + jax.__version__, args.layers, args.batch,
                          args.seq, args.runs)
    report.measure(lambda: forward(tokens, weights).block_until_ready(),
                   devices=args.devices)


if __name__ == "__main__":
    sys.exit(main())
