// The placement rule of every operation of nn that has one. An operation
// without an example is an error, one without a rule is named at the end. To
// record the text anew, run the command on the left; read it before you commit.
// RUN: hocket-opt --print-rules %S/ops.mlir %s > %t.txt
// RUN: diff %S/Inputs/rules.txt %t.txt

// RUN: not hocket-opt --print-rules %S/ops.mlir 2>&1 | FileCheck %s
// CHECK: error: no example of 'nn.pool', which has a placement rule

#image = #nn.layout<[batch=2] [channels=3] [height=8]>
#pooled = #nn.layout<[batch=2] [channels=3] [rows=7]>
!x = tensor<2x3x8xf32, #image>
!y = tensor<2x3x7xf32, #pooled>
func.func @windows(%x: !x, %y: !y) {
  %0 = nn.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 2>, strides = array<i64: 1>,
      dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>,
      extras = array<i64: 0>} : (!x) -> !y
  %1 = nn.pool_grad %y {kind = #nn.pool_kind<average>, taps = array<i64: 2>,
      strides = array<i64: 1>, dilations = array<i64: 1>,
      lows = array<i64: 0>, highs = array<i64: 0>,
      extras = array<i64: 0>} : (!y) -> !x
  %2 = nn.pad %x {lows = array<i64: 0, 0, 1>, highs = array<i64: 0, 0, 1>,
      borders = #nn.borders<zero, zero, reflect>} : (!x)
      -> tensor<2x3x10xf32, #nn.layout<[batch=2] [channels=3] [padded=10]>>
  %3 = nn.pad_transpose %2 {lows = array<i64: 0, 0, 1>,
      highs = array<i64: 0, 0, 1>, borders = #nn.borders<zero, zero, reflect>}
      : (tensor<2x3x10xf32, #nn.layout<[batch=2] [channels=3] [padded=10]>>) -> !x
  %4 = nn.exchange %x {dim = 2 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!x) -> !x
  return
}

#nodes = #nn.layout<[nodes=4] [hidden=8]>
#edges = #nn.layout<[edges=3] [hidden=8]>
func.func @graph(%x: tensor<4x8xf32, #nodes>, %y: tensor<3x8xf32, #edges>) {
  %0 = nn.gather %x {dim = 0 : i64, indices = array<i64: 0, 1, 3>,
      owners = array<i64>, owner_extent = 0 : i64}
      : (tensor<4x8xf32, #nodes>) -> tensor<3x8xf32, #edges>
  %1 = nn.scatter_sum %y {dim = 0 : i64, indices = array<i64: 0, 1, 3>,
      owners = array<i64>, owner_extent = 0 : i64}
      : (tensor<3x8xf32, #edges>) -> tensor<4x8xf32, #nodes>
  return
}

#twice = {name = "twice", file = "twice.cpp",
    inputs = [{name = "x", element = f32, dims = ["rows", "cols"]}],
    results = [{element = f32, dims = ["rows", "cols"]}], split = ["rows"]}
!rows = tensor<2x4xf32, #nn.layout<[rows=2] [cols=4]>>
func.func @hook(%x: !rows) {
  %0 = nn.hook %x {hook = #twice} : (!rows) -> !rows
  %1 = nn.log_sum_exp %x {dim = 1 : i64} : (!rows)
      -> tensor<2xf32, #nn.layout<[rows=2]>>
  return
}

!q = tensor<2x4x8x16xf32, #nn.layout<[batch=2] [heads=4] [seq=8] [head_dim=16]>>
!k = tensor<2x2x8x16xf32, #nn.layout<[batch=2] [kv=2] [keys=8] [head_dim=16]>>
!ids = tensor<2x8xi32, #nn.layout<[batch=2] [seq=8]>>
!dy = tensor<2x8x16xf32, #nn.layout<[batch=2] [seq=8] [hidden=16]>>
!lse = tensor<2x4x8xf32, #nn.layout<[batch=2] [heads=4] [seq=8]>>
!bias = tensor<1x4x8x8xf32, #nn.layout<[1] [heads=4] [seq=8] [keys=8]>>
!row = tensor<2x1x1x8xf32, #nn.layout<[batch=2] [1] [1] [keys=8]>>
func.func @gradients(%q: !q, %k: !k, %dout: !q, %ids: !ids, %dy: !dy, %bias: !bias, %row: !row) {
  %o, %lse = nn.attention %q, %k, %k {causal = true, scale = 0.3 : f64}
      : (!q, !k, !k) -> (!q, !lse)
  %0:3 = nn.attention_grad %q, %k, %k, %dout, %o, %lse {causal = true, scale = 0.3 : f64}
      : (!q, !k, !k, !q, !q, !lse) -> (!q, !k, !k)
  %d = nn.attention %q, %k, %k documents %ids, %ids {scale = 0.3 : f64}
      : (!q, !k, !k, !ids, !ids) -> !q
  %b = nn.attention %q, %k, %k bias %row {scale = 0.3 : f64}
      : (!q, !k, !k, !row) -> !q
  %c:4 = nn.attention_grad %q, %k, %k, %dout, %o, %lse bias %bias {scale = 0.3 : f64}
      : (!q, !k, !k, !q, !q, !lse, !bias) -> (!q, !k, !k, !bias)
  %1 = nn.embedding_grad %ids, %dy : (!ids, !dy)
      -> tensor<32x16xf32, #nn.layout<[vocab=32] [hidden=16]>>
  return
}
