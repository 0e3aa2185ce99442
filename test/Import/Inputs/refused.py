"""Imports what cannot be imported, and prints what is said of it."""

import tempfile

import hocket_import
import models
import torch
import torch.nn.functional as F
import transformers
from hocket_import import check
from torch import nn

IDS = torch.arange(24).reshape(2, 12)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)

    def forward(self, x):
        x = x + torch.cumprod(self.up(x), 1)
        return x.sort(-1)[0].median(1, keepdim=True)[0]


class Several(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 8)
        self.token = nn.Parameter(torch.zeros(8))
        self.layers = nn.ModuleList([Layer(), Layer(), Layer()])

    def forward(self, ids):
        x = self.table(ids) + self.token
        for layer in self.layers:
            x = layer(x)
        return x


class Held(nn.Module):
    """A number of the weight file that is no parameter, or noise."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.register_buffer("factor", torch.tensor(3))

    def forward(self, x):
        if self.kind == "buffer":
            return x * self.factor
        if self.kind == "in place":
            y = x * 2
            z = y.view(-1)
            return y.mul_(3) + z.view(x.shape)
        if self.kind == "noise":
            return x * torch.rand(x.shape[0], 1)
        return torch.div(x, 3, rounding_mode="floor")


class Masked(nn.Module):
    """Attention under masks of several kinds."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.table = kind, nn.Embedding(30, 8)
        self.bias = nn.Embedding(30, 2)

    def forward(self, ids, keep=None):
        n = ids.shape[1]
        x = self.table(ids).unflatten(-1, (2, 4)).transpose(1, 2)
        place = torch.arange(n)
        if self.kind == "bias":
            mask = self.bias((place[:, None] - place[None]).abs()).permute(2, 0, 1)[None]
        elif self.kind == "heads":
            slopes = torch.tensor([1.0, 2.0])[:, None, None]
            mask = (place[None, :, None] >= slopes * place[None, None])[None]
        elif self.kind == "rows":
            mask = (ids > 3)[:, None, :, None] * 2.0
        else:
            mask = (place[:, None] - place[None] < 100000)[None, None]
        return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)


class Resized(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, x):
        return F.interpolate(x, **self.options)


class Window(nn.Module):
    """A bias of a window of 2 by 2, whose rows are numbered from its other end, or to
    which a constant is added that no operation of the language computes."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.table = kind, nn.Parameter(torch.zeros(9, 2))
        rows = [4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4]
        self.register_buffer("rows", torch.tensor(rows if kind == "added" else rows[::-1]),
                             persistent=False)

    def forward(self, x):
        x = x.unflatten(-1, (2, 4)).transpose(1, 2)
        bias = self.table[self.rows].view(4, 4, 2).permute(2, 0, 1)[None]
        if self.kind == "added":
            bias = bias + torch.arange(16).view(1, 1, 4, 4).fmod(3) * -100.0
        return F.scaled_dot_product_attention(x, x, x, attn_mask=bias)


class Halved(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.drop = nn.Linear(8, 8), nn.Dropout(0.1)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.up(x)
        return self.drop(x)


class Fixed(nn.Module):
    def forward(self, x):
        return x + torch.arange(x.shape[1]).float() if x.shape[1] == 12 else x


class Sized(nn.Module):
    def forward(self, x):
        return x * x.shape[1] ** -0.5


class Branch(nn.Module):
    """Another computation at other sizes."""

    def __init__(self, condition):
        super().__init__()
        self.condition = condition

    def forward(self, x, y):
        return x.mean(1) * 2 + y.mean(1) if self.condition(
            x.shape[1], y.shape[1]) else x.mean(1) + y.mean(1)


def at_most(n, other):
    assert n <= 64, "too long"
    return False


class Cut(nn.Module):
    """Where gradients end, which the head of the text says."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.up = kind, nn.Linear(8, 8)

    def forward(self, x):
        y = self.up(x)
        if self.kind == "detach":
            return y + (torch.tanh(y) - y).detach()
        with torch.no_grad():
            z = torch.tanh(y)
        return y * z * x.detach()


