// A column-split and a row-split linear, unevenly over three ranks: two classes,
// parameters as boxes, a bias that is counted once, one all_reduce.
// RUN: hocket-opt %s --hocket-partition | FileCheck %s

!x = tensor<2x8xf32, #nn.layout<[batch=2] [in=8]>>
!w1 = tensor<10x8xf32, #nn.layout<[out=10] [in=8], tp: S(0.0)>>
!b1 = tensor<10xf32, #nn.layout<[out=10], tp: S(0.0)>>
!h = tensor<2x10xf32, #nn.layout<[batch=2] [out=10], tp: S(1.0)>>
!w2 = tensor<8x10xf32, #nn.layout<[out=8] [in=10], tp: S(1.0)>>
!b2 = tensor<8xf32, #nn.layout<[out=8]>>
!b2p = tensor<8xf32, #nn.layout<[out=8], tp: P(sum)>>
!yp = tensor<2x8xf32, #nn.layout<[batch=2] [out=8], tp: P(sum)>>
!y = tensor<2x8xf32, #nn.layout<[batch=2] [out=8]>>

// CHECK: nn.model "M" target cpu gradients none
// CHECK: nn.placement "s" <tp=3>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=3> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-NOT: @forward
// CHECK-LABEL: spmd.func @class0
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32, #nn.layout<[batch=2] [in=8]>> {nn.name = "x", spmd.cuts = #spmd.box<<[batch=2] [in=8]>>})
// CHECK-SAME: -> (tensor<2x8xf32, #nn.layout<[batch=2] [out=8]>> {nn.name = "output", spmd.cuts = #spmd.box<<[batch=2] [out=8]>>, spmd.replicated_over = ["tp"]})
// CHECK-SAME: attributes {ranks = array<i64: 0>
// CHECK: %[[W1:.*]] = spmd.parameter "a.weight" {box = #spmd.box<<[out=10] [in=8]>, <0, 0, offset = <tp: [0, 4, 7]>, size = <tp: [4, 3, 3]>>>, onlyFirstOf = []} : tensor<4x8xf32
// CHECK: %[[B1:.*]] = spmd.parameter "a.bias" {{.*}} : tensor<4xf32
// CHECK: %[[W2:.*]] = spmd.parameter "b.weight" {box = #spmd.box<<[out=8] [in=10]>, <1, 0, offset = <tp: [0, 4, 7]>, size = <tp: [4, 3, 3]>>>, onlyFirstOf = []} : tensor<8x4xf32
// CHECK: %[[B2:.*]] = spmd.parameter "b.bias" {box = #spmd.box<<[out=8]>>, onlyFirstOf = ["tp"]} : tensor<8xf32
// CHECK: %[[H:.*]] = nn.linear %[[X]], %[[W1]], %[[B1]] : {{.*}} -> tensor<2x4xf32, #nn.layout<[batch=2] [out=4]>>
// CHECK: %[[Y:.*]] = nn.linear %[[H]], %[[W2]], %[[B2]] : {{.*}} -> tensor<2x8xf32
// CHECK: %[[Z:.*]] = spmd.all_reduce sum %[[Y]] over ["tp"] {id = 0 : i64}
// CHECK: return %[[Z]]
// CHECK-LABEL: spmd.func @class1
// CHECK-SAME: attributes {ranks = array<i64: 1, 2>
// CHECK: spmd.parameter "a.weight" {box = #spmd.box<<[out=10] [in=8]>, <0, 0, offset = <tp: [0, 4, 7]>, size = <tp: [4, 3, 3]>>>, onlyFirstOf = []} : tensor<3x8xf32
// CHECK: nn.linear {{.*}} -> tensor<2x3xf32
// CHECK: spmd.all_reduce {{.*}} {id = 0 : i64}
nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
  %w1 = nn.parameter "a.weight" : !w1
  %b1 = nn.parameter "a.bias" : !b1
  %w2 = nn.parameter "b.weight" : !w2
  %b2 = nn.parameter "b.bias" : !b2
  %b2p = nn.redistribute mask %b2 over ["tp"] : (!b2) -> !b2p
  %h = nn.linear %x, %w1, %b1 : (!x, !w1, !b1) -> !h
  %hv = nn.value result "a" %h : (!h) -> !h
  %y = nn.linear %hv, %w2, %b2p : (!h, !w2, !b2p) -> !yp
  %z = nn.redistribute all_reduce %y over ["tp"] : (!yp) -> !y
  nn.return %z : !y
}
}
