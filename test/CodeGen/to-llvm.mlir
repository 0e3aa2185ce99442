// In f32 functions are polynomials, in f64 calls of libm.
// RUN: hocket-opt %s --hocket-lower-kernels=to-llvm | FileCheck %s

!x = tensor<96xf32, #nn.layout<[96]>>
!d = tensor<96xf64, #nn.layout<[96]>>

// CHECK-DAG: llvm.func @erfc(f64) -> f64
// CHECK-NOT: llvm.func @erfcf

// CHECK-LABEL: llvm.func @single(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: llvm.call
// CHECK: llvm.intr.fma
func.func @single(%x: !x) -> !x {
  %y = nn.unary gelu %x : (!x) -> !x
  return %y : !x
}

// CHECK-LABEL: llvm.func @double
// CHECK: llvm.call @erfc
func.func @double(%x: !d) -> !d {
  %y = nn.unary gelu %x : (!d) -> !d
  return %y : !d
}
