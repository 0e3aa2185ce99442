// Tables of a kernel are kernels of their own, which run once; functions without
// a body are left as they are. A library of our own stands in for libdevice.
// RUN: split-file %s %t
// RUN: hocket-opt %t/rotary.mlir --hocket-kernels-to-ptx=libdevice=%t/functions.ll | FileCheck %s

// CHECK: // rotate_table0: 1 blocks of 32 threads
// CHECK-NEXT: // rotate: 1 blocks of 64 threads
// CHECK: .visible .entry rotate_table0(
// CHECK-NEXT: .param .u64 {{.*}}rotate_table0_param_0,
// CHECK-NEXT: .param .u64 rotate_table0_param_1
// CHECK-NEXT: )
// CHECK: st.global
// CHECK: .visible .entry rotate(
// CHECK-COUNT-3: .param .u64
// CHECK-NEXT: )
// CHECK: func.func private @declared

//--- rotary.mlir
!x = tensor<2x5x8xf32, #nn.layout<[2] [5] [8]>>
func.func private @declared(!x) -> !x
func.func @rotate(%x: !x) -> !x {
  %y = spmd.rotary %x {dim = 1 : i64, base = 1.0e4 : f64, style = #nn.rotary_style<interleaved>, inverse = false, frequencies = array<f64>, positions = #spmd.positions<<cp: [0, 5]> of 10>} : (!x) -> !x
  return %y : !x
}

//--- functions.ll
define double @__nv_pow(double %x, double %y) { ret double %x }
define double @__nv_cos(double %x) { ret double %x }
define double @__nv_sin(double %x) { ret double %x }
