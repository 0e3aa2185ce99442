// A group of element-wise operations is one loop nest; dims that are dense in
// all operands are one loop.
// RUN: hocket-opt %s --hocket-lower-kernels | FileCheck %s

!x = tensor<4x96xf32, #nn.layout<[4] [96]>>
!b = tensor<96xbf16, #nn.layout<[96]>>
!w = tensor<96xf32, #nn.layout<[96]>>

// CHECK-DAG: #[[$PADDED:.*]] = affine_map<(d0, d1) -> (d0 * 128 + d1)>
// CHECK-DAG: #[[$DENSE:.*]] = affine_map<(d0, d1) -> (d0 * 96 + d1)>

// CHECK-LABEL: func.func @dense
// CHECK-SAME: (%[[X:.*]]: memref<384xf32>, %[[Y:.*]]: memref<384xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-NEXT: %[[A:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[E]], %[[A]] fastmath<contract>
// CHECK-NEXT: memref.store %[[M]], %[[Y]][%[[I]]]
func.func @dense(%x: !x) -> !x {
  %0 = nn.unary exp %x : (!x) -> !x
  %1 = nn.binary mul %0, %x : (!x, !x) -> !x
  return %1 : !x
}

// CHECK-LABEL: func.func @strided_and_broadcast
// CHECK-SAME: (%[[X:.*]]: memref<480xf32>, %[[B:.*]]: memref<96xi16>
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[AT:.*]] = affine.apply #[[$PADDED]](%[[I]], %[[J]])
// CHECK: memref.load %[[X]][%[[AT]]]
// CHECK: %[[BITS:.*]] = memref.load %[[B]][%[[J]]]
// CHECK: %[[NARROW:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
// CHECK: arith.extf %[[NARROW]] : bf16 to f32
// CHECK: affine.apply #[[$DENSE]](%[[I]], %[[J]])
func.func @strided_and_broadcast(
    %x: !x {kernel.strides = array<i64: 128, 1>}, %b: !b) -> !x {
  %0 = nn.cast %b : (!b) -> !w
  %1 = nn.binary add %x, %0 : (!x, !w) -> !x
  return %1 : !x
}

// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[FLAG:[a-z0-9]+]]: i64, %[[FIRST:[a-z0-9]+]]: i64, %{{.*}}: index, %{{.*}}: index)
// CHECK: %[[KEEP:.*]] = arith.cmpi ne, %[[FLAG]]
// CHECK: arith.select %[[KEEP]]
// CHECK: arith.addi %{{.*}}, %[[FIRST]] : i64
func.func @masked(%x: !x) -> !x {
  %k = spmd.keep_first %x over ["tp"] : (!x) -> !x
  %i = spmd.iota {dim = 1 : i64, positions = #spmd.positions<<cp: [0, 96]> of 192>} : () -> !x
  %y = nn.binary add %k, %i : (!x, !x) -> !x
  return %y : !x
}
