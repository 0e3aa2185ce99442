// RUN: hocket-opt %s --hocket-lower-kernels --split-input-file --verify-diagnostics

!x = tensor<3x3xf32, #nn.layout<[3] [3]>>
func.func @exchanged(%x: !x) -> !x {
  %e = nn.unary exp %x : (!x) -> !x
  %t = nn.rearrange %e {source = #nn.layout<[3] [3]>, order = [[1], [0]]} : (!x) -> !x
  %y = nn.binary sub %e, %t : (!x, !x) -> !x
  // expected-error @+1 {{cannot be part of one kernel: a computed value is used both as it is and with its dims exchanged}}
  return %y : !x
}

// -----

!a = tensor<4x6xf32, #nn.layout<[4] [6]>>
!b = tensor<24xf32, #nn.layout<[4 6]>>
!c = tensor<24xf32, #nn.layout<[6 4]>>
func.func @crossing(%x: !b {kernel.strides = array<i64: 8, 1>},
                    %y: !c {kernel.strides = array<i64: 8, 1>}) -> !b {
  // expected-error @+1 {{cannot be part of one kernel: the factors of its operands cross each other}}
  %z = nn.binary add %x, %y : (!b, !c) -> !b
  return %z : !b
}

// -----

!x = tensor<24xf32, #nn.layout<[6 4]>>
func.func @rearrangedAcross(%x: !x) -> tensor<6x4xf32, #nn.layout<[6] [4]>> {
  // expected-error @+1 {{cannot be part of one kernel: the rearrange cuts a dim across its factors}}
  %t = nn.rearrange %x {source = #nn.layout<[4 6]>, order = [[1], [0]]} : (!x) -> tensor<6x4xf32, #nn.layout<[6] [4]>>
  %y = nn.unary neg %t : (tensor<6x4xf32, #nn.layout<[6] [4]>>) -> tensor<6x4xf32, #nn.layout<[6] [4]>>
  return %y : tensor<6x4xf32, #nn.layout<[6] [4]>>
}

// -----

!x = tensor<24xf32, #nn.layout<[6 4]>>
!y = tensor<24xf32, #nn.layout<[4 6]>>
func.func @laidOutAcross(%x: !x {kernel.strides = array<i64: 8, 1>})
    -> (!y {kernel.strides = array<i64: 8, 1>}) {
  %y = nn.broadcast %x : (!x) -> !y
  // expected-error @+1 {{cannot be part of one kernel: output 0 is laid out in factors that cross those that it is computed in}}
  return %y : !y
}

// -----

!x = tensor<4x4xf32, #nn.layout<[4] [4]>>
func.func @contraction(%x: !x) -> !x {
  // expected-error @+1 {{cannot be part of one kernel: 'nn.matmul' cannot be part of a kernel}}
  %y = nn.matmul %x, %x : (!x, !x) -> !x
  return %y : !x
}

// -----

!x = tensor<4xf32, #nn.layout<[4]>>
func.func @strides(%x: !x {kernel.strides = array<i64: 4, 1>}) -> !x {
  // expected-error @+1 {{cannot be part of one kernel: input 0 has 2 strides, not one for each factor of its type}}
  %y = nn.unary neg %x : (!x) -> !x
  return %y : !x
}

// -----

!x = tensor<4xf32, #nn.layout<[4]>>
func.func @outputStrides(%x: !x) -> (!x {kernel.strides = array<i64: 4, 1>}) {
  %y = nn.unary neg %x : (!x) -> !x
  // expected-error @+1 {{cannot be part of one kernel: output 0 has 2 strides, not one for each factor of its type}}
  return %y : !x
}

// -----

!x = tensor<24xf32, #nn.layout<[24]>>
!f = tensor<24xf32, #nn.layout<[4 6]>>
func.func @slice(%x: !f {kernel.strides = array<i64: 8, 1>}) -> tensor<5xf32, #nn.layout<[5]>> {
  // expected-error @+1 {{the slice [3, 8) cuts through factors that do not lie one after another in memory}}
  %y = nn.slice %x {dim = 0 : i64, start = 3 : i64, size = 5 : i64} : (!f) -> tensor<5xf32, #nn.layout<[5]>>
  return %y : tensor<5xf32, #nn.layout<[5]>>
}

// -----

// expected-error @+1 {{is not a kernel: its arguments and results must be tensors with a layout}}
func.func @plain(%x: f32) -> f32 {
  return %x : f32
}
