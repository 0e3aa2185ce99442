// Operations that know where their rank is.
// RUN: hocket-opt %s -split-input-file --hocket-partition | FileCheck %s

// A vocabulary of 7 rows over two ranks gives partial sums.
!t = tensor<7x4xf32, #nn.layout<[vocab=7] [hidden=4], tp: S(0.0)>>
!ids = tensor<2x5xi32, #nn.layout<[batch=2] [seq=5]>>
!p = tensor<2x5x4xf32, #nn.layout<[batch=2] [seq=5] [hidden=4], tp: P(sum)>>
!y = tensor<2x5x4xf32, #nn.layout<[batch=2] [seq=5] [hidden=4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.embedding {{.*}} {rows = #spmd.positions<<tp: [0, 4]> of 7>} : (tensor<4x4xf32
// CHECK-LABEL: spmd.func @class1
// CHECK: spmd.embedding {{.*}} {rows = #spmd.positions<<tp: [0, 4]> of 7>} : (tensor<3x4xf32
nn.func @forward(%ids: !ids {nn.name = "ids"}) -> !y
    attributes {buffers = [], outputs = ["output"]} {
  %t = nn.parameter "wte.weight" : !t
  %p = nn.embedding %t, %ids : (!t, !ids) -> !p
  %y = nn.redistribute all_reduce %p over ["tp"] : (!p) -> !y
  nn.return %y : !y
}
}

// -----

// Heads unevenly: 3 groups of 2 query heads on 2 ranks.
!q = tensor<1x6x4x8xf32, #nn.layout<[b=1] [g=3 h=2] [s=4] [d=8], tp: S(1.0)>>
!k = tensor<1x3x6x8xf32, #nn.layout<[b=1] [g=3] [t=6] [d=8], tp: S(1.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.attention {{.*}} {block_layout = {}, causal = true, group = 2 : i64, heads = #spmd.positions<<tp: [0, 4]> of 6>,
// CHECK-SAME: keys = #spmd.positions<<0> of 6>, kvHeads = #spmd.positions<<tp: [0, 2]> of 3>, {{.*}}queries = #spmd.positions<<0> of 4>, scale = 5.000000e-01 : f64}
// CHECK-SAME: -> tensor<1x4x4x8xf32, #nn.layout<[b=1] [g=2 h=2] [s=4] [d=8]>>
// CHECK-LABEL: spmd.func @class1
// CHECK: spmd.attention {{.*}} -> tensor<1x2x4x8xf32, #nn.layout<[b=1] [g=1 h=2] [s=4] [d=8]>>
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {causal = true, scale = 0.5 : f64, dropout = 0.1 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
}

// -----

