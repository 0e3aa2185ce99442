// Norms, softmax and means over split dims.
// RUN: hocket-opt %s -split-input-file --hocket-partition | FileCheck %s

!x = tensor<2x6xf32, #nn.layout<[batch=2] [hidden=6], tp: S(1.0)>>
!w = tensor<6xf32, #nn.layout<[hidden=6], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// The mean first, then the squares of the distances to it.
// CHECK-LABEL: spmd.func @class0(%arg0: tensor<2x3xf32
// CHECK: %[[W:.*]] = spmd.parameter "w"
// CHECK: %[[B:.*]] = spmd.parameter "b"
// CHECK: %[[SHARE:.*]] = nn.fill {value = 0.16666666666666666 : f64} : () -> tensor<f32
// CHECK: %[[S:.*]] = nn.reduce sum %arg0 {dims = array<i64: 1>, keepdim = true} {{.*}} -> tensor<2x1xf32
// CHECK: %[[SA:.*]] = spmd.all_reduce sum %[[S]] over ["tp"] {id = 0 : i64}
// CHECK: %[[MEAN:.*]] = nn.binary mul %[[SA]], %[[SHARE]]
// CHECK: %[[C:.*]] = nn.binary sub %arg0, %[[MEAN]]
// CHECK: %[[Q:.*]] = nn.binary mul %[[C]], %[[C]]
// CHECK: %[[V:.*]] = nn.reduce sum %[[Q]]
// CHECK: %[[VA:.*]] = spmd.all_reduce sum %[[V]] over ["tp"] {id = 1 : i64}
// CHECK: %[[VAR:.*]] = nn.binary mul %[[VA]], %[[SHARE]]
// CHECK: %[[EPS:.*]] = nn.fill {value = 1.000000e-05 : f64}
// CHECK: %[[SUM:.*]] = nn.binary add %[[VAR]], %[[EPS]]
// CHECK: %[[SCALE:.*]] = nn.unary rsqrt %[[SUM]]
// CHECK: %[[N:.*]] = nn.binary mul %[[C]], %[[SCALE]]
// CHECK: %[[NW:.*]] = nn.binary mul %[[N]], %[[W]]
// CHECK: %[[Y:.*]] = nn.binary add %[[NW]], %[[B]]
// CHECK: return %[[Y]]
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %w = nn.parameter "w" : !w
  %b = nn.parameter "b" : !w
  %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64, nn.statistics = ["tp"]} : (!x, !w, !w) -> !x
  nn.return %y : !x
}
}

// -----

// Half precision is summed in single; the rms norm does not centre.
!x = tensor<2x6xf16, #nn.layout<[batch=2] [hidden=6], tp: S(1.0)>>
!w = tensor<6xf16, #nn.layout<[hidden=6], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[X:.*]] = nn.cast %arg0 : {{.*}} -> tensor<2x3xf32
// CHECK-NOT: nn.binary sub
// CHECK: %[[Q:.*]] = nn.binary mul %[[X]], %[[X]]
// CHECK: spmd.all_reduce sum {{.*}} -> tensor<2x1xf32
// CHECK-NOT: spmd.all_reduce
// CHECK: nn.cast {{.*}} -> tensor<2x3xf16
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %w = nn.parameter "w" : !w
  %y = nn.rms_norm %x, %w {eps = 1.0e-5 : f64, nn.statistics = ["tp"]} : (!x, !w) -> !x
  nn.return %y : !x
}
}

// -----

!x = tensor<2x6xf32, #nn.layout<[batch=2] [hidden=6], tp: S(1.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[M:.*]] = nn.reduce max %arg0 {dims = array<i64: 1>, keepdim = true}
// CHECK: %[[MA:.*]] = spmd.all_reduce max %[[M]] over ["tp"] {id = 0 : i64}
// CHECK: %[[D:.*]] = nn.binary sub %arg0, %[[MA]]
// CHECK: %[[E:.*]] = nn.unary exp %[[D]]
// CHECK: %[[S:.*]] = nn.reduce sum %[[E]]
// CHECK: %[[SA:.*]] = spmd.all_reduce sum %[[S]] over ["tp"] {id = 1 : i64}
// CHECK: %[[Y:.*]] = nn.binary div %[[E]], %[[SA]]
// CHECK: return %[[Y]]
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  %y = nn.softmax %x {dim = 1 : i64, nn.statistics = ["tp"]} : (!x) -> !x
  nn.return %y : !x
}
}

// -----

// Over whole dims nothing changes, except that a mean is a sum with the global
// count: 12 elements of which the rank has 6.
!x = tensor<2x6xf32, #nn.layout<[batch=2] [hidden=6], tp: S(1.0)>>
!m = tensor<f32, #nn.layout<tp: P(sum)>>
!r = tensor<f32, #nn.layout<>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK: %[[S:.*]] = nn.softmax %arg0 {dim = 0 : i64}
// CHECK: %[[T:.*]] = nn.reduce sum %[[S]] {dims = array<i64: 0, 1>}
// CHECK: %[[F:.*]] = nn.fill {value = 0.083333333333333329 : f64}
// CHECK: %[[M:.*]] = nn.binary mul %[[T]], %[[F]]
// CHECK: spmd.all_reduce sum %[[M]] over ["tp"]
nn.func @forward(%x: !x {nn.name = "x"}) -> !r attributes {buffers = [], outputs = ["output"]} {
  %s = nn.softmax %x {dim = 0 : i64} : (!x) -> !x
  %m = nn.reduce mean %s {dims = array<i64: 0, 1>} : (!x) -> !m
  %r = nn.redistribute all_reduce %m over ["tp"] : (!m) -> !r
  nn.return %r : !r
}
}
