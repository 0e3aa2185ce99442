// The lines that an error offers, in full; each of them, pasted, is accepted.
// RUN: not hocket-opt %s -split-input-file -hocket-place 2>&1 | FileCheck %s

// CHECK: error: 'h.0.ln' takes its input whole, and gets a sum that is still partial over tp
// CHECK: note: what would make it meet, cheapest first:
// CHECK-NEXT: {{^}}  sync h.*.down fwd_post all_reduce over tp  # 192 bytes received by each rank
// CHECK: note: the same at h.1
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
    %up1 = nn.parameter "h.1.up.weight" : !up
    %down1 = nn.parameter "h.1.down.weight" : !down
    %bias1 = nn.parameter "h.1.down.bias" : !row
    %ln1 = nn.parameter "h.1.ln.weight" : !row
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
    %a1 = nn.value argument "h.1.up.x" %k0 : (!act) -> !act
    %b1 = nn.linear %a1, %up1 : (!act, !up) -> !wide
    %c1 = nn.value result "h.1.up" %b1 : (!wide) -> !wide
    %d1 = nn.unary gelu %c1 : (!wide) -> !wide
    %e1 = nn.value argument "h.1.down.x" %d1 : (!wide) -> !wide
    %f1 = nn.linear %e1, %down1, %bias1 : (!wide, !down, !row) -> !act
    %g1 = nn.value result "h.1.down" %f1 : (!act) -> !act
    %h1 = nn.binary add %g1, %k0 : (!act, !act) -> !act
    %i1 = nn.value argument "h.1.ln.x" %h1 : (!act) -> !act
    %j1 = nn.layer_norm %i1, %ln1 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k1 = nn.value result "h.1.ln" %j1 : (!act) -> !act
    %out = nn.value result "output" %k1 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
}

// -----

// CHECK-NOT: error
// CHECK: @forward
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
    %up1 = nn.parameter "h.1.up.weight" : !up
    %down1 = nn.parameter "h.1.down.weight" : !down
    %bias1 = nn.parameter "h.1.down.bias" : !row
    %ln1 = nn.parameter "h.1.ln.weight" : !row
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
    %a1 = nn.value argument "h.1.up.x" %k0 : (!act) -> !act
    %b1 = nn.linear %a1, %up1 : (!act, !up) -> !wide
    %c1 = nn.value result "h.1.up" %b1 : (!wide) -> !wide
    %d1 = nn.unary gelu %c1 : (!wide) -> !wide
    %e1 = nn.value argument "h.1.down.x" %d1 : (!wide) -> !wide
    %f1 = nn.linear %e1, %down1, %bias1 : (!wide, !down, !row) -> !act
    %g1 = nn.value result "h.1.down" %f1 : (!act) -> !act
    %h1 = nn.binary add %g1, %k0 : (!act, !act) -> !act
    %i1 = nn.value argument "h.1.ln.x" %h1 : (!act) -> !act
    %j1 = nn.layer_norm %i1, %ln1 {eps = 1.0e-5 : f64} : (!act, !row) -> !act
    %k1 = nn.value result "h.1.ln" %j1 : (!act) -> !act
    %out = nn.value result "output" %k1 : (!act) -> !act
    nn.return %out : !act
}
sched.schedule "s" #nn.mesh<tp=4> {
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
  sched.sync "h.*.down" "fwd_post" all_reduce over ["tp"]
}

// -----

// CHECK: error: 'h.0.ln' reduces over hidden, and gets its input split by it over tp without a statistics line
// CHECK: note: what would make it meet, cheapest first:
// CHECK-NEXT: {{^}}  statistics h.0.ln over tp  # {{.*}} bytes received by each rank
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
  sched.sync "h.0.ln" "fwd_post" all_gather over ["tp"] {axis = "hidden"}
}

// -----

// CHECK-NOT: error
// CHECK: @forward
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
  sched.sync "h.0.ln" "fwd_post" all_gather over ["tp"] {axis = "hidden"}
  sched.statistics "h.0.ln" over ["tp"]
}
