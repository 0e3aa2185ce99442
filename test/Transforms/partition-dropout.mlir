// RUN: hocket-opt %s --hocket-partition | FileCheck %s

// A rank knows which elements of the global tensor it holds: here 3 of 6 rows
// and 4 of 8 columns of the minor factor.

// CHECK-LABEL: spmd.func @class0
// CHECK: spmd.dropout %arg0, %arg1 {draws = #spmd.draws<13, first = <dp, tp: [0, 4, 72, 76]>,
// CHECK-SAME: of = <<[6] [3 8]>, <0, 0, offset = <dp: [0, 3]>, size = <3>>, <1, 1, offset = <tp: [0, 4]>, size = <4>>>>, p = 1.000000e-01 : f64}
!x = tensor<6x24xf32, #nn.layout<[6] [3 8], dp: S(0.0), tp: S(1.1)>>
!step = tensor<i32, #nn.layout<>>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 5 : i64, train = {}}
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}, %step: !step {nn.name = "step"}) -> !x
      attributes {buffers = [], outputs = ["output"]} {
    %y = nn.dropout %x, %step {p = 0.1 : f64, stream = 8 : i64} : (!x, !step) -> !x
    nn.return %y : !x
  }
}
