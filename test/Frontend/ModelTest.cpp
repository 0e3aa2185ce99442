//===- ModelTest.cpp - modules, functions, variants, recipes --------------===//

#include "Parsing.h"

using namespace hocket::syntax;

TEST(Model, hasParametersAndMembers) {
  EXPECT_EQ(dumpOf(R"(hocket 1
import "base.hkt"
module A(n: int = 3, p: float, f: bool = true, d: dim, s: str = "x",
         ax: mesh_axis) {
  let m = 2 * n
  ignore "pooler.*", "x"
  w = Linear(n, (heads, head_dim = m), bias = false)
  h = [B(i, n) for i in 0..n - 1]
  let = C()
  ignore = C()
}
)"),
            R"(hocket 1
import base.hkt
module A (n:int=3 p:float f:bool=true d:dim s:str="x" ax:mesh_axis)
  let m (* 2 n)
  ignore <pooler.*> <x>
  member w (call Linear n (tuple heads head_dim=m) bias=false)
  array h (call B i n) for i (range 0 (- n 1))
  member let (call C)
  member ignore (call C)
)");
}

TEST(Model, hasListsAndChoicesOfMembers) {
  EXPECT_EQ(dumpOf(R"(hocket 1
module A(n: int) {
  a = [B(n), none, [C(n)],]
  b = []
  c = B(n) if n > 2 else none
  d = [B(i) if i == 0 else C(i) for i in 0..n]
  e = Parameter(f32[1, (heads, 2)], init = 1)
  f = [Parameter(f32[]), Parameter(f32[n])]
}
)"),
            R"(hocket 1
module A (n:int)
  member a (list (call B n) none (list (call C n)))
  member b (list)
  member c (if (> n 2) (call B n) none)
  array d (if (== i 0) (call B i) (call C i)) for i (range 0 n)
  member e (call Parameter (index f32 1 (tuple heads 2)) init=1)
  member f (list (call Parameter (index f32)) (call Parameter (index f32 n)))
)");
}

TEST(Model, hasFunctionsAndStatements) {
  EXPECT_EQ(dumpOf(R"(hocket 1
model M() {
  forward(x: f32[batch, (heads, d = 4), 2 * n], k: bool[]) -> f32[batch] {
    let half = n / 2
    q, k = split(x)
    a, b = x, y
    for l in layer { x = l(x) }
    for i in 0..n {
      x = f(x)
    }
    if n > 2 {
      return x
    } else if n == 1 {
      for = x
    } else {
      return = 3
    }
    return q, k
  }
  loss() -> (f32[], i32[n]) { return forward(x) }
  other(x: f32[]) { return x }
}
)"),
            R"(hocket 1
model M ()
  function forward (x:f32[batch (tuple heads d=4) (* 2 n)] k:bool[]) -> f32[batch]
    let half (/ n 2)
    assign q k = (call split x)
    assign a b = x y
    for l layer
      assign x = (call l x)
    for i (range 0 n)
      assign x = (call f x)
    if (> n 2)
      return x
    else
      if (== n 1)
        assign for = x
      else
        assign return = 3
    return q k
  function loss () -> f32[] -> i32[n]
    return (call forward x)
  function other (x:f32[])
    return x
)");
}

TEST(Model, hasLossesOutside) {
  EXPECT_EQ(dumpOf(R"(hocket 1
loss lm of M(x: f32[n], y: i64[n]) -> f32[] {
  return f(forward(x), y)
}
loss other of M(x: f32[n]) { return x }
)"),
            R"(hocket 1
loss of M
  function lm (x:f32[n] y:i64[n]) -> f32[]
    return (call f (call forward x) y)
loss of M
  function other (x:f32[n])
    return x
)");
}

TEST(Model, hasVariants) {
  EXPECT_EQ(dumpOf(R"(hocket 1
variant V(k: int = 2) of M {
  let n = k
  replace encoder.layer.*.attention with Mine(n, heads = 2)
  mask h.*.attn causal * bigbird(block = 16)
  precision bf16 master f32 reduce f32
}
variant W of M { }
)"),
            R"(hocket 1
variant V (k:int=2) of M
  let n k
  replace encoder.layer.*.attention (call Mine n heads=2)
  mask h.*.attn (* causal (call bigbird block=16))
  precision bf16 master f32 reduce f32
variant W () of M
)");
}

TEST(Model, hasTrainingRecipes) {
  EXPECT_EQ(dumpOf(R"(hocket 1
train t of M {
  let steps = 3000
  loss loss
  optimizer adamw(lr = 1e-3, decay = 0.1 except {**.bias,**.ln_*.**}, e = 1)
  clip 1.0
  precision bf16 master f32
  seed 1
}
)"),
            R"(hocket 1
train t () of M
  let steps 3000
  loss loss
  optimizer (call adamw lr=0.001 decay=0.1 except {**.bias,**.ln_*.**} e=1)
  clip 1.0
  precision bf16 master f32
  seed 1
)");
}

TEST(Model, rangesCoverDeclarations) {
  Parsed parsed("hocket 1\nmodel M(n: int) {\n  w = F(n)\n}\n");
  File file = parseFile(parsed.sources, parsed.id, parsed.engine);
  ASSERT_EQ(file.decls.size(), 1u);
  auto *model = dynAs<ModuleDecl>(file.decls[0]);
  ASSERT_TRUE(model && model->isModel);
  auto text = [&](SourceRange range) { return parsed.sources.getText(range); };
  EXPECT_EQ(text(model->range), "model M(n: int) {\n  w = F(n)\n}");
  EXPECT_EQ(text(model->name.range), "M");
  EXPECT_EQ(text(model->params[0].range), "n: int");
  EXPECT_EQ(text(model->params[0].typeRange), "int");
  EXPECT_EQ(text(model->items[0]->range), "w = F(n)");
}
