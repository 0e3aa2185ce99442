// What shard, sync and defer make of the types.
// RUN: hocket-opt %s -split-input-file -hocket-place | FileCheck %s

// CHECK: nn.placement "s" <tp=4>
// CHECK: nn.parameter "h.0.up.weight" : tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8], tp: S(0.0)>>
// The bias is counted on one rank of the sum.
// CHECK: nn.redistribute mask
// CHECK: nn.linear {{.*}} -> tensor<4x16xf32, #nn.layout<[batch=4] [inner=16], tp: S(1.0)>>
// CHECK: nn.linear {{.*}} -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], tp: P(sum)>>
// CHECK: nn.redistribute all_reduce {{.*}} -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
// CHECK-NOT: sched.
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
  sched.sync "h.*.down" "fwd_post" all_reduce over ["tp"]
}

// -----

// CHECK: @forward(%arg0: tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], dp: S(0.0)>>
// CHECK-SAME: -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], dp: S(0.0)>>
// CHECK: nn.linear {{.*}} -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], dp: S(0.0), tp: P(sum)>>
// CHECK: nn.redistribute all_reduce {{.*}} over ["tp"]
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<dp=2, tp=2> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
  sched.shard "x" axis "batch" over ["dp"]
  sched.sync "h.*.down" "fwd_post" all_reduce over ["tp"]
}

// -----

// The later line wins where it says override.
// CHECK: nn.parameter "h.0.down.weight" : tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16], tp: S(1.0)>>
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.0.down.weight" axis "out" over ["tp"]
  sched.shard "h.0.down.weight" axis "in" over ["tp"] {isOverride}
  sched.sync "h.*.down" "fwd_post" all_reduce over ["tp"]
}

// -----

// Reduce at the projection, gather after the norm.
// CHECK: nn.redistribute slice %arg0
// CHECK: nn.redistribute all_gather
// CHECK: nn.redistribute reduce_scatter {{.*}} -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], tp: S(0.0)>>
// CHECK: nn.layer_norm {{.*}} -> tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8], tp: S(0.0)>>
// CHECK: nn.redistribute all_gather
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
  sched.sync "x" "fwd_pre" slice over ["tp"] {axis = "batch"}
  sched.sync "h.0.up" "fwd_pre" all_gather over ["tp"] {axis = "batch"}
  sched.defer "h.0.down" until "h.0.ln" axis "batch" over ["tp"]
}

// -----

// A licensed norm over a split dim; its weight is stored split.
// CHECK: nn.redistribute slice {{.*}} : (tensor<8xf32
// CHECK: nn.layer_norm {{.*}} nn.statistics = ["tp"]
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.sync "h.0.ln" "fwd_pre" slice over ["tp"] {axis = "hidden"}
  sched.statistics "h.0.ln" over ["tp"]
  sched.sync "h.0.ln" "fwd_post" all_gather over ["tp"] {axis = "hidden"}
}

// -----

// What only the plan can tell is left for it.
// CHECK: nn.placement {{.*}} expectations = [{comparison = "<", limit = 4.000000e+09 : f64, line = #loc{{[0-9]*}}, what = "memory"}]
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.expect "memory" "<" {limit = 4.0e9 : f64}
}

// -----

// An axis of one rank splits nothing and needs no sync.
// CHECK-NOT: S(
// CHECK: return
!act = tensor<4x8xf32, #nn.layout<[batch=4] [hidden=8]>>
!wide = tensor<4x16xf32, #nn.layout<[batch=4] [inner=16]>>
!up = tensor<16x8xf32, #nn.layout<[inner=16] [hidden=8]>>
!down = tensor<8x16xf32, #nn.layout<[hidden=8] [inner=16]>>
!row = tensor<8xf32, #nn.layout<[hidden=8]>>
nn.func @forward(%x: !act {nn.name = "x"}) -> !act attributes {buffers = [], outputs = ["output"]} {
    %up0 = nn.parameter "h.0.up.weight" : !up
    %down0 = nn.parameter "h.0.down.weight" : !down
    %bias0 = nn.parameter "h.0.down.bias" : !row
    %ln0 = nn.parameter "h.0.ln.weight" : !row
    %a0 = nn.value argument "h.0.up.x" %x : (!act) -> !act
    %b0 = nn.linear %a0, %up0 : (!act, !up) -> !wide
    %c0 = nn.value result "h.0.up" %b0 : (!wide) -> !wide
    %d0 = nn.unary gelu %c0 : (!wide) -> !wide
    %e0 = nn.value argument "h.0.down.x" %d0 : (!wide) -> !wide
    %f0 = nn.linear %e0, %down0, %bias0 : (!wide, !down, !row) -> !act
    %g0 = nn.value result "h.0.down" %f0 : (!act) -> !act
    %h0 = nn.binary add %g0, %x : (!act, !act) -> !act
    %i0 = nn.value argument "h.0.ln.x" %h0 : (!act) -> !act
    %j0 = nn.layer_norm %i0, %ln0 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k0 = nn.value result "h.0.ln" %j0 : (!act) -> !act
    %out = nn.value result "output" %k0 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=1> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
}
