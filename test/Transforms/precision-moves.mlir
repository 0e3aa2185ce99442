// What is moved between ranks, or in another order, in which type.
// RUN: hocket-opt %s -split-input-file --hocket-precision | FileCheck %s

// The rows of a split table are on one rank each: their sum rounds nothing, and
// is moved narrow.
!t = tensor<8x4xf32, #nn.layout<[vocab=8] [hidden=4], tp: S(0.0)>>
!ids = tensor<4xi32, #nn.layout<[rows=4]>>
!p = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4], tp: P(sum)>>
!y = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK: nn.redistribute all_reduce %{{.*}} over ["tp"] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16
nn.func @forward(%ids: !ids {nn.name = "ids"}) -> !y
    attributes {buffers = [], outputs = ["output"]} {
  %t = nn.parameter "t" : !t
  %e = nn.embedding %t, %ids : (!t, !ids) -> !p
  %r = nn.redistribute all_reduce %e over ["tp"] : (!p) -> !y
  %y = nn.matmul %r, %r : (!y, !y) -> !y
  nn.return %y : !y
}
}
// -----

// Another order of a parameter is not rounded for the product where something
// else reads it as it is.
!w = tensor<4x4xf32, #nn.layout<[rows=4] [hidden=4]>>
!v = tensor<4x4xf32, #nn.layout<[hidden=4] [rows=4]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK: %[[T:.*]] = nn.rearrange {{.*}} -> tensor<4x4xf32
// CHECK: nn.unary exp %[[T]] :
nn.func @forward() -> (!w, !v) attributes {buffers = [], outputs = ["output0", "output1"]} {
  %w = nn.parameter "w" : !w
  %t = nn.rearrange %w {order = [[1], [0]], source = #nn.layout<[rows=4] [hidden=4]>} : (!w) -> !v
  %y = nn.matmul %w, %t : (!w, !v) -> !w
  %e = nn.unary exp %t : (!v) -> !v
  nn.return %y, %e : !w, !v
}
}
// -----

// What a product gives is rounded before it is moved, though what reads it is
// f32; a product of terms of a sum is not rounded before they are added.
!x = tensor<4x4xf32, #nn.layout<[rows=4] [in=4], tp: S(0.0)>>
!k = tensor<4x4xf32, #nn.layout<[rows=4] [in=4], tp: S(1.0)>>
!w = tensor<4x4xf32, #nn.layout<[out=4] [in=4]>>
!v = tensor<4x4xf32, #nn.layout<[out=4] [in=4], tp: S(1.0)>>
!s = tensor<4x4xf32, #nn.layout<[rows=4] [out=4], tp: S(0.0)>>
!p = tensor<4x4xf32, #nn.layout<[rows=4] [out=4], tp: P(sum)>>
!y = tensor<4x4xf32, #nn.layout<[rows=4] [out=4]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK: nn.redistribute all_gather %{{.*}} over ["tp"] : (tensor<4x4xbf16{{.*}}) -> tensor<4x4xbf16
// CHECK: %[[P:.*]] = nn.linear {{.*}} : (tensor<4x4xbf16{{.*}}, tensor<4x4xbf16{{.*}}) -> tensor<4x4xf32
// CHECK: nn.linear %[[P]], %{{.*}} : (tensor<4x4xf32{{.*}}, tensor<4x4xf32{{.*}}) -> tensor<4x4xf32
nn.func @forward(%x: !x {nn.name = "x"}, %k: !k {nn.name = "k"}) -> (!y, !y)
    attributes {buffers = [], outputs = ["output0", "output1"]} {
  %w = nn.parameter "w" : !w
  %v = nn.parameter "v" : !v
  %s = nn.linear %x, %w : (!x, !w) -> !s
  %g = nn.redistribute all_gather %s over ["tp"] : (!s) -> !y
  %e = nn.unary exp %g : (!y) -> !y
  %p = nn.linear %k, %v : (!k, !v) -> !p
  %q = nn.linear %p, %w : (!p, !w) -> !p
  %r = nn.redistribute all_reduce %q over ["tp"] : (!p) -> !y
  nn.return %e, %r : !y, !y
}
}
// -----

// What a buffer holds and its next value are not rounded on the way.
!s = tensor<4xf32, #nn.layout<[c=4]>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: nn.func @forward
// CHECK-NEXT: %[[V0:.*]] = nn.parameter "mean" {{.*}}: tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V1:.*]] = nn.fill {{.*}}{value = 9.000000e-01 : f64} : () -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V2:.*]] = nn.binary mul %[[V0]], %[[V1]] : (tensor<4xf32{{.*}}, tensor<4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: %[[V3:.*]] = nn.binary add %[[V2]], %arg0 : (tensor<4xf32{{.*}}, tensor<4xf32{{.*}}) -> tensor<4xf32{{.*}}
// CHECK-NEXT: return %[[V3]] : tensor<4xf32{{.*}}
nn.func @forward(%x: !s {nn.name = "x"}) -> !s attributes {buffers = [], outputs = ["output"]} {
  %held = nn.parameter "mean" {nn.buffer} : !s
  %keep = nn.fill {value = 0.9 : f64} : () -> !s
  %kept = nn.binary mul %held, %keep : (!s, !s) -> !s
  %next = nn.binary add %kept, %x : (!s, !s) -> !s
  nn.return %next : !s
}
}
