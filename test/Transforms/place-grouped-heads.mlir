// Query heads over more ranks than there are kv heads.
// RUN: hocket-opt %s -split-input-file -hocket-place | FileCheck %s

// Keys and values stay whole, and nothing moves.
// CHECK-LABEL: @forward
// CHECK-NOT: nn.redistribute
// CHECK: nn.attention {{.*}} -> tensor<1x12x4x8xf32, #nn.layout<[b=1] [h=12] [s=4] [d=8], tp: S(1.0)>>
!q = tensor<1x12x4x8xf32, #nn.layout<[b=1] [h=12] [s=4] [d=8]>>
!k = tensor<1x2x4x8xf32, #nn.layout<[b=1] [g=2] [t=4] [d=8]>>
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {scale = 0.5 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
sched.schedule "s" #nn.mesh<tp=8> {
  sched.shard "q" axis "h" over ["tp"]
}

// -----

// Split by what lies inside a group, and the kv heads by another axis.
// CHECK-LABEL: @forward
// CHECK-NOT: nn.redistribute
// CHECK: nn.attention {{.*}} -> tensor<1x12x4x8xf32, #nn.layout<[b=1] [g=4 r=3] [s=4] [d=8], a: S(1.0), b: S(1.1)>>
!q = tensor<1x12x4x8xf32, #nn.layout<[b=1] [g=4 r=3] [s=4] [d=8]>>
!k = tensor<1x4x4x8xf32, #nn.layout<[b=1] [g=4] [t=4] [d=8]>>
nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
    attributes {buffers = [], outputs = ["output"]} {
  %y = nn.attention %q, %k, %k {scale = 0.5 : f64} : (!q, !k, !k) -> !q
  nn.return %y : !q
}
sched.schedule "s" #nn.mesh<a=2, b=3> {
  sched.shard "q" axis "g" over ["a"]
  sched.shard "q" axis "r" over ["b"]
  sched.shard "k" axis "g" over ["a"]
}
