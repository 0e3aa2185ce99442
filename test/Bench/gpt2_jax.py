"""GPT-2 in JAX (XLA for CPU), float32, spread over devices: the forward, or
with --train a training step.

    python gpt2_jax.py [--devices 2] [--train] [--size 124M] [--seq 512] ...

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
parser.add_argument("--train", action="store_true")
args = parser.parse_args()
os.environ["XLA_FLAGS"] = (
    f"--xla_force_host_platform_device_count={args.devices}")
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("tp",))
size = model.size_of(args)
HEAD_DIM = size.hidden // size.heads

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


def spec_of(name):
    return next((s for end, s in SPLITS.items() if name.endswith(end)), P())


def load(name, value):
    if name.endswith("c_attn.weight"):
        value = value.reshape(-1, 3, size.heads, HEAD_DIM)
    elif name.endswith("c_attn.bias"):
        value = value.reshape(3, size.heads, HEAD_DIM)
    elif name.endswith("attn.c_proj.weight"):
        value = value.reshape(size.heads, HEAD_DIM, -1)
    elif name == "wte.weight":
        value = np.pad(value, ((0, -len(value) % args.devices), (0, 0)))
    return jax.device_put(value, NamedSharding(mesh, spec_of(name)))


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


def forward(tokens, w):
    stream, whole = P(None, "tp", None), P(None, None, None)
    x = w["wte.weight"][tokens] + w["wpe.weight"][: tokens.shape[1]]
    x = place(x, stream)
    for i in range(size.layers):
        y = place(layer_norm(x, w, f"h.{i}.ln_1"), whole)
        x = place(x + attention(y, w, f"h.{i}.attn"), stream)
        y = place(layer_norm(x, w, f"h.{i}.ln_2"), whole)
        x = place(x + mlp(y, w, f"h.{i}.mlp"), stream)
    y = place(layer_norm(x, w, "ln_f"), whole)
    return place(y @ w["wte.weight"].T, P(None, None, "tp"))


def loss_of(w, tokens, targets):
    logits = forward(tokens, w)
    rows = jax.lax.broadcasted_iota(jnp.int32, logits.shape, 2)
    if logits.shape[-1] > size.vocab:
        logits = jnp.where(rows < size.vocab, logits, -jnp.inf)
    picked = jnp.where(rows == targets[..., None], logits, 0).sum(-1)
    return (jax.nn.logsumexp(logits, axis=-1) - picked).mean()


def train(w, first, second, count, tokens, targets):
    recipe = model.AdamW()
    loss, grads = jax.value_and_grad(loss_of)(w, tokens, targets)
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in grads.values()))
    share = jnp.minimum(recipe.clip / (norm + 1e-6), 1)
    one, two = recipe.betas

    def update(name):
        g = grads[name] * share
        m = one * first[name] + (1 - one) * g
        v = two * second[name] + (1 - two) * g * g
        root = jnp.sqrt(v / (1 - two**count)) + recipe.eps
        move = m / (1 - one**count) / root + recipe.decay * w[name]
        new = w[name] - recipe.rate * move
        return [place(x, spec_of(name)) for x in (new, m, v)]

    news = {name: update(name) for name in w}
    w, first, second = ({n: x[i] for n, x in news.items()} for i in range(3))
    return loss, w, first, second, count + 1


def measure_training(report, w):
    whole = NamedSharding(mesh, P())
    examples = [jax.device_put(x, whole)
                for x in model.draw_examples(size, args.batch, args.seq)]
    zeros = [{n: jnp.zeros_like(x) for n, x in w.items()} for i in range(2)]
    state = [w, *zeros, jax.device_put(jnp.float32(1), whole)]
    compiled = jax.jit(train, donate_argnums=(0, 1, 2, 3))

    def step():
        loss, *state[:] = compiled(*state, *examples)
        jax.block_until_ready(state)
        return loss

    report.training(step, devices=args.devices)


def main():
    weights = {k: load(k, v) for k, v in model.draw(size).items()}
    report = model.Report("jax " + jax.__version__, args)
    if args.train:
        return measure_training(report, weights)
    tokens = jax.device_put(model.draw_tokens(size, args.batch, args.seq),
                            NamedSharding(mesh, P()))
    run = jax.jit(forward)
    report.forward(lambda: run(tokens, weights).block_until_ready(),
                   devices=args.devices)


if __name__ == "__main__":
    sys.exit(main())
