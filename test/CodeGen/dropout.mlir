// RUN: hocket-opt %s --hocket-lower-kernels --split-input-file | FileCheck %s

// The words are computed 64 at a time before the loop that reads them.
// Scalars: the number of the rank's first element, and the halves of the key.

!x = tensor<6x128xf32, #nn.layout<[6] [128]>>
!step = tensor<i32, #nn.layout<>>
// CHECK-LABEL: func.func @dense(
// CHECK-SAME: %[[STEP:.*]]: memref<1xi32>, %{{.*}}: memref<768xf32>, %{{.*}}: memref<768xf32>, %[[FIRST:.*]]: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: index
// CHECK: %[[WORDS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1088xi32>
// CHECK: arith.addi %{{.*}}, %[[FIRST]] : i64
// CHECK: scf.for %[[AT:.*]] = %{{.*}} to %{{.*}} step %c64
// CHECK-COUNT-20: arith.muli %{{.*}} : vector<16xi64>
// CHECK: vector.store %{{.*}}, %[[WORDS]][%[[AT]]] : memref<1088xi32>, vector<64xi32>
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: %[[WORD:.*]] = memref.load %[[WORDS]]
// CHECK: %[[KEEP:.*]] = arith.cmpi uge, %[[WORD]], %{{.*}} : i32
// CHECK: arith.select %[[KEEP]], %{{.*}} : f32
func.func @dense(%step: !step, %x: !x) -> !x {
  %s = nn.unary exp %x : (!x) -> !x
  %y = spmd.dropout %s, %step {p = 0.5 : f64, draws = #spmd.draws<7, first = <tp: [0, 768]>,
    of = <<[12] [128]>, <0, 0, offset = <tp: [0, 6]>, size = <6>>>>}
    : (!x, !step) -> !x
  return %y : !x
}

// -----

// Where neighbours in memory are no neighbours in the global tensor, every
// element computes its own word.

!x = tensor<6x128xf32, #nn.layout<[6] [128]>>
!step = tensor<i32, #nn.layout<>>
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: memref.alloca
// CHECK-COUNT-20: arith.muli %{{.*}} : i64
// CHECK: arith.cmpi uge
func.func @transposed(%step: !step, %x: !x {kernel.strides = array<i64: 1, 6>})
    -> (!x {kernel.strides = array<i64: 1, 6>}) {
  %y = spmd.dropout %x, %step {p = 0.5 : f64, draws = #spmd.draws<7, first = <0>, of = <<[6] [128]>>>} : (!x, !step) -> !x
  return %y : !x
}
