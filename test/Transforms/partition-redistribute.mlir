// Each kind of redistribution, on its own.
// RUN: hocket-opt %s -split-input-file --hocket-partition | FileCheck %s

!s = tensor<4x10xf32, #nn.layout<[batch=4] [seq=10], tp: S(1.0)>>
!r = tensor<4x10xf32, #nn.layout<[batch=4] [seq=10]>>
!p = tensor<4x10xf32, #nn.layout<[batch=4] [seq=10], tp: P(sum)>>
!b = tensor<4x10xf32, #nn.layout<[batch=4] [seq=10], tp: S(0.0)>>
module {
  nn.placement "s" <tp=4> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32, #nn.layout<[batch=4] [seq=3]>>
// CHECK-SAME: spmd.cuts = #spmd.box<<[batch=4] [seq=10]>, <1, 0, offset = <tp: [0, 3, 6, 8]>, size = <tp: [3, 3, 2, 2]>>>
// CHECK-SAME: -> (tensor<4x3xf32, {{.*}} {nn.name = "output0", spmd.cuts = {{.*}}, spmd.replicated_over = []}, tensor<1x10xf32
// CHECK-SAME: attributes {ranks = array<i64: 0, 1>
// CHECK: %[[G:.*]] = spmd.all_gather %[[X]] over ["tp"] {dim = 1 : i64, factor = 0 : i64, id = 0 : i64, offsets = #spmd.table<tp: [0, 3, 6, 8]>, sizes = #spmd.table<tp: [3, 3, 2, 2]>}
// CHECK-SAME: -> tensor<4x10xf32
// CHECK: %[[K:.*]] = spmd.keep_first %[[G]] over ["tp"]
// CHECK: %[[R:.*]] = spmd.reduce_scatter sum %[[K]] over ["tp"] {dim = 1 : i64, factor = 0 : i64, id = 1 : i64, offsets = #spmd.table<tp: [0, 3, 6, 8]>, sizes = #spmd.table<tp: [3, 3, 2, 2]>}
// CHECK-SAME: -> tensor<4x3xf32
// CHECK: %[[T:.*]] = spmd.all_to_all %[[R]] over ["tp"] {dim = 1 : i64, factor = 0 : i64, id = 2 : i64, offsets = #spmd.table<tp: [0, 3, 6, 8]>, sizes = #spmd.table<tp: [3, 3, 2, 2]>, toDim = 0 : i64, toFactor = 0 : i64, toOffsets = #spmd.table<tp: [0, 1, 2, 3]>, toSizes = #spmd.table<1>}
// CHECK-SAME: -> tensor<1x10xf32
// CHECK: %[[B:.*]] = spmd.broadcast %[[G]] over ["tp"] {id = 3 : i64, root = 2 : i64}
// CHECK: %[[S:.*]] = spmd.slice %[[B]] {dim = 1 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 3, 6, 8]>} {{.*}} -> tensor<4x3xf32
// CHECK: return %[[S]], %[[T]]
// CHECK-LABEL: spmd.func @class1
// CHECK-SAME: attributes {ranks = array<i64: 2, 3>
// CHECK: spmd.all_gather {{.*}} id = 0 : i64, offsets = #spmd.table<tp: [0, 3, 6, 8]>{{.*}} : (tensor<4x2xf32
nn.func @forward(%x: !s {nn.name = "x"}) -> (!s, !b)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %g = nn.redistribute all_gather %x over ["tp"] : (!s) -> !r
  %m = nn.redistribute mask %g over ["tp"] : (!r) -> !p
  %r = nn.redistribute reduce_scatter %m over ["tp"] : (!p) -> !s
  %t = nn.redistribute all_to_all %r over ["tp"] : (!s) -> !b
  %b = nn.redistribute broadcast %g over ["tp"] {root = 2 : i64} : (!r) -> !r
  %s = nn.redistribute slice %b over ["tp"] : (!r) -> !s
  nn.return %s, %t : !s, !b
}
}

// -----

// Other parts of one factor: each rank gets those of its rows that it lacks.
// Borders that are elsewhere, of the same parts, move nothing.
!a = tensor<5x2xf32, #nn.layout<[rows=5] [2], tp: S(0.0)>>
!b = tensor<5x2xf32, #nn.layout<[rows=5] [2], tp: S(0.0 sizes [1, 4])>>
!c = tensor<5x2xf32, #nn.layout<[rows=5] [2], tp: S(0.0 sizes [1, 4] bounds [1] / 2)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0(%arg0: tensor<3x2xf32
// CHECK: %[[H:.*]] = spmd.halo_exchange %arg0 over ["tp"] {border = #nn.border<zero>, dims = array<i64: 0>, extent = 5 : i64, factors = array<i64: 0>, heldOffsets = #spmd.table<tp: [0, 1]>, heldSizes = #spmd.table<tp: [1, 4]>, id = 0 : i64, offsets = #spmd.table<tp: [0, 3]>, sizes = #spmd.table<tp: [3, 2]>} : {{.*}} -> tensor<1x2xf32
// CHECK-NEXT: return %[[H]]
nn.func @forward(%x: !a {nn.name = "x"}) -> !c attributes {buffers = [], outputs = ["output"]} {
  %b = nn.redistribute repartition %x over ["tp"] : (!a) -> !b
  %c = nn.redistribute repartition %b over ["tp"] : (!b) -> !c
  nn.return %c : !c
}
}

