// Names go; a binding stays in the location of what computes it, and a
// collective keeps the schedule line that asked for it.
// RUN: hocket-opt %s --hocket-partition --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!r = tensor<8xf32, #nn.layout<[seq=8]>>
!p = tensor<8xf32, #nn.layout<[seq=8], tp: P(sum)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
// CHECK-LABEL: spmd.func @class0
// CHECK-NOT: nn.value
// CHECK: nn.unary exp {{.*}} loc("h.0.attn.q"("m.hkt":3:5))
// CHECK: nn.unary neg {{.*}} loc("h.0.attn"("m.hkt":4:5))
// CHECK: spmd.all_reduce {{.*}} loc(fused["h.0.attn"("m.hkt":4:5), "s.hkt":9:1])
nn.func @forward(%x: !r {nn.name = "x"}) -> !r attributes {buffers = [], outputs = ["output"]} {
  %a = nn.value argument "h.0.attn.x" %x : (!r) -> !r
  %q = nn.unary exp %a : (!r) -> !r loc("h.0.attn"("m.hkt":3:5))
  %b = nn.value binding "h.0.attn.q" %q : (!r) -> !r
  %n = nn.unary neg %b : (!r) -> !r loc("h.0.attn"("m.hkt":4:5))
  %v = nn.value result "h.0.attn" %n : (!r) -> !r
  %m = nn.redistribute mask %v over ["tp"] : (!r) -> !p
  %y = nn.redistribute all_reduce %m over ["tp"] : (!p) -> !r loc(fused["h.0.attn"("m.hkt":4:5), "s.hkt":9:1])
  nn.return %y : !r
}
}
