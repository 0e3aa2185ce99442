// That ranks never wait for each other in a circle is proved when a program is
// compiled and when a plan is read: here four classes sum over two axes, each in
// its order, and no two disagree on a pair of groups.
// RUN: hocket compile %s --from buffers --emit plan -o %t.json
// DEFINE: %{swap} = s/over \["a"\] {id = 0/LATER/;s/over \["b"\] {id = 1/over ["a"] {id = 0/;s/LATER/over ["b"] {id = 1/
// RUN: sed -e '/func @class[12]/,/return/{%{swap}}' %s > %t.circle.mlir
// RUN: not hocket compile %t.circle.mlir --from buffers -o %t.app 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: order.mlir.tmp.circle.mlir:[[#]]:12: error: is collective 0 of @class1, expected all_reduce over ["a"] with id 0 as in @class0
// DEFINE: %{edit} = %S/Inputs/edit-json %t.json
// RUN: %{edit} %t.legal.json 'plan["classes"][1]["step"].reverse()'
// RUN: hocket plan %t.legal.json --from plan | FileCheck %s --check-prefix=LEGAL
// LEGAL: total all_reduce: 2,
// RUN: %{edit} %t.circle.json '[plan["classes"][k]["step"].reverse() for k in (1, 2)]'
// RUN: not hocket compile %t.circle.json --from plan -o %t.app 2>&1 | FileCheck %s --check-prefix=CIRCLE
// CIRCLE: plan: step: class 0 begins collective 0 before 1, class 1 begins collective 1 before 0, class 3 begins collective 0 before 1, class 2 begins collective 1 before 0, so that their ranks wait for each other for ever
// RUN: %{edit} %t.alone.json 'plan["classes"][3]["step"].pop()'
// RUN: not hocket compile %t.alone.json --from plan -o %t.app 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: plan: class 3, step: does not run collective 1, in which ranks of class 2 would wait for it

!t = tensor<4xf32, #nn.layout<[4]>>
!v = !buffers.view<f32 [4] by [1]>
!b = !buffers.buffer<f32 [4]>
!i = !buffers.input<f32 [4] by [1]>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <a=2, b=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @class0(%x: !i {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = ["a", "b"]})
      attributes {ranks = array<i64: 0>} {
    buffers.loaded
    %s = buffers.buffer arena : !b
    %o = buffers.buffer output : !b
    %in = buffers.view %x at 0 : !i -> !v
    %sum = buffers.view %s at 0 : !b -> !v
    %y = buffers.view %o at 0 : !b -> !v
    buffers.compute ins(%in : !v) outs(%sum : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["a"] {id = 0 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.compute ins(%in : !v) outs(%y : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["b"] {id = 1 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.release %s : !b
    nn.return %y : !v
  }
  spmd.func @class1(%x: !i {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = ["a", "b"]})
      attributes {ranks = array<i64: 1>} {
    buffers.loaded
    %s = buffers.buffer arena : !b
    %o = buffers.buffer output : !b
    %in = buffers.view %x at 0 : !i -> !v
    %sum = buffers.view %s at 0 : !b -> !v
    %y = buffers.view %o at 0 : !b -> !v
    buffers.compute ins(%in : !v) outs(%sum : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["a"] {id = 0 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.compute ins(%in : !v) outs(%y : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["b"] {id = 1 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.release %s : !b
    nn.return %y : !v
  }
  spmd.func @class2(%x: !i {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = ["a", "b"]})
      attributes {ranks = array<i64: 2>} {
    buffers.loaded
    %s = buffers.buffer arena : !b
    %o = buffers.buffer output : !b
    %in = buffers.view %x at 0 : !i -> !v
    %sum = buffers.view %s at 0 : !b -> !v
    %y = buffers.view %o at 0 : !b -> !v
    buffers.compute ins(%in : !v) outs(%sum : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["a"] {id = 0 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.compute ins(%in : !v) outs(%y : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["b"] {id = 1 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.release %s : !b
    nn.return %y : !v
  }
  spmd.func @class3(%x: !i {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = ["a", "b"]})
      attributes {ranks = array<i64: 3>} {
    buffers.loaded
    %s = buffers.buffer arena : !b
    %o = buffers.buffer output : !b
    %in = buffers.view %x at 0 : !i -> !v
    %sum = buffers.view %s at 0 : !b -> !v
    %y = buffers.view %o at 0 : !b -> !v
    buffers.compute ins(%in : !v) outs(%sum : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["a"] {id = 0 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.compute ins(%in : !v) outs(%y : !v) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce max %t over ["b"] {id = 1 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    buffers.release %s : !b
    nn.return %y : !v
  }
}
