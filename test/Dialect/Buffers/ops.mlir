// Every operation and type of the dialect is read and printed.
// RUN: hocket-opt %s | hocket-opt | FileCheck %s

!t = tensor<4x2xf32, #nn.layout<[4] [2]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // CHECK-LABEL: spmd.func @class0
  // CHECK-SAME: %[[X:.*]]: !buffers.input<f32 [8] by [1]>
  spmd.func @class0(%x: !buffers.input<f32 [8] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[4] [2]>>})
      -> (!buffers.view<f32 [4, 2] by [2, 1]> {nn.name = "y", spmd.cuts = #spmd.box<<[4] [2]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    // CHECK: %[[W:.*]] = buffers.buffer weights : <f32 [8]>
    // CHECK: %[[S:.*]] = buffers.state "s" {cuts = #spmd.box<<[4] [2]>>} : <f32 [8]>
    %w = buffers.buffer weights : !buffers.buffer<f32 [8]>
    %s = buffers.state "s" {cuts = #spmd.box<<[4] [2]>>} : !buffers.buffer<f32 [8]>
    // CHECK: %[[WV:.*]] = buffers.view %[[W]] at 0 : !buffers.buffer<f32 [8]> -> <f32 [2, 4] by [4, 1]>
    // CHECK: buffers.fill %[[WV]] with 0.000000e+00 : <f32 [2, 4] by [4, 1]>
    // CHECK: buffers.pack %[[WV]] for 4 rows : <f32 [2, 4] by [4, 1]> -> <f32 [2, 4]>
    %wv = buffers.view %w at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [2, 4] by [4, 1]>
    buffers.fill %wv with 0.0 : !buffers.view<f32 [2, 4] by [4, 1]>
    %p = buffers.pack %wv for 4 rows : !buffers.view<f32 [2, 4] by [4, 1]> -> !buffers.pack<f32 [2, 4]>
    // CHECK: buffers.loaded
    buffers.loaded
    // CHECK: %[[A:.*]] = buffers.buffer arena
    // CHECK: %[[AV:.*]] = buffers.view %[[A]] at 0 + [#buffers.term<<tp: [0, 1]> * 8>] : !buffers.buffer<f32 [16]> -> <f32 [4, 2] by [1, 4]>
    %a = buffers.buffer arena : !buffers.buffer<f32 [16]>
    %av = buffers.view %a at 0 + [#buffers.term<<tp: [0, 1]> * 8>] : !buffers.buffer<f32 [16]> -> !buffers.view<f32 [4, 2] by [1, 4]>
    %xv = buffers.view %x at 0 : !buffers.input<f32 [8] by [1]> -> !buffers.view<f32 [4, 2] by [2, 1]>
    // CHECK: buffers.copy %{{.*}} to %[[AV]] : <f32 [4, 2] by [2, 1]>, <f32 [4, 2] by [1, 4]>
    buffers.copy %xv to %av : !buffers.view<f32 [4, 2] by [2, 1]>, !buffers.view<f32 [4, 2] by [1, 4]>
    %o = buffers.buffer output : !buffers.buffer<f32 [8]>
    %ov = buffers.view %o at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [4, 2] by [2, 1]>
    // CHECK: buffers.compute ins(%[[AV]] : !buffers.view<f32 [4, 2] by [1, 4]>) outs(%{{.*}} : !buffers.view<f32 [4, 2] by [2, 1]>) {
    // CHECK-NEXT: ^bb0(%[[T:.*]]: tensor
    // CHECK-NEXT: %[[R:.*]] = spmd.all_reduce sum %[[T]]
    // CHECK-NEXT: buffers.yield %[[R]]
    buffers.compute ins(%av : !buffers.view<f32 [4, 2] by [1, 4]>) outs(%ov : !buffers.view<f32 [4, 2] by [2, 1]>) {
    ^bb0(%t: !t):
      %r = spmd.all_reduce sum %t over ["tp"] {id = 0 : i64} : (!t) -> !t
      buffers.yield %r : !t
    }
    // CHECK: buffers.compute ins(%[[AV]] {{.*}}) outs(%[[AV]] {{.*}}) in_place [0, 0] {
    buffers.compute ins(%av : !buffers.view<f32 [4, 2] by [1, 4]>) outs(%av : !buffers.view<f32 [4, 2] by [1, 4]>) in_place [0, 0] {
    ^bb0(%t: !t):
      %k = spmd.kernel(%t) : (!t) -> !t {
      ^bb0(%y: !t):
        %e = nn.unary exp %y : (!t) -> !t
        spmd.yield %e : !t
      }
      buffers.yield %k : !t
    }
    // CHECK: %[[STARTED:.*]] = buffers.compute {{.*}} in_place [0, 0] starts !buffers.started {
    // CHECK: buffers.wait %[[STARTED]]
    %started = buffers.compute ins(%av : !buffers.view<f32 [4, 2] by [1, 4]>) outs(%av : !buffers.view<f32 [4, 2] by [1, 4]>) in_place [0, 0] starts !buffers.started {
    ^bb0(%t: !t):
      %h = spmd.halo_exchange %t over ["tp"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 1 : i64, isStarted, offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>, heldOffsets = #spmd.table<tp: [0, 4]>, heldSizes = #spmd.table<4>, extent = 8 : i64, border = #nn.border<zero>} : (!t) -> !t
      buffers.yield %h : !t
    }
    buffers.wait %started
    // CHECK: buffers.release %[[A]] : <f32 [16]>
    buffers.release %a : !buffers.buffer<f32 [16]>
    // CHECK: return %{{.*}} : !buffers.view<f32 [4, 2] by [2, 1]>
    nn.return %ov : !buffers.view<f32 [4, 2] by [2, 1]>
  }
}
