// Reductions cut the work on a row in passes.
// RUN: hocket-opt %s --hocket-lower-kernels | FileCheck %s

!x = tensor<6x64xf32, #nn.layout<[6] [64]>>
!w = tensor<64xf32, #nn.layout<[64]>>

// exp is computed once and kept in a row on the stack.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[ROW:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK: scf.for
// CHECK: %[[MAX:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.maximumf
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.subf %{{.*}}, %[[MAX]]
// CHECK: %[[E:.*]] = math.exp
// CHECK: memref.store %[[E]], %[[ROW]]
// CHECK: arith.addf %{{.*}}, %[[E]] fastmath<reassoc,nsz,contract>
// CHECK: %[[SCALE:.*]] = arith.divf %{{.*}}, %[[SUM]]
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: %[[KEPT:.*]] = memref.load %[[ROW]]
// CHECK: arith.mulf %[[KEPT]], %[[SCALE]]
func.func @softmax(%x: !x) -> !x {
  %y = nn.softmax %x {dim = 1 : i64} : (!x) -> !x
  return %y : !x
}

// What is an output as well is written once and loaded from there.
// CHECK-LABEL: func.func @residual_norm
// CHECK-SAME: %[[H:[a-z0-9]+]]: memref<384xf32>, %[[Y:[a-z0-9]+]]: memref<384xf32>, %{{[a-z0-9]+}}: index
// CHECK-NOT: memref.alloca
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: memref.store %[[SUM]], %[[H]]
// CHECK: math.rsqrt
// CHECK: scf.for
// CHECK: memref.load %[[H]]
// CHECK-NOT: arith.addf
// CHECK: memref.store %{{.*}}, %[[Y]]
func.func @residual_norm(%x: !x, %r: !x, %w: !w) -> (!x, !x) {
  %h = nn.binary add %x, %r : (!x, !x) -> !x
  %y = nn.rms_norm %h, %w {eps = 1.0e-6 : f64} : (!x, !w) -> !x
  return %h, %y : !x, !x
}

// Neighbours in memory stay in the innermost loop: a row of accumulators, to
// which three rows are added at once.
// CHECK-LABEL: func.func @column_sum
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[ROW:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK: scf.for %{{.*}} to %[[C2]] step
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[C64]]
// CHECK-COUNT-3: memref.load %[[ROW]][%[[J]]]
// CHECK: memref.store %{{.*}}, %[[ROW]][%[[J]]]
// CHECK-NEXT: }
func.func @column_sum(%x: !x) -> !w {
  %y = nn.reduce sum %x {dims = array<i64: 0>, keepdim = false} : (!x) -> !w
  return %y : !w
}