// -----

// An axis of size 1 takes part in nothing.
!s = tensor<4xf32, #nn.layout<[seq=4], dp: S(0.0), tp: S(0.0)>>
!d = tensor<4xf32, #nn.layout<[seq=4], dp: S(0.0)>>
!r = tensor<4xf32, #nn.layout<[seq=4]>>
!p = tensor<4xf32, #nn.layout<[seq=4], dp: P(sum), tp: P(sum)>>
module {
  nn.placement "s" <dp=1, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-SAME: <0, 0, offset = <tp: [0, 2]>, size = <2>>
// CHECK-SAME: spmd.replicated_over = ["tp"]
// CHECK: %[[G:.*]] = spmd.all_gather %{{.*}} over ["tp"] {{{.*}}id = 0 : i64, offsets = #spmd.table<tp: [0, 2]>
// CHECK-NEXT: %[[K:.*]] = spmd.keep_first %[[G]] over ["tp"]
// CHECK-NEXT: %[[A:.*]] = spmd.all_reduce sum %[[K]] over ["tp"] {id = 1 : i64}
// CHECK-NEXT: return %[[A]]
nn.func @forward(%x: !s {nn.name = "x"}) -> !r attributes {buffers = [], outputs = ["output"]} {
  %t = nn.redistribute all_gather %x over ["tp"] : (!s) -> !d
  %g = nn.redistribute all_gather %t over ["dp"] : (!d) -> !r
  %m = nn.redistribute mask %g over ["dp", "tp"] : (!r) -> !p
  %a = nn.redistribute all_reduce %m over ["dp", "tp"] : (!p) -> !r
  nn.return %a : !r
}
}

// -----

// Two axes on one factor: 7 in 2 is 4 3, then 4 in 2 is 2 2 and 3 in 2 is 2 1.
// The inner gather counts from the outer part, so its tables differ by class.
!s = tensor<7xf32, #nn.layout<[seq=7], dp: S(0.0), tp: S(0.0)>>
!d = tensor<7xf32, #nn.layout<[seq=7], dp: S(0.0)>>
!r = tensor<7xf32, #nn.layout<[seq=7]>>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-SAME: <0, 0, offset = <dp, tp: [0, 2, 4, 6]>, size = <dp, tp: [2, 2, 2, 1]>>
// CHECK-SAME: attributes {ranks = array<i64: 0, 1>
// CHECK: spmd.all_gather {{.*}} over ["tp"] {{{.*}}id = 0 : i64, offsets = #spmd.table<tp: [0, 2]>, sizes = #spmd.table<2>} : (tensor<2xf32, {{.*}} -> tensor<4xf32
// CHECK: spmd.all_gather {{.*}} over ["dp"] {{{.*}}id = 1 : i64, offsets = #spmd.table<dp: [0, 4]>, sizes = #spmd.table<dp: [4, 3]>} : (tensor<4xf32, {{.*}} -> tensor<7xf32
// CHECK: spmd.all_gather {{.*}} over ["dp", "tp"] {{{.*}}id = 2 : i64, offsets = #spmd.table<dp, tp: [0, 2, 4, 6]>
// CHECK: spmd.slice {{.*}} offset = #spmd.table<dp, tp: [0, 2, 4, 6]>
// CHECK-LABEL: spmd.func @class1
// CHECK-SAME: attributes {ranks = array<i64: 2>
// CHECK: spmd.all_gather {{.*}} over ["tp"] {{{.*}}id = 0 : i64, offsets = #spmd.table<tp: [0, 2]>, sizes = #spmd.table<tp: [2, 1]>} : (tensor<2xf32, {{.*}} -> tensor<3xf32
// CHECK-LABEL: spmd.func @class2
// CHECK-SAME: attributes {ranks = array<i64: 3>
// CHECK: spmd.all_gather {{.*}} over ["tp"] {{.*}} : (tensor<1xf32, {{.*}} -> tensor<3xf32
nn.func @forward(%x: !s {nn.name = "x"}) -> !s attributes {buffers = [], outputs = ["output"]} {
  %t = nn.redistribute all_gather %x over ["tp"] : (!s) -> !d
  %g = nn.redistribute all_gather %t over ["dp"] : (!d) -> !r
  %b = nn.redistribute all_gather %x over ["tp", "dp"] : (!s) -> !r
  %c = nn.binary add %g, %b : (!r, !r) -> !r
  %s = nn.redistribute slice %c over ["dp", "tp"] : (!r) -> !s
  nn.return %s : !s
}
}

// -----

