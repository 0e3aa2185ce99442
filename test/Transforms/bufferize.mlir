// Where values lie: each function shows one decision.
// RUN: hocket-opt %s --hocket-bufferize | FileCheck %s

#x = #nn.layout<[rows=4] [cols=8]>
#w = #nn.layout<[out=8] [in=8]>
#img = #nn.layout<[batch=2] [channels=3] [height=4]>
#held = #nn.layout<[batch=2] [channels=3] [height=6]>
!x = tensor<4x8xf32, #x>
!turned = tensor<8x4xf32, #nn.layout<[cols=8] [rows=4]>>
!w = tensor<8x8xf32, #w>
!img = tensor<2x3x4xf32, #img>
!held = tensor<2x3x6xf32, #held>

module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}

// A weight that nothing changes is read, packed and released when loading; the
// product reads the pack and writes the output.
// CHECK-LABEL: spmd.func @product(
// CHECK-SAME: %[[X:.*]]: !buffers.input<f32 [4, 8] by [8, 1]> {nn.name = "x", {{.*}}) -> (!buffers.view<f32 [4, 8] by [8, 1]> {nn.name = "y",
spmd.func @product(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (!x {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0, 1>} {
  // CHECK: %[[W:.*]] = buffers.buffer arena : <f32 [64]>
  // CHECK: spmd.parameter "w"
  // CHECK: %[[V:.*]] = buffers.view %[[W]] at 0 : !buffers.buffer<f32 [64]> -> <f32 [8, 8] by [1, 8]>
  // CHECK: %[[P:.*]] = buffers.pack %[[V]] for 4 rows
  // CHECK: buffers.release %[[W]]
  // CHECK: buffers.loaded
  // CHECK: %[[Y:.*]] = buffers.buffer output : <f32 [32]>
  // CHECK: buffers.compute ins(%{{.*}}, %[[P]] :
  // CHECK: nn.linear
  // CHECK: nn.unary gelu
  // CHECK: buffers.yield
  %w = spmd.parameter "w" {box = #spmd.box<<[out=8] [in=8]>>, onlyFirstOf = []} : !w
  %h = nn.linear %x, %w : (!x, !w) -> !x
  %g = nn.unary gelu %h : (!x) -> !x
  nn.return %g : !x
}

// A kernel's result lies as what it is made from, also where it is an output; a
// rearrange costs nothing.
// CHECK-LABEL: spmd.func @order(
spmd.func @order(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (!turned {nn.name = "y", spmd.cuts = #spmd.box<<[cols=8] [rows=4]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0, 1>} {
  // CHECK: %[[K:.*]] = buffers.buffer output : <f32 [32]>
  // CHECK: %[[IN:.*]] = buffers.view %{{.*}} at 0 : !buffers.input<f32 [4, 8] by [8, 1]> -> <f32 [8, 4] by [1, 8]>
  // CHECK: %[[OUT:.*]] = buffers.view %[[K]] at 0 : !buffers.buffer<f32 [32]> -> <f32 [8, 4] by [1, 8]>
  // CHECK: buffers.compute ins(%[[IN]] : {{.*}}) outs(%[[OUT]] : {{.*}}) {
  // CHECK-NOT: buffers.copy
  // CHECK: return %[[OUT]]
  %t = nn.rearrange %x {source = #x, order = [[1], [0]]} : (!x) -> !turned
  %y = spmd.kernel(%t) : (!turned) -> !turned {
  ^bb0(%a: !turned):
    %e = nn.unary exp %a : (!turned) -> !turned
    spmd.yield %e : !turned
  }
  nn.return %y : !turned
}

// What an exchange attaches margins to is computed between them.
// CHECK-LABEL: spmd.func @middle(
spmd.func @middle(%x: !img {nn.name = "x", spmd.cuts = #spmd.box<<[batch=2] [channels=3] [height=4]>>})
    -> (!held {nn.name = "y", spmd.cuts = #spmd.box<<[batch=2] [channels=3] [height=6]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0, 1>} {
  // CHECK: %[[H:.*]] = buffers.buffer output : <f32 [36]>
  // CHECK: %[[M:.*]] = buffers.view %[[H]] at 1 : !buffers.buffer<f32 [36]> -> <f32 [2, 3, 4] by [18, 6, 1]>
  // CHECK: buffers.compute ins({{.*}}) outs(%[[M]] :
  // CHECK: %[[ALL:.*]] = buffers.view %[[H]] at 0 : !buffers.buffer<f32 [36]> -> <f32 [2, 3, 6] by [18, 6, 1]>
  // CHECK: buffers.compute ins(%[[M]] : {{.*}}) outs(%[[ALL]] : {{.*}}) in_place [0, 0] {
  // CHECK: spmd.halo_exchange
  %y = spmd.kernel(%x) : (!img) -> !img {
  ^bb0(%a: !img):
    %e = nn.unary exp %a : (!img) -> !img
    spmd.yield %e : !img
  }
  %h = spmd.halo_exchange %y over ["h"] {dims = array<i64: 2>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 4]>, sizes = #spmd.table<4>, heldOffsets = #spmd.table<h: [-1, 3]>, heldSizes = #spmd.table<6>, extent = 8 : i64, border = #nn.border<zero>} : (!img) -> !held
  nn.return %h : !held
}

// The next value of a state is computed where it is stored: the kernel reads no
// element after it has written it.
// CHECK-LABEL: spmd.func @stored(
spmd.func @stored(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (!x {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0, 1>} {
  // CHECK: %[[S:.*]] = buffers.state "m" {cuts = #spmd.box<<[rows=4] [cols=8]>>} : <f32 [32]>
  // CHECK: %[[V:.*]] = buffers.view %[[S]] at 0
  // CHECK: buffers.fill %[[V]] with 0.000000e+00
  // CHECK: buffers.loaded
  // CHECK: buffers.compute ins(%{{.*}}, %[[V]] : {{.*}}) outs(%[[V]] : {{.*}}) in_place [1, 0] {
  // CHECK-NOT: buffers.copy %{{.*}} to %[[V]]
  %m = spmd.state "m" {init = 0.0 : f64, box = #spmd.box<<[rows=4] [cols=8]>>} : !x
  %n = spmd.kernel(%x, %m) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    %s = nn.binary add %a, %b : (!x, !x) -> !x
    spmd.yield %s : !x
  }
  nn.assign "m" %n : !x
  nn.return %x : !x
}

// Left where it is: the old value is an output, so that the next one is copied
// when that has been written.
// CHECK-LABEL: spmd.func @read_later(
spmd.func @read_later(%x: !x {nn.name = "x", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>})
    -> (!x {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4] [cols=8]>>, spmd.replicated_over = []})
    attributes {ranks = array<i64: 0, 1>} {
  // CHECK: %[[S:.*]] = buffers.state "m"
  // CHECK: %[[V:.*]] = buffers.view %[[S]] at 0
  // CHECK-NOT: outs(%[[V]]
  // CHECK: buffers.copy %{{.*}} to %[[V]]
  %m = spmd.state "m" {init = 0.0 : f64, box = #spmd.box<<[rows=4] [cols=8]>>} : !x
  %n = spmd.kernel(%x, %m) : (!x, !x) -> !x {
  ^bb0(%a: !x, %b: !x):
    %s = nn.binary add %a, %b : (!x, !x) -> !x
    spmd.yield %s : !x
  }
  nn.assign "m" %n : !x
  nn.return %m : !x
}
}
