// A turn of a loop has as many loads as a thread should have under way: LLVM
// does not write the loop out further, and ptxas, which would spill, is told to
// leave it, and not to aim at more blocks of a multiprocessor. What other warps
// have left is taken a few values at a time.
// RUN: hocket-opt %s --hocket-kernels-to-ptx | FileCheck %s

// CHECK-LABEL: .visible .entry columns_0(
// CHECK: .reqntid 512
// CHECK-NEXT: .minnctapersm 1
// CHECK: .pragma "nounroll";
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK: bra
// CHECK: bar.sync
// CHECK: .pragma "nounroll";
// CHECK-COUNT-8: ld.shared.b32
// CHECK-NOT: ld.shared
// CHECK-LABEL: .visible .entry columns_1(
!z = tensor<40000x64xf32, #nn.layout<[40000] [64]>>
func.func @columns(%x: !z {kernel.alignment = 16})
    -> tensor<64xf32, #nn.layout<[64]>> {
  %0 = nn.reduce sum %x {dims = array<i64: 0>, keepdim = false}
    : (!z) -> tensor<64xf32, #nn.layout<[64]>>
  return %0 : tensor<64xf32, #nn.layout<[64]>>
}
