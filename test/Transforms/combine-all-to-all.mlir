// RUN: hocket-opt %s --hocket-combine | FileCheck %s

#r = #nn.layout<[seq=2] [heads=6]>
#c = #nn.layout<[seq=4] [heads=3]>
#s = #nn.layout<[seq=2] [heads=2]>
#d = #nn.layout<[seq=4] [heads=1]>
module {
  nn.placement "s" <cp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // What is split by positions becomes split by heads: each in its own cuts.
  // CHECK-LABEL: spmd.func @turned
  // CHECK:      spmd.all_to_all_many %{{.*}}, %{{.*}} over ["cp"] {cuts = [#spmd.cut<0, 0, offset = <cp: [0, 2]>, size = <2>>, #spmd.cut<0, 0, offset = <cp: [0, 2]>, size = <2>>], id = 0 : i64, spmd.origins =
  // CHECK-SAME: toCuts = [#spmd.cut<1, 0, offset = <cp: [0, 3]>, size = <3>>, #spmd.cut<1, 0, offset = <cp: [0, 1]>, size = <1>>]}
  // CHECK-NOT:  all_to_all
  spmd.func @turned(
      %q: tensor<2x6xf32, #r> {nn.name = "q", spmd.cuts = #spmd.box<<[seq=4] [heads=6]>, <0, 0, offset = <cp: [0, 2]>, size = <2>>>},
      %k: tensor<2x2xf32, #s> {nn.name = "k", spmd.cuts = #spmd.box<<[seq=4] [heads=2]>, <0, 0, offset = <cp: [0, 2]>, size = <2>>>})
      -> (tensor<4x3xf32, #c> {nn.name = "y0", spmd.cuts = #spmd.box<<[seq=4] [heads=6]>, <1, 0, offset = <cp: [0, 3]>, size = <3>>>, spmd.replicated_over = []},
          tensor<4x1xf32, #d> {nn.name = "y1", spmd.cuts = #spmd.box<<[seq=4] [heads=2]>, <1, 0, offset = <cp: [0, 1]>, size = <1>>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %a = spmd.all_to_all %q over ["cp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64, offsets = #spmd.table<cp: [0, 2]>, sizes = #spmd.table<2>, toDim = 1 : i64, toFactor = 0 : i64, toOffsets = #spmd.table<cp: [0, 3]>, toSizes = #spmd.table<3>} : (tensor<2x6xf32, #r>) -> tensor<4x3xf32, #c>
    %e = nn.unary exp %a : (tensor<4x3xf32, #c>) -> tensor<4x3xf32, #c>
    %b = spmd.all_to_all %k over ["cp"] {dim = 0 : i64, factor = 0 : i64, id = 1 : i64, offsets = #spmd.table<cp: [0, 2]>, sizes = #spmd.table<2>, toDim = 1 : i64, toFactor = 0 : i64, toOffsets = #spmd.table<cp: [0, 1]>, toSizes = #spmd.table<1>} : (tensor<2x2xf32, #s>) -> tensor<4x1xf32, #d>
    nn.return %e, %b : tensor<4x3xf32, #c>, tensor<4x1xf32, #d>
  }
}
