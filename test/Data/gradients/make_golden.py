"""Writes golden.safetensors: gradients of single operations.

Needs PyTorch and safetensors. Everything is in float64, ids too. For each case of
test/Gradients/PyTorchTest.cpp there are tensors CASE/NAME: inputs and
parameters by the names that they have there, the `result`, the cotangent
`result.grad`, and NAME.grad, what backward() leaves. Attention, rotary and
norms are PyTorch's own functions or, where it has none, plain operations.

    make_golden.py [OUT]
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from function_cases import functions, lookups, rotaries
from safetensors.torch import save_file

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(11)
golden = {}


def normal(*shape):
    return torch.randn(shape, generator=generator)


def positive(*shape):
    return 0.3 + 2 * torch.rand(shape, generator=generator)


def whole(*shape):
    """Of -1, 0 and 1, so that many are equal or zero."""
    return torch.randint(-1, 2, shape, generator=generator).double()


def ids(below, *shape):
    return torch.randint(below, shape, generator=generator)


def case(name, function, **tensors):
    """The function of the tensors in order; "up_weight" is up.weight."""
    for tensor in tensors.values():
        tensor.requires_grad_(tensor.is_floating_point())
    result = function(*tensors.values())
    cotangent = normal(*result.shape)
    result.backward(cotangent)
    golden[f"{name}/result"] = result.detach()
    golden[f"{name}/result.grad"] = cotangent
    for key, tensor in tensors.items():
        key = key.replace("_weight", ".weight").replace("_bias", ".bias")
        golden[f"{name}/{key}"] = tensor.detach()
        if tensor.is_floating_point():
            golden[f"{name}/{key}.grad"] = tensor.grad


def rms_norm(x, ln_weight):
    return F.rms_norm(x, (x.shape[-1],), ln_weight, 1e-3)


def attention(q, k, v, keep=None, causal=False, scale=None):
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool)
    if causal:
        mask = mask.tril()
    if keep is not None:
        mask = mask & keep[:, None, None, :]
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, scale=scale, enable_gqa=q.shape[1] != k.shape[1]
    )


def rotary(x, interleaved=False, base=10000.0):
    """Turns the last dim by the positions along the one before it."""
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] / base ** (torch.arange(half) / half)
    cos, sin = torch.cos(angles), torch.sin(angles)
    a, b = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    parts = a * cos - b * sin, a * sin + b * cos
    return torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)


def unary():
    for name, function in {
        "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "relu": F.relu,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "erf": torch.erf,
        "exp": torch.exp,
        "abs": torch.abs,
        "sin": torch.sin,
        "cos": torch.cos,
    }.items():
        case(name, function, x=2 * normal(4, 5))
    case("relu_zero", F.relu, x=whole(4, 5))
    case("abs_zero", torch.abs, x=whole(4, 5))
    for name in ("log", "sqrt", "rsqrt"):
        case(name, getattr(torch, name), x=positive(4, 5))


def binary():
    functions = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: b - a,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "div_swapped": lambda a, b: b / a,
        "pow": lambda a, b: a**b,
        "maximum": torch.maximum,
        "minimum": torch.minimum,
        "where": lambda a, b: torch.where(a > b, a * b, b * b),
    }
    for name, function in functions.items():
        case(name, function, a=positive(2, 4, 3), b=positive(4, 1))
    case("maximum_equal", torch.maximum, a=whole(2, 4, 3), b=whole(4, 1))
    case("minimum_equal", torch.minimum, a=whole(2, 4, 3), b=whole(4, 1))


def products():
    case("linear", lambda x, up_weight, up_bias: F.linear(x, up_weight, up_bias),
         x=normal(2, 4, 6), up_weight=normal(5, 6), up_bias=normal(5))
    case("conv1d", lambda x, up_weight, up_bias: x @ up_weight + up_bias,
         x=normal(2, 4, 6), up_weight=normal(6, 6), up_bias=normal(6))
    case("matmul", torch.matmul, a=normal(2, 4, 3), b=normal(2, 3, 5))
    case("matmul_broadcast", torch.matmul, a=normal(4, 3), b=normal(2, 2, 3, 5))
    case("embedding", lambda tokens, wte_weight: F.embedding(tokens, wte_weight),
         tokens=ids(4, 3, 7), wte_weight=normal(4, 6))
    case("tied_head", lambda tokens, wte_weight: F.embedding(tokens, wte_weight) @ wte_weight.T,
         tokens=ids(4, 2, 4), wte_weight=normal(4, 6))


def norms():
    case("layer_norm", lambda x, ln_weight, ln_bias: F.layer_norm(x, (5,), ln_weight, ln_bias, 1e-3),
         x=normal(2, 4, 5), ln_weight=normal(5), ln_bias=normal(5))
    case("rms_norm", rms_norm, x=normal(2, 4, 5), ln_weight=normal(5))
    case("softmax", lambda x: torch.softmax(x, 1), x=3 * normal(2, 4, 5))
    case("sum", lambda x: x.sum((0, 2)), x=normal(2, 4, 5))
    case("mean", lambda x: x.mean(1, keepdim=True), x=normal(2, 4, 5))
    case("mean_all", torch.mean, x=normal(2, 4, 5))
    case("max", lambda x: x.max(1).values, x=normal(2, 4, 5))
    case("max_equal", lambda x: x.amax(1), x=whole(2, 4, 5))


def shapes():
    case("rearrange", lambda x: x.reshape(2, 4, 2, 3).permute(2, 1, 3, 0).reshape(2, 4, 6),
         x=normal(2, 4, 6))
    case("split", lambda x: x[..., :2] * x[..., 2:4] + x[..., 2:4], x=normal(2, 4, 6))
    case("slice", lambda x: x[0:4] * x[2:6], x=normal(8, 3))
    case("concat", lambda a, b: torch.cat((a * a, b)), a=normal(2, 4), b=normal(3, 4))
    case("transpose", lambda x: x.transpose(0, 2) * 2, x=normal(2, 4, 3))


def attentions():
    def qkv(heads, kv_heads, queries, keys, depth=4, width=6):
        return dict(q=normal(2, heads, queries, depth), k=normal(2, kv_heads, keys, depth),
                    v=normal(2, kv_heads, keys, width))

    keep = torch.tensor([[True, True, False, True, False], [True, True, True, True, True]])
    case("attention", attention, **qkv(2, 2, 4, 5))
    case("attention_causal", lambda *x: attention(*x, causal=True), **qkv(2, 2, 5, 5))
    case("attention_padding", attention, **qkv(2, 2, 3, 5), keep=keep)
    case("attention_grouped", lambda *x: attention(*x, causal=True, scale=0.7),
         **qkv(6, 2, 5, 5), keep=keep)
    case("rotary", rotary, x=normal(2, 3, 5, 6))
    case("rotary_interleaved", lambda x: rotary(x, True, 100.0), x=normal(2, 5, 6))


def losses():
    targets = torch.tensor([[0, 4, 2], [3, 1, 3]])

    def entropy(ignore=-100, smoothing=0.0):
        return lambda logits, targets: F.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=ignore, label_smoothing=smoothing)

    case("cross_entropy", entropy(), logits=3 * normal(2, 3, 5), targets=targets)
    case("cross_entropy_ignored", entropy(ignore=3), logits=3 * normal(2, 3, 5), targets=targets)
    case("cross_entropy_smoothed", entropy(3, 0.1), logits=3 * normal(2, 3, 5), targets=targets)
    case("mse_loss", F.mse_loss, a=normal(4, 5), b=normal(4, 5))


def convolutions():
    def conv(function, *pads, **arguments):
        """Each of pads, a mode and what F.pad takes, goes before the convolution."""
        def run(x, up_weight, up_bias):
            for mode, pad in pads:
                x = F.pad(x, pad, mode=mode)
            return function(x, up_weight, up_bias, **arguments)
        return run

    case("conv_1d", conv(F.conv1d, stride=2, padding=1),
         x=normal(2, 3, 9), up_weight=normal(4, 3, 3), up_bias=normal(4))
    case("conv_2d_circular", conv(F.conv2d, ("circular", (1, 1, 0, 0)), padding=(1, 0)),
         x=normal(2, 2, 5, 6), up_weight=normal(4, 2, 3, 3), up_bias=normal(4))
    case("conv_2d_groups",
         conv(F.conv2d, ("constant", (2, 0, 0, 1)), stride=(1, 2), dilation=(2, 1), groups=2),
         x=normal(2, 4, 7, 8), up_weight=normal(6, 2, 2, 3), up_bias=normal(6))
    case("conv_2d_borders", conv(F.conv2d, ("reflect", (0, 0, 2, 1)), ("replicate", (1, 2, 0, 0))),
         x=normal(1, 2, 5, 4), up_weight=normal(2, 2, 4, 3), up_bias=normal(2))
    case("conv_3d", conv(F.conv3d, stride=(1, 2, 1)),
         x=normal(1, 2, 3, 4, 3), up_weight=normal(3, 2, 2, 2, 2), up_bias=normal(3))
    case("conv_transpose_2d", conv(F.conv_transpose2d, stride=2, padding=1, output_padding=1),
         x=normal(2, 4, 3, 4), up_weight=normal(4, 3, 4, 4), up_bias=normal(3))
    case("conv_transpose_1d", conv(F.conv_transpose1d, stride=3, dilation=2, groups=2),
         x=normal(2, 4, 5), up_weight=normal(4, 3, 3), up_bias=normal(6))


def windows():
    def windowed(before, after, heads):
        i, j = torch.arange(7)[:, None], torch.arange(7)
        mask = (j >= i - before) & (j <= i + after)
        case(f"attention_window_{after}",
             lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True),
             q=normal(2, heads, 7, 4), k=normal(2, 2, 7, 4), v=normal(2, 2, 7, 6))

    windowed(2, 1, 2)
    windowed(3, 0, 6)


def norms_over_dims():
    def grouped(groups, eps=1e-5):
        return lambda x, *affine: F.group_norm(x, groups, *affine, eps=eps)

    def affine(*shape):
        return dict(up_weight=normal(*shape), up_bias=normal(*shape))

    case("group_norm", grouped(2, 1e-3), x=normal(2, 6, 3, 4), **affine(6))
    case("group_norm_factors", grouped(4), x=normal(2, 12, 3), **affine(12))
    case("group_norm_of_all", grouped(1), x=normal(2, 3, 5))
    case("group_norm_rows", grouped(2), x=normal(3, 6), **affine(6))
    case("instance_norm_1d", F.instance_norm, x=normal(2, 3, 5))
    case("instance_norm_3d",
         lambda x, weight, bias: F.instance_norm(x, weight=weight, bias=bias, eps=1e-2),
         x=normal(2, 2, 2, 3, 2), **affine(2))
    def running(channels):
        """Buffers: gradients of these are not asked for."""
        return {"up.running_mean": normal(channels), "up.running_var": positive(channels)}

    def batch(buffers, eps=1e-5):
        return lambda x, *affine: F.batch_norm(x, *buffers.values(), *affine, eps=eps)

    for name, x, weights, eps in (("batch_norm", normal(2, 3, 2, 4), affine(3), 1e-3),
                                  ("batch_norm_rows", normal(3, 5), {}, 1e-5)):
        buffers = running(x.shape[1])
        case(name, batch(buffers, eps), x=x, **weights)
        golden.update({f"{name}/{key}": value for key, value in buffers.items()})
    case("layer_norm_of_dims", lambda x, weight, bias: F.layer_norm(x, (3, 4), weight, bias, 1e-3),
         x=normal(2, 3, 4), **affine(3, 4))


def resizes():
    def resized(**arguments):
        return lambda x: F.interpolate(x, **arguments)

    case("interpolate_nearest", resized(size=(8, 2)), x=normal(2, 3, 4, 6))
    case("interpolate_linear", resized(scale_factor=3, mode="linear"), x=normal(2, 3, 5))
    case("interpolate_bilinear", resized(scale_factor=(2, 0.25), mode="bilinear"), x=normal(2, 2, 3, 8))
    case("interpolate_ratio", resized(size=(8, 6)), x=normal(2, 3, 5, 9))
    case("interpolate_between", resized(size=(7, 6), mode="bilinear"), x=normal(2, 2, 5, 9))
    case("interpolate_corners", resized(size=(8, 1, 4), mode="trilinear", align_corners=True),
         x=normal(1, 2, 4, 5, 3))
    case("interpolate_trilinear", resized(size=(8, 3, 3), mode="trilinear"), x=normal(1, 2, 2, 3, 9))


def poolings():
    def pooled(function, *numbers, **arguments):
        return lambda x: function(x, *numbers, **arguments)

    case("max_pool_1d", pooled(F.max_pool1d, 3, stride=2, padding=1, dilation=2), x=normal(2, 3, 9))
    case("max_pool_2d", pooled(F.max_pool2d, (3, 2), stride=2, padding=(1, 0)), x=normal(2, 3, 5, 7))
    case("max_pool_2d_up", pooled(F.max_pool2d, 2, stride=(2, 3), padding=1, ceil_mode=True), x=normal(1, 2, 5, 6))
    case("max_pool_2d_equal", pooled(F.max_pool2d, 3, stride=1, padding=1), x=whole(2, 2, 6, 5))
    case("max_pool_3d", pooled(F.max_pool3d, 2), x=normal(1, 2, 3, 4, 5))
    case("avg_pool_1d", pooled(F.avg_pool1d, 4, stride=3, padding=2), x=normal(2, 3, 9))
    case("avg_pool_2d_data", pooled(F.avg_pool2d, (3, 2), stride=(2, 1), padding=1, count_include_pad=False),
         x=normal(2, 2, 5, 6))
    case("avg_pool_2d_up", pooled(F.avg_pool2d, 3, stride=2, padding=1, ceil_mode=True), x=normal(1, 2, 6, 7))
    case("avg_pool_3d", pooled(F.avg_pool3d, (2, 1, 3), stride=1, padding=(1, 0, 1)), x=normal(1, 2, 3, 4, 5))


def borders():
    case("pad_value", lambda x: F.pad(x, (0, 2, 1, 0), value=-0.5), x=normal(2, 3, 4))
    case("pad_zero", lambda x: F.pad(x, (0, 0, 1, 2)), x=normal(2, 3))
    case("pad_reflect", lambda x: F.pad(x, (3, 4), mode="reflect"), x=normal(2, 3, 5))
    case("pad_circular",
         lambda x: F.pad(F.pad(x, (0, 0, 2, 1), mode="replicate"), (0, 5, 0, 0), mode="circular"),
         x=normal(2, 3, 4, 5))
    case("crop", lambda x, y: x[1:3, 2:] * y + x[:2, :4], x=normal(5, 6, 3), y=normal(2, 4, 3))


def neighborhoods():
    def mask_of(extent, kernel, stride, dilation, causal):
        """Which keys a query sees along one dim, as NATTEN defines it."""
        i, j = torch.arange(extent)[:, None], torch.arange(extent)
        length = (extent - i % dilation + dilation - 1) // dilation
        query, key = i // dilation, j // dilation
        first = query - query % stride
        if causal:
            leader = torch.minimum(first + stride - 1, length - 1)
            seen = (key <= query) & (leader - key < kernel)
        else:
            left, right = kernel // 2, kernel // 2 + kernel % 2 - 1
            leader = torch.minimum(first + stride // 2, length - 1)
            centre = torch.maximum(torch.minimum(leader, length - 1 - right), torch.tensor(left))
            seen = (key >= centre - left) & (key <= centre + right)
        return seen & (i % dilation == j % dilation)

    def neighborhood(name, heads, extents, *windows):
        mask = torch.ones(1, 1, dtype=torch.bool)
        for extent, window in zip(extents, windows):
            mask = torch.kron(mask.int(), mask_of(extent, *window).int()).bool()

        def run(q, k, v):
            flat = [x.flatten(2, -2) for x in (q, k, v)]
            out = F.scaled_dot_product_attention(*flat, attn_mask=mask, enable_gqa=True)
            return out.unflatten(2, extents)
        case(name, run, q=normal(2, heads, *extents, 4), k=normal(2, 2, *extents, 4),
             v=normal(2, 2, *extents, 6))

    neighborhood("neighborhood_1d", 2, (11,), (4, 2, 2, False))
    neighborhood("neighborhood_2d", 4, (7, 6), (3, 1, 2, False), (5, 3, 1, False))
    neighborhood("neighborhood_2d_causal", 2, (5, 6), (3, 2, 1, True), (4, 1, 1, False))
    neighborhood("neighborhood_3d", 2, (3, 4, 6), (2, 1, 1, False), (3, 2, 1, True), (3, 2, 2, False))


def biases():
    """Of all, which adds up in its gradient, and of keys, under a causal mask."""
    def attention(q, k, v, b, causal=False):
        if causal:
            b = b.masked_fill(torch.ones(q.shape[2], k.shape[2]).tril() == 0, -torch.inf)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=b, enable_gqa=True)

    def qkv(queries):
        return dict(q=normal(2, 4, queries, 4), k=normal(2, 2, 5, 4), v=normal(2, 2, 5, 6))

    case("attention_bias", attention, **qkv(4), b=normal(4, 4, 5))
    case("attention_bias_of_keys", lambda *x: attention(*x, causal=True), **qkv(5), b=normal(2, 1, 1, 5))


for group in (unary, binary, products, norms, shapes, attentions, losses, convolutions, windows,
              norms_over_dims, resizes, poolings, borders, neighborhoods, biases):
    group()
functions(case, normal, whole, ids)
rotaries(case, normal)
lookups(case, normal, ids)
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
save_file({name: tensor.double().clone().contiguous() for name, tensor in golden.items()}, folder / "golden.safetensors")
