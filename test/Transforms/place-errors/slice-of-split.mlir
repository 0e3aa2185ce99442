// It is cut like that already.
// RUN: hocket-opt %s -hocket-place -verify-diagnostics

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
  sched.shard "h.*.down.weight" axis "in" over ["tp"]
  // expected-note@below {{'h.0.up.weight' is placed here}}
  sched.shard "h.*.up.weight" axis "out" over ["tp"]
  // expected-error@below {{slice at 'h.0.down.x' has no effect: it gets a value that is split by inner over tp already}}
  // expected-note@unknown {{leave this line out}}
  sched.sync "h.0.down" "fwd_pre" slice over ["tp"] {axis = "inner"}
  sched.sync "h.*.down" "fwd_post" all_reduce over ["tp"]
}
