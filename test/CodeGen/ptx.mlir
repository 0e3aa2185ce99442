// Kernels as PTX: accesses of 16 bytes where addresses and strides allow, rows
// in registers, one launch for each set of dims that is reduced. All are one
// module, behind how each is launched.
// RUN: hocket-opt %s --hocket-kernels-to-ptx | FileCheck %s

// CHECK: // add: 63 blocks of 256 threads, 1 to a row, 4 elements to an access
// CHECK: // unaligned: 250 blocks of 256 threads, 1 to a row, 1 elements to an access
// CHECK: // softmax: 32 blocks of 128 threads, 64 to a row, 8 elements to an access
// CHECK: // sums_0: 32 blocks of 128 threads, 64 to a row
// CHECK: // sums_1: 32 blocks of 512 threads, 16 to a row
// CHECK: // far: 1 blocks of 64 threads, 1 to a row, 4 elements to an access
// CHECK: .version
// CHECK-NEXT: .target sm_80
// CHECK-NOT: .version

!x = tensor<64x1000xf32, #nn.layout<[64] [1000]>>
!w = tensor<1000xf32, #nn.layout<[1000]>>
!h = tensor<64x1000xbf16, #nn.layout<[64] [1000]>>

// CHECK-LABEL: .visible .entry add(
// CHECK: .reqntid 256
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
func.func @add(%x: !x {kernel.alignment = 16}, %w: !w {kernel.alignment = 16})
    -> (!x {kernel.alignment = 16}) {
  %0 = nn.binary add %x, %w : (!x, !w) -> !x
  return %0 : !x
}

// Addresses are multiples of an element's bytes alone.
// CHECK-LABEL: .visible .entry unaligned(
// CHECK: ld.global.nc.b32
// CHECK: st.global.b32
func.func @unaligned(%x: !x) -> !x {
  %0 = nn.unary abs %x : (!x) -> !x
  return %0 : !x
}

// CHECK-LABEL: .visible .entry softmax(
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: bar.sync
// CHECK-COUNT-6: shfl.sync.bfly
// CHECK: bar.sync
// CHECK: shfl.sync.bfly
// CHECK: st.global.v4.b32
func.func @softmax(%x: !h {kernel.alignment = 16})
    -> (!h {kernel.alignment = 16}) {
  %0 = nn.softmax %x {dim = 1 : i64} : (!h) -> !h
  return %0 : !h
}

// A sum over rows and one over columns.
// CHECK-LABEL: .visible .entry sums_0(
// CHECK: .shared {{.*}} sums$sums_0_shared0[16];
// CHECK-LABEL: .visible .entry sums_1(
func.func @sums(%x: !x {kernel.alignment = 16})
    -> (tensor<64xf32, #nn.layout<[64]>>, !w) {
  %0 = nn.reduce sum %x {dims = array<i64: 1>, keepdim = false}
    : (!x) -> tensor<64xf32, #nn.layout<[64]>>
  %1 = nn.reduce sum %x {dims = array<i64: 0>, keepdim = false} : (!x) -> !w
  return %0, %1 : tensor<64xf32, #nn.layout<[64]>>, !w
}

// Numbers of elements and bytes are of 64 bits.
// CHECK-LABEL: .visible .entry far(
// CHECK: mad.lo.s64 {{.*}}, 17179869248,
// CHECK: ld.global.nc.v4.b32
// CHECK: shl.b64 {{.*}}, 35;
// CHECK: st.global.v4.b32
!y = tensor<3x64xf32, #nn.layout<[3] [64]>>
func.func @far(%x: !y {kernel.alignment = 16, kernel.strides = array<i64: 4294967312, 1>})
    -> (!y {kernel.alignment = 16, kernel.strides = array<i64: 8589934592, 1>}) {
  %0 = nn.unary neg %x : (!y) -> !y
  return %0 : !y
}
