// LLVM takes a chip that it does not know for its oldest: only those that it
// knows, from sm_80 on, are accepted.
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=chip=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=chip=sm_84 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not hocket-opt %s --hocket-kernels-to-ptx=chip=ampere 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: hocket-opt %s --hocket-kernels-to-ptx=chip=sm_90a | FileCheck %s

// OLD: error: 'sm_75' is none of the chips from sm_80 on that LLVM knows
// UNKNOWN: error: 'sm_84' is none of the chips from sm_80 on that LLVM knows
// WORD: error: 'ampere' is none of the chips from sm_80 on that LLVM knows
// CHECK: .target sm_90a
!x = tensor<8xf32, #nn.layout<[8]>>
func.func @negative(%x: !x) -> !x {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}