def said(title, module, dims=None, **inputs):
    print(f"== {title}")
    try:
        print(hocket_import.to_hkt(module, kwargs=inputs, dims=dims))
    except hocket_import.Refused as refused:
        print(str(refused).replace("\nnote: docs/import.md says what the language lacks; "
                                   "change these lines of the module, or import a part "
                                   "of it", ""))


def family(kind, **config):
    made = getattr(transformers, kind)
    said(kind, made(made.config_class(**config)), input_ids=IDS)


said("several operations", Several(), ids=IDS)
for kind in ("buffer", "noise", "rounded", "in place"):
    said(kind, Held(kind), dims={"x": ("batch", 8)}, x=torch.randn(2, 8))
for kind in ("detach", "no_grad"):
    said(kind, Cut(kind), dims={"x": ("batch", 8)}, x=torch.randn(2, 8))
for kind in ("bias", "heads", "rows", "far"):
    said(f"mask, {kind}", Masked(kind), ids=IDS)
for options in (dict(scale_factor=1.3), dict(scale_factor=2, mode="bicubic"),
                dict(size=(3, 4), mode="bilinear", antialias=True)):
    said("resized", Resized(**options), dims={"x": ("batch", 3, 6, 8)},
         x=torch.randn(2, 3, 6, 8))
for kind in ("turned", "added"):
    said(f"window, {kind}", Window(kind), dims={"x": ("batch", 4, 8)},
         x=torch.randn(2, 4, 8))
said("autocast", Halved(), dims={"x": ("batch", 8)}, x=torch.randn(2, 8))
family("MptForCausalLM", d_model=48, n_heads=4, n_layers=1, vocab_size=101, max_seq_len=32)

for condition in (lambda n, m: n > 100, lambda n, m: n < 8, lambda n, m: n % 2 == 0,
                  lambda n, m: n == 64, lambda n, m: n > m, lambda n, m: n + m > 100):
    said("branch", Branch(condition), dims={"x": ("batch", "seq", 8),
                                            "y": ("batch", "target", 8)},
         x=torch.randn(2, 12, 8), y=torch.randn(2, 10, 8))
said("limit", Branch(at_most), dims={"x": ("batch", "seq", 8), "y": ("batch", "target", 8)},
     x=torch.randn(2, 12, 8), y=torch.randn(2, 10, 8))
said("size of an input", Sized(), dims={"x": ("batch", "seq", 8)}, x=torch.randn(2, 12, 8))
said("container", nn.Sequential(nn.Linear(8, 8), nn.ReLU()), dims={"input": ("batch", 8)},
     input=torch.randn(2, 8))

# What the caller says.
plain = nn.Linear(12, 12)
x = torch.randn(2, 12)
said("no dims", plain, input=torch.randn(2, 3, 12))
said("too many dims", plain, dims={"input": ("batch", "seq", 12)}, input=x)
said("two sizes", Masked("far"), ids=IDS, keep=IDS[:, :3])
said("no such input", plain, dims={"y": ("batch",), "input": ("batch", 12)}, input=x)
said("no tensor", plain, input=3)
said("one size only", Fixed(), dims={"x": ("batch", "seq")}, x=x)
said("half", nn.Linear(12, 12).half(), dims={"input": ("batch", 12)}, input=x)

# A text that computes something else than the module is not written.
module, inputs = models.build("llama")
text, graph = hocket_import.convert(module, inputs, {"input_ids": ("batch", "seq")})
for old, new in (("silu", "gelu"), ("silu", "sillu")):
    try:
        check.check("hocket", text.replace(old, new), module, graph)
    except hocket_import.Refused as refused:
        said_text = str(refused).replace(tempfile.gettempdir(), "")
        print(f"== {old} -> {new}\n" + said_text.split("/model.hkt")[-1].split(" by ")[0])
print(f"== right\n{check.check('hocket', text, module, graph) < 1e-5}")
