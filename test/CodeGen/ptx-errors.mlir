// What cannot be made PTX is refused with the reason.
// RUN: hocket-opt %s --hocket-kernels-to-ptx --split-input-file --verify-diagnostics

!x = tensor<8xf32, #nn.layout<[8]>>
// expected-error @+1 {{calls sinf, which libdevice.10.bc of the CUDA toolkit and nvptx64--.bc of libclc have, and no path of either was given}}
func.func @sine(%x: !x) -> !x {
  %0 = nn.unary sin %x : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8xf32, #nn.layout<[8]>>
// expected-error @+1 {{cannot be called 'a-b' in PTX, which has letters, digits, '_' and '$' in names}}
func.func @"a-b"(%x: !x) -> !x {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8xf32, #nn.layout<[8]>>
// expected-error @+1 {{kernel.alignment of argument 0 is 24: it must be a power of two, and at least 4, the bytes of an element}}
func.func @noPower(%x: !x {kernel.alignment = 24}) -> !x {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8xf32, #nn.layout<[8]>>
// expected-error @+1 {{kernel.alignment of result 0 is 2: it must be a power of two, and at least 4, the bytes of an element}}
func.func @tooSmall(%x: !x) -> (!x {kernel.alignment = 2}) {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<8xf32, #nn.layout<[8]>>
// expected-error @+1 {{kernel.alignment of argument 0 is 0: it must be a power of two, and at least 4, the bytes of an element}}
func.func @zero(%x: !x {kernel.alignment = 0}) -> !x {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}

// -----

!x = tensor<2199023255552xf32, #nn.layout<[2199023255552]>>
// expected-error @+1 {{takes a launch of 2147483648 blocks, and a GPU has at most 2147483647}}
func.func @huge(%x: !x) -> !x {
  %0 = nn.unary neg %x : (!x) -> !x
  return %0 : !x
}

// -----

// The second launch of one kernel is called as another kernel is.
!x = tensor<64x1000xf32, #nn.layout<[64] [1000]>>
!r = tensor<64xf32, #nn.layout<[64]>>
!w = tensor<1000xf32, #nn.layout<[1000]>>
// expected-error @below {{two kernels have an entry sums_1}}
module {
  func.func @sums(%x: !x) -> (!r, !w) {
    %0 = nn.reduce sum %x {dims = array<i64: 1>, keepdim = false} : (!x) -> !r
    %1 = nn.reduce sum %x {dims = array<i64: 0>, keepdim = false} : (!x) -> !w
    return %0, %1 : !r, !w
  }
  func.func @sums_1(%x: !x) -> !x {
    %0 = nn.unary neg %x : (!x) -> !x
    return %0 : !x
  }
}

// -----

!x = tensor<8xf32, #nn.layout<[8]>>
!y = tensor<8x0xf32, #nn.layout<[8] [0]>>
func.func @empty(%x: !x, %y: !y) -> (!x, !y) {
  %0 = nn.unary neg %x : (!x) -> !x
  %1 = nn.rearrange %0 {source = #nn.layout<[8]>, order = [[0], []]} : (!x) -> tensor<8x1xf32, #nn.layout<[8] [1]>>
  %2 = nn.binary add %1, %y : (tensor<8x1xf32, #nn.layout<[8] [1]>>, !y) -> !y
  // expected-error @+1 {{cannot be part of one kernel: one result is empty and another is not}}
  return %0, %2 : !x, !y
}
