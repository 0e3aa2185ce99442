// A parameter that is only used as one part of it is read as that part; one with
// other uses is read whole, and sliced or masked where it is used.
// RUN: hocket-opt %s --hocket-partition | FileCheck %s

!r = tensor<8xf32, #nn.layout<[seq=8]>>
!s = tensor<8xf32, #nn.layout<[seq=8], tp: S(0.0)>>
!p = tensor<8xf32, #nn.layout<[seq=8], tp: P(sum)>>
!dtp = tensor<8xf32, #nn.layout<[seq=8], dp: S(0.0), tp: P(sum)>>
!d = tensor<8xf32, #nn.layout<[seq=8], dp: S(0.0)>>
module {
  nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-NEXT: %[[SLICED:.*]] = spmd.parameter "sliced" {box = #spmd.box<<[seq=8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>, onlyFirstOf = []} : tensor<4xf32
// CHECK-NEXT: %[[BOTH:.*]] = spmd.parameter "both" {box = #spmd.box<<[seq=8]>, <0, 0, offset = <dp: [0, 4]>, size = <4>>>, onlyFirstOf = ["tp"]} : tensor<4xf32
// CHECK-NEXT: %[[MIXED:.*]] = spmd.parameter "mixed" {box = #spmd.box<<[seq=8]>>, onlyFirstOf = []} : tensor<8xf32
// CHECK-NOT: spmd.parameter "unused"
// CHECK-NEXT: %[[SLICE:.*]] = spmd.slice %[[MIXED]] {{.*}} offset = #spmd.table<tp: [0, 4]>
// CHECK-NEXT: nn.binary add %[[SLICED]], %[[SLICE]]
// CHECK-NEXT: nn.unary neg %[[SLICED]]
// CHECK-NEXT: %[[KEPT:.*]] = spmd.keep_first %[[MIXED]] over ["tp"]
// CHECK-NEXT: spmd.all_reduce sum %[[KEPT]]
// CHECK-NEXT: spmd.all_reduce sum %[[BOTH]]
// CHECK-NEXT: return %{{.*}}, %{{.*}}, %[[MIXED]]
nn.func @forward() -> (!s, !s, !r, !d, !r)
    attributes {buffers = [], outputs = ["output0", "output1", "output2", "output3", "output4"]} {
  %sliced = nn.parameter "sliced" : !r
  %both = nn.parameter "both" : !r
  %mixed = nn.parameter "mixed" : !r
  %unused = nn.parameter "unused" : !r
  %a0 = nn.redistribute slice %sliced over ["tp"] : (!r) -> !s
  %name = nn.value argument "wte.x" %sliced : (!r) -> !r
  %a1 = nn.redistribute slice %name over ["tp"] : (!r) -> !s
  %b0 = nn.redistribute slice %both over ["dp"] : (!r) -> !d
  %b1 = nn.redistribute mask %b0 over ["tp"] : (!d) -> !dtp
  %c = nn.redistribute slice %mixed over ["tp"] : (!r) -> !s
  %x = nn.binary add %a0, %c : (!s, !s) -> !s
  %y = nn.unary neg %a1 : (!s) -> !s
  %m = nn.redistribute mask %mixed over ["tp"] : (!r) -> !p
  %z = nn.redistribute all_reduce %m over ["tp"] : (!p) -> !r
  %b2 = nn.redistribute all_reduce %b1 over ["tp"] : (!dtp) -> !d
  nn.return %x, %y, %mixed, %b2, %z : !s, !s, !r, !d, !r
}
}
