// Operations of the backward on the tensors of a rank.
// RUN: hocket-opt %s -split-input-file --hocket-partition | FileCheck %s

// Every rank adds the rows of its own part of a table of 7.
!ids = tensor<2x5xi32, #nn.layout<[batch=2] [seq=5], dp: S(0.0)>>
!dy = tensor<2x5x4xf32, #nn.layout<[batch=2] [seq=5] [hidden=4], dp: S(0.0)>>
!t = tensor<7x4xf32, #nn.layout<[vocab=7] [hidden=4], dp: P(sum)>>
!s = tensor<7x4xf32, #nn.layout<[vocab=7] [hidden=4], dp: P(sum), tp: S(0.0)>>
!y = tensor<7x4xf32, #nn.layout<[vocab=7] [hidden=4], tp: S(0.0)>>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-NOT: spmd.slice
// CHECK-COUNT-1: spmd.embedding_grad
// CHECK-SAME: {rows = #spmd.positions<<tp: [0, 4]> of 7>} : (tensor<1x5xi32{{.*}} -> tensor<4x4xf32
// CHECK: spmd.all_reduce sum {{.*}} over ["dp"]
// CHECK-LABEL: spmd.func @class1
// CHECK-COUNT-1: spmd.embedding_grad
// CHECK-SAME: -> tensor<3x4xf32
nn.func @forward(%ids: !ids {nn.name = "ids"}, %dy: !dy {nn.name = "dy"}) -> !y
    attributes {buffers = [], outputs = ["output"]} {
  %t = nn.embedding_grad %ids, %dy : (!ids, !dy) -> !t
  %s = nn.redistribute slice %t over ["tp"] : (!t) -> !s
  %y = nn.redistribute all_reduce %s over ["dp"] : (!s) -> !y
  nn.return %y : !y
}
}

// -----

// 8 query heads over 4 ranks read 2 kv heads that all ranks hold: each rank
// has a term of their gradients. The forward's result and its lse, which has no
// head dim, are split as the queries are.
!q = tensor<1x8x4x8xf32, #nn.layout<[b=1] [h=8] [s=4] [d=8], tp: S(1.0)>>
!k = tensor<1x2x6x8xf32, #nn.layout<[b=1] [g=2] [t=6] [d=8]>>
!p = tensor<1x2x6x8xf32, #nn.layout<[b=1] [g=2] [t=6] [d=8], tp: P(sum)>>
!l = tensor<1x8x4xf32, #nn.layout<[b=1] [h=8] [s=4], tp: S(1.0)>>
module {
  nn.placement "s" <tp=4> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %{{.*}}, %[[LSE:.*]] = spmd.attention {{.*}} -> (tensor<1x2x4x8xf32, {{.*}}>, tensor<1x2x4xf32, #nn.layout<[b=1] [h=2] [s=4]>>)
// CHECK: spmd.attention_grad {{.*}}, %[[LSE]] {block_layout = {}, causal = true, group = 4 : i64, heads = #spmd.positions<<tp: [0, 2, 4, 6]> of 8>,
// CHECK-SAME: keys = #spmd.positions<<0> of 6>, kvHeads = #spmd.positions<<0> of 2>, {{.*}}queries = #spmd.positions<<0> of 4>, scale = 5.000000e-01 : f64}
// CHECK-SAME: -> (tensor<1x2x4x8xf32, #nn.layout<[b=1] [h=2] [s=4] [d=8]>>, tensor<1x2x6x8xf32, {{.*}}>, tensor<1x2x6x8xf32,
// CHECK: spmd.all_reduce sum
// CHECK: spmd.all_reduce sum
nn.func @forward(
    %q: !q {nn.name = "q"},
    %k: !k {nn.name = "k"},
    %v: !k {nn.name = "v"},
    %dout: !q {nn.name = "dout"})
    -> (!q, !k, !k)
    attributes {buffers = [], outputs = ["output0", "output1", "output2"]} {
  %o, %lse = nn.attention %q, %k, %v {causal = true, scale = 0.5 : f64} : (!q, !k, !k) -> (!q, !l)
  %dq, %dk, %dv = nn.attention_grad %q, %k, %v, %dout, %o, %lse {causal = true, scale = 0.5 : f64} : (!q, !k, !k, !q, !q, !l) -> (!q, !p, !p)
  %k2 = nn.redistribute all_reduce %dk over ["tp"] : (!p) -> !k
  %v2 = nn.redistribute all_reduce %dv over ["tp"] : (!p) -> !k
  nn.return %dq, %k2, %v2 : !q, !k, !k
}
}

// -----

// The maximum over all ranks, then the sum of the exponentials.
!x = tensor<2x7xf32, #nn.layout<[batch=2] [vocab=7], tp: S(1.0)>>
!y = tensor<2xf32, #nn.layout<[batch=2]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[M:.*]] = nn.reduce max %arg0 {dims = array<i64: 1>, keepdim = true} {{.*}} -> tensor<2x1xf32
// CHECK: %[[MA:.*]] = spmd.all_reduce max %[[M]] over ["tp"]
// CHECK: %[[E:.*]] = nn.unary exp
// CHECK: %[[S:.*]] = nn.reduce sum %[[E]]
// CHECK: %[[SA:.*]] = spmd.all_reduce sum %[[S]] over ["tp"]
// CHECK: nn.unary log %[[SA]]
// CHECK: return {{.*}} : tensor<2xf32
nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
  %y = nn.log_sum_exp %x {dim = 1 : i64, nn.statistics = ["tp"]} : (!x) -> !y
  nn.return %y : !y
}
}
