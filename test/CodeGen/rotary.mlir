// Cosines and sines of a rotary embedding are an input that a kernel of its own
// makes when loading, in float64; pairs are written out in the loop.
// RUN: hocket-opt %s --hocket-lower-kernels | FileCheck %s

!x = tensor<2x5x8xf32, #nn.layout<[2] [5] [8]>>

// CHECK-LABEL: func.func @rotate_table0
// CHECK-SAME: (%[[T:.*]]: memref<40xf32>, %[[FIRST:.*]]: i64,
// CHECK: arith.addi %{{.*}}, %[[FIRST]]
// CHECK: math.powf {{.*}} : f64
// CHECK: math.cos {{.*}} : f64
// CHECK: math.sin {{.*}} : f64

// CHECK-LABEL: func.func @rotate(
// CHECK-SAME: %[[X:.*]]: memref<80xf32>, %[[T:.*]]: memref<40xf32>, %[[Y:[a-z0-9]+]]: memref<80xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: math.
// CHECK: memref.load %[[T]]
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: memref.store %{{.*}}, %[[Y]]
func.func @rotate(%x: !x) -> !x {
  %y = spmd.rotary %x {dim = 1 : i64, base = 1.0e4 : f64, style = #nn.rotary_style<interleaved>, inverse = false, frequencies = array<f64>, positions = #spmd.positions<<cp: [0, 5]> of 10>} : (!x) -> !x
  return %y : !x
}