// An all_reduce whose only use is a slice over the same axes is a
// reduce_scatter; with another use it stays. max keeps its kind.
!p = tensor<8xf32, #nn.layout<[seq=8], tp: P(max)>>
!r = tensor<8xf32, #nn.layout<[seq=8]>>
!s = tensor<8xf32, #nn.layout<[seq=8], tp: S(0.0)>>
!in = tensor<3x8xf32, #nn.layout<[k=3] [seq=8], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[M:.*]] = nn.reduce max
// CHECK-NEXT: %[[S:.*]] = spmd.reduce_scatter max %[[M]] over ["tp"] {{{.*}}id = 0 : i64
// CHECK-NEXT: %[[A:.*]] = spmd.all_reduce max %[[M]] over ["tp"] {id = 1 : i64}
// CHECK-NEXT: spmd.slice %[[A]]
// CHECK-NEXT: return %[[S]], %{{.*}}, %[[A]]
nn.func @forward(%x: !in {nn.name = "x"}) -> (!s, !s, !r)
    attributes {buffers = [], outputs = ["output0", "output1", "output2"]} {
  %m = nn.reduce max %x {dims = array<i64: 0>} : (!in) -> !p
  %a = nn.redistribute all_reduce %m over ["tp"] : (!p) -> !r
  %v = nn.value result "h.0" %a : (!r) -> !r
  %s = nn.redistribute slice %v over ["tp"] : (!r) -> !s
  %b = nn.redistribute all_reduce %m over ["tp"] : (!p) -> !r
  %t = nn.redistribute slice %b over ["tp"] : (!r) -> !s
  nn.return %s, %t, %b : !s, !s, !r
}
}

// -----

// A slice of a constant or of positions is a smaller one; dropout is nothing.
!r = tensor<8xf32, #nn.layout<[seq=8]>>
!s = tensor<8xf32, #nn.layout<[seq=8], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-NEXT: %[[F:.*]] = nn.fill {value = 2.000000e+00 : f64} : () -> tensor<4xf32
// CHECK-NEXT: %[[I:.*]] = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<tp: [0, 4]> of 8>} : () -> tensor<4xf32
// CHECK-NEXT: %[[B:.*]] = nn.binary mul %[[F]], %[[I]]
// CHECK-NEXT: return %[[B]]
nn.func @forward() -> !s attributes {buffers = [], outputs = ["output"]} {
  %f = nn.fill {value = 2.0 : f64} : () -> !r
  %fs = nn.redistribute slice %f over ["tp"] : (!r) -> !s
  %i = nn.iota {dim = 0 : i64} : () -> !r
  %iv = nn.value argument "wpe.ids" %i : (!r) -> !r
  %is = nn.redistribute slice %iv over ["tp"] : (!r) -> !s
  %b = nn.binary mul %fs, %is : (!s, !s) -> !s
  %d = nn.dropout %b {p = 0.1 : f64} : (!s) -> !s
  nn.return %d : !s
}
}

// -----

// A slice over axes that split different dims cuts one after the other.
!r = tensor<4x6xf32, #nn.layout<[out=4] [in=6]>>
!s = tensor<4x6xf32, #nn.layout<[out=4] [in=6], tp: S(0.0), dp: S(1.0)>>
module {
  nn.placement "s" <dp=3, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[A:.*]] = spmd.slice %arg0 {dim = 1 : i64, factor = 0 : i64, offset = #spmd.table<dp: [0, 2, 4]>} {{.*}} -> tensor<4x2xf32
// CHECK: %[[B:.*]] = spmd.slice %[[A]] {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 2]>} {{.*}} -> tensor<2x2xf32, #nn.layout<[out=2] [in=2]>>
// CHECK: return %[[B]]
nn.func @forward(%x: !r {nn.name = "x"}) -> !s attributes {buffers = [], outputs = ["output"]} {
  %s = nn.redistribute slice %x over ["dp", "tp"] : (!r) -> !s
  nn.return %s : !s
}
}

// -----

// A constant that is also used whole stays whole there.
!r = tensor<8xf32, #nn.layout<[seq=8]>>
!s = tensor<8xf32, #nn.layout<[seq=8], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-DAG: %[[WHOLE:.*]] = nn.fill {{.*}} -> tensor<8xf32
// CHECK-DAG: %[[PART:.*]] = nn.fill {{.*}} -> tensor<4xf32
// CHECK: nn.binary add %{{.*}}, %[[PART]]
// CHECK: nn.binary add %{{.*}}, %[[WHOLE]]
nn.func @forward(%x: !s {nn.name = "x"}, %y: !r {nn.name = "y"}) -> (!s, !r)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %f = nn.fill {value = 2.0 : f64} : () -> !r
  %part = nn.redistribute slice %f over ["tp"] : (!r) -> !s
  %a = nn.binary add %x, %part : (!s, !s) -> !s
  %b = nn.binary add %y, %f : (!r, !r) -> !r
  nn.return %a, %b : !s, !r
}
}