// Query heads over more ranks than kv heads, which are whole: ranks begin in the
// middle of a group of 6.
!q = tensor<1x12x4x8xf32, #nn.layout<[b=1] [h=12] [s=4] [d=8], tp: S(1.0)>>
!k = tensor<1x2x6x8xf32, #nn.layout<[b=1] [g=2] [t=6] [d=8]>>
module {
  nn.placement "s" <tp=3> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.attention {{.*}} group = 6 : i64, heads = #spmd.positions<<tp: [0, 4, 8]> of 12>,
// CHECK-SAME: kvHeads = #spmd.positions<<0> of 2>
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {scale = 0.5 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
}

// -----

// What is split inside a group leaves 2 or 1 of 3 query heads for each kv head;
// the second half of a rank's heads reads kv heads from 2 on.
!q = tensor<1x12x4x8xf32, #nn.layout<[b=1] [g=4 r=3] [s=4] [d=8], a: S(1.0), b: S(1.1)>>
!k = tensor<1x4x6x8xf32, #nn.layout<[b=1] [g=4] [t=6] [d=8]>>
module {
  nn.placement "s" <a=2, b=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.attention {{.*}} group = 2 : i64, heads = #spmd.positions<<a: [0, 4]> of 8>,
// CHECK-LABEL: spmd.func @class1
// CHECK: spmd.attention {{.*}} group = 1 : i64, heads = #spmd.positions<<a: [0, 2]> of 4>,
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {scale = 0.5 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
}

// -----

// The queries' sequence is split, keys and values are whole.
!q = tensor<1x2x5x8xf32, #nn.layout<[b=1] [h=2] [s=5] [d=8], sp: S(2.0)>>
!k = tensor<1x2x6x8xf32, #nn.layout<[b=1] [h=2] [t=6] [d=8]>>
module {
  nn.placement "s" <sp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.attention {{.*}} keys = #spmd.positions<<0> of 6>, {{.*}}queries = #spmd.positions<<sp: [0, 3]> of 5>
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {causal = true, scale = 0.5 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
}

// -----

// Positions that are split; a whole one begins at 0 and says so.
!x = tensor<2x5x8xf32, #nn.layout<[b=2] [s=5] [d=8], sp: S(1.0)>>
!i = tensor<5xi32, #nn.layout<[s=5], sp: S(0.0)>>
!j = tensor<5xi32, #nn.layout<[s=5]>>
module {
  nn.placement "s" <sp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.rotary {{.*}}positions = #spmd.positions<<sp: [0, 3]> of 5>
// CHECK: spmd.iota {dim = 0 : i64, positions = #spmd.positions<<sp: [0, 3]> of 5>} : () -> tensor<3xi32
// CHECK: spmd.iota {dim = 0 : i64, positions = #spmd.positions<<0> of 5>} : () -> tensor<5xi32
// CHECK-LABEL: spmd.func @class1
// CHECK: spmd.iota {{.*}} : () -> tensor<2xi32
nn.func @forward(%x: !x {nn.name = "x"}) -> (!x, !i, !j)
    attributes {buffers = [], outputs = ["output0", "output1", "output2"]} {
  %y = nn.rotary %x {base = 10000.0 : f64, dim = 1 : i64, style = #nn.rotary_style<half>} : (!x) -> !x
  %i = nn.iota {dim = 0 : i64} : () -> !i
  %j = nn.iota {dim = 0 : i64} : () -> !j
  nn.return %y, %i, %j : !x, !i, !j
}
}

// -----

// Factors of a rearrange and steps of a slice shrink with the split. The second
// of 3 (heads head_dim) blocks begins at 4 * 2 on a rank of 2 of 4 heads.
!x = tensor<2x24xf32, #nn.layout<[b=2] [qkv=3 h=4 d=2], tp: S(1.1)>>
!q = tensor<2x8xf32, #nn.layout<[b=2] [h=4 d=2], tp: S(1.0)>>
!h = tensor<2x4x1x2xf32, #nn.layout<[b=2] [h=4] [1] [d=2], tp: S(1.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: nn.rearrange {{.*}} {order = {{\[}}[0], [1, 2, 3]], source = #nn.layout<[b=2] [qkv=3 h=2 d=2]>}
// CHECK: nn.slice {{.*}} {dim = 1 : i64, size = 4 : i64, start = 4 : i64} {{.*}} -> tensor<2x4xf32
// CHECK: nn.rearrange {{.*}} {order = {{\[}}[0], [1], [], [2]], source = #nn.layout<[b=2] [h=2 d=2]>} {{.*}} -> tensor<2x2x1x2xf32
nn.func @forward(%x: !x {nn.name = "x"}) -> !h attributes {buffers = [], outputs = ["output"]} {
  %r = nn.rearrange %x {source = #nn.layout<[b=2] [qkv=3 h=4 d=2]>, order = [[0], [1, 2, 3]]} : (!x) -> !x
  %s = nn.slice %r {dim = 1 : i64, start = 8 : i64, size = 8 : i64} : (!x) -> !q
  %h = nn.rearrange %s {source = #nn.layout<[b=2] [h=4 d=2]>, order = [[0], [1], [], [2]]} : (!q) -> !h
  nn.return %h : !h
}
}
