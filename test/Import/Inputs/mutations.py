"""Changes single lines of plain.py and written_out.py: the text changes with them, or
the module is refused; and what is imported computes what the changed module does.

    mutations.py FOLDER
"""

import pathlib
import sys
import types

import hocket_import
import models  # noqa: F401  (quiet logs)
import texts
import torch

HERE = pathlib.Path(__file__).parent
SOURCE = (HERE / "plain.py").read_text()
WRITTEN_OUT = (HERE / "written_out.py").read_text()

# What stands there, what stands there instead.
MUTATIONS = [
    ("F.gelu(", "F.gelu(approximate='tanh', input="),
    ("F.gelu(", "F.silu("),
    ("F.gelu(", "1.0001 * F.gelu("),
    ("F.gelu(self.up(self.norm2(x)))", "F.relu6(self.up(self.norm2(x)))"),
    ("+ 1e-6)", "+ 1e-5)"),
    ("+ 1e-6)", "+ 1.01e-6)"),
    ("eps=1e-5", "eps=1e-6"),
    ("* self.weight", "* (1 + self.weight)"),
    ("x.pow(2).mean(", "x.abs().mean("),
    ("x.pow(2).mean(", "x.clamp(-65504, 65504).pow(2).mean("),
    ("x.pow(2).mean(", "(x / 1000).clamp(max=300.0).mul(1000).pow(2).mean("),
    ("10000.0 **", "10001.0 **"),
    ("10000.0 **", "500.0 **"),
    ("float() / width", "float() / (width + 2)"),
    ("torch.arange(length).float()", "torch.arange(1, length + 1).float()"),
    ("torch.arange(length).float()", "0.5 * torch.arange(length).float()"),
    ("[-b, a]", "[b, -a]"),
    ("a, b = x.chunk(2, -1)", "a, b = x[..., ::2], x[..., 1::2]"),
    ("torch.cat([-b, a], -1) * sin", "torch.stack([-x[..., 1::2], x[..., ::2]], -1)"
     ".flatten(-2) * at.repeat_interleave(2, -1).sin()"),
    ("x * cos +", "x * at.repeat_interleave(2, -1).cos() +"),
    ("q, k = turn(q), turn(k)", "q = turn(q)"),
    ("query - 6", "query - 5"),
    ("query - 6", "query - 7"),
    ("key <= query", "key < query + 2"),
    ("key <= query", "key <= query // 2 * 2"),
    ("(key <= query) & (key > query - 6)", "(key <= query)"),
    ("(key <= query) & ", ""),
    ("(key <= query) & (key > query - 6)", "(key - query).abs() < 3"),
    (" & keep.bool()[:, None, None, :]", ""),
    ("keep.bool()[:, None, None, :]", "keep.bool()[:, None, :, None]"),
    ("keep.bool()[:", "(keep > 1)[:"),
    ("keep.bool()[:", "(keep == 1)[:"),
    ("keep.bool()[:", "keep.flip(-1).bool()[:"),
    ("mask = allowed(x.shape[1], keep)",
     "mask = allowed(x.shape[1], keep) & (k.sum((1, 3)) > -5)[:, None, None, :]"),
    ("mask = allowed(x.shape[1], keep)",
     "mask = torch.where(allowed(x.shape[1], keep), 0.0, -1.0)"),
    ("attn_mask=mask)", "attn_mask=mask, scale=0.3)"),
    ("attn_mask=mask)", "attn_mask=mask, dropout_p=0.1 if self.training else 0.0)"),
    ("attn_mask=mask)", "is_causal=True)"),
    ("return self.out(", "return 2 * self.out("),
    ("x + self.attend(self.norm1(x), keep)", "self.norm1(x) + self.attend(x, keep)"),
    ("x + self.attend(self.norm1(x), keep)", "self.norm1(x + self.attend(x, keep))"),
    ("x + self.attend(self.norm1(x), keep)", "x - self.attend(self.norm1(x), keep)"),
    ("return x + 0.5 * y", "return x + 0.25 * y"),
    ("return x + 0.5 * y", "return x + F.dropout(0.5 * y, 0.1, self.training)"),
    ("return x + 0.5 * y", "return self.norm2(x) + 0.5 * y"),
    ("self.norm2(x)", "self.norm1(x)"),
    ("nn.Linear(3 * size, size)", "nn.Linear(3 * size, size, bias=False)"),
    ("torch.arange(ids.shape[1])", "torch.arange(ids.shape[1]) + 1"),
    ("torch.arange(ids.shape[1])", "torch.arange(ids.shape[1]).flip(0)"),
    ("torch.arange(ids.shape[1])", "0 * torch.arange(ids.shape[1])"),
    ("torch.arange(ids.shape[1])", "ids"),
    ("for block in self.blocks:", "for block in reversed(self.blocks):"),
    ("for block in self.blocks:", "for block in [*self.blocks, self.blocks[0]]:"),
    ("for block in self.blocks:", "for block in self.blocks[1:]:"),
    ("F.linear(self.norm(x), self.table.weight)",
     "F.linear(self.norm(x), self.places.weight)"),
    ("F.linear(self.norm(x), self.table.weight)", "self.norm(x)"),
]


SLOPED = ("return self.near(buckets(length)).permute(2, 0, 1)[None]",
          "return torch.tensor(self.slopes)[None, :, None, None] * "
          "-distances(length).abs()")
OF_WRITTEN_OUT = [
    SLOPED,
    (SLOPED[0], SLOPED[1].replace("-distances(length).abs()", "distances(length)")),
    (SLOPED[0], SLOPED[1].replace("-distances(length).abs()", "distances(length).abs()")),
    (SLOPED[0], SLOPED[1].replace("-distances(length).abs()", "-distances(length) ** 2")),
    (SLOPED[0], SLOPED[1].replace("self.slopes)", "self.slopes[::-1])")),
    (SLOPED[0], "return torch.zeros(1, 1, length, length)"),
    ("/ 3.0", "/ 2.0"),
    ("/ 3.0", "/ 8 ** 0.5"),
    ("scores = scores + bias", "scores = scores + 2 * bias"),
    ("scores = scores + bias", "scores = (scores + bias) * 0.5"),
    ("scores = scores + bias", "scores = torch.tanh(scores) + bias"),
    ("scores = scores + bias", "scores = scores * bias"),
    ("scores.softmax(-1)", "scores.softmax(-2)"),
    ("scores.softmax(-1)", "scores.sigmoid()"),
    ("-1e9", "-1.0"),
    ("== 0", "== 1"),
    ("self.drop(scores.softmax(-1))", "scores.softmax(-1)"),
    ("k.transpose(-1, -2)", "q.transpose(-1, -2)"),
    ("self.drop(scores.softmax(-1)) @ v", "self.drop(scores.softmax(-1)) @ k"),
    (".chunk(3, -1)", ".unflatten(-1, (-1, 3)).unbind(-1)"),
    ("offset > 0", "offset >= 0"),
    ("offset > 0", "offset < 0"),
    ("1.3862943611198906", "1.6094379124341003"),
    ("max=3)", "max=2)"),
    ("offset.abs() < 2", "offset.abs() < 4"),
    ("permute(2, 0, 1)", "permute(2, 1, 0)"),
    ("return x + F.gelu", "return x - F.gelu"),
]


def module_of(source):
    """The module of a text; of one block, unless it is about several."""
    code = types.ModuleType("plain")
    exec(compile(source, "plain.py", "exec"), code.__dict__)
    torch.manual_seed(3)
    made = code.Plain if hasattr(code, "Plain") else code.Net
    module = made(1 if "for block in self.blocks:" in source else 2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.15 * torch.randn(parameter.shape))
    return module.eval()


def inputs():
    torch.manual_seed(4)
    keep = torch.ones(3, 14, dtype=torch.long)
    keep[1, 9:] = 0
    return {"ids": torch.randint(0, 40, (3, 14)), "keep": keep}


def text_of(source):
    """The text of a module, or the refusal."""
    given = inputs()
    try:
        return hocket_import.to_hkt(module_of(source), kwargs=given), None
    except hocket_import.Refused as refused:
        return None, str(refused)


def compare(file, source):
    texts.compare(file, module_of(source), inputs())


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    bases = [text_of(SOURCE), text_of(SOURCE.replace("in self.blocks:", "in  self.blocks:"))]
    assert bases[0][0] and bases[1][0], bases
    base = bases[0][0]
    (folder / "plain.hkt").write_text(base)
    texts.hocket("fmt", "--check", folder / "plain.hkt")
    compare(folder / "plain.hkt", SOURCE)
    bases.append(text_of(WRITTEN_OUT))
    (folder / "written_out.hkt").write_text(bases[-1][0])
    compare(folder / "written_out.hkt", WRITTEN_OUT)
    known = {text for text, _ in bases}
    for number, (source, old, new) in enumerate(
            [(SOURCE, *change) for change in MUTATIONS] +
            [(WRITTEN_OUT, *change) for change in OF_WRITTEN_OUT]):
        assert source.count(old) >= 1, old
        changed = source.replace(old, new)
        text, refused = text_of(changed)
        assert text not in known, f"the same text: {old} -> {new}"
        known |= {text} - {None}
        if text is None:
            print(f"refused: {old} -> {new}\n  " + refused.split("\n")[1].strip())
        else:
            file = folder / f"{number}.hkt"
            file.write_text(text)
            compare(file, changed)
            print(f"imported: {old} -> {new}")
    print(f"{len(MUTATIONS) + len(OF_WRITTEN_OUT)} mutations")


main(pathlib.Path(sys.argv[1]))
