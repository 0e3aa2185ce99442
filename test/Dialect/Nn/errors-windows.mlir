// What windows, poolings and pads refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @conv_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<4x3xf32, #nn.layout<[4] [3]>>) {
  // expected-error@below {{conv takes x of 3 to 5 dims, batch, channels and 1 to 3 dims to slide over, and a weight of as many, but x is f32[2, 3] and the weight f32[4, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<4x3xf32, #nn.layout<[4] [3]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @conv_c2(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv takes a stride and a dilation of at least 1, a padding of at least 0 and a border zero, reflect, replicate or circular for each of its 1 spatial dims}}
  nn.conv %0, %1 {strides = array<i64: 0>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c2_border(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{expected one of [zero, reflect, replicate, circular] for what stands beyond the ends of a dim, got: truncate}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<truncate>, groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c3(%0: tensor<2x4x8xf32, #nn.layout<[2] [4] [8]>>, %1: tensor<3x2x3xf32, #nn.layout<[3] [2] [3]>>) {
  // expected-error@below {{conv takes a weight of [out, 4 channels / 2 groups, ...], whose out dim the groups divide, but the weight is f32[3, 2, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 2 : i64} : (tensor<2x4x8xf32, #nn.layout<[2] [4] [8]>>, tensor<3x2x3xf32, #nn.layout<[3] [2] [3]>>) -> tensor<2x3x6xf32, #nn.layout<[2] [3] [6]>>
  return
}

// -----

func.func @conv_c4(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>, %2: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{conv takes a bias of one dim of 4, the out dim of the weight f32[4, 3, 3], but the bias is f32[3]}}
  nn.conv %0, %1, %2 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>, tensor<3xf32, #nn.layout<[3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c5(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf64, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv takes tensors of one element type, but got f32[2, 3, 8] and f64[4, 3, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf64, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c6(%0: tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv slides a window of 5 over dim 2 of 3 with a padding of 0 and 1, in which it does not fit}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 2>, lows = array<i64: 0>, highs = array<i64: 1>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x1xf32, #nn.layout<[2] [4] [1]>>
  return
}

// -----

func.func @conv_c6_border(%0: tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv pads dim 2 of 3 by 4 with a circular border, which has at most 3}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 4>, highs = array<i64: 0>, borders = #nn.borders<circular>, groups = 1 : i64} : (tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>
  return
}

// -----

func.func @conv_transpose_c1(%0: tensor<2x4x7xf32, #nn.layout<[2] [4] [7]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{'nn.conv_transpose' op is of a convolution that gives f32[2, 4, 6], but that is f32[2, 4, 7]}}
  nn.conv_transpose %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x4x7xf32, #nn.layout<[2] [4] [7]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>
  return
}

// -----

func.func @conv_grad_weight_c1(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>) {
  // expected-error@below {{'nn.conv_grad_weight' op is of a convolution that gives f32[2, 4, 6], but that is f32[2, 4, 5]}}
  nn.conv_grad_weight %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = #nn.borders<zero>, groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>) -> tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>
  return
}

// -----

func.func @attention_c6(%q: tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) {
  // expected-error@below {{attention takes a window of at least 0 keys before and after}}
  nn.attention %q, %q, %q {before = -1 : i64, scale = 1.0 : f64} : (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) -> tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
  return
}

// -----

func.func @pool_c1(%0: tensor<2x3x4xi32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{pool takes floats of 3 to 5 dims, batch, channels and 1 to 3 dims to slide over, but x is i32[2, 3, 4]}}
  nn.pool %0 {kind = #nn.pool_kind<max>, taps = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xi32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x3xi32, #nn.layout<[2] [3] [3]>>
  return
}

// -----

func.func @pool_c2(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{pool takes a number of taps, a stride and a dilation of at least 1 and a padding of at least 0 for each of its 1 spatial dims}}
  nn.pool %0 {kind = #nn.pool_kind<max>, taps = array<i64: 2>, strides = array<i64: 0>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>
  return
}

// -----

func.func @pool_c3(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{pool slides a window of 5 over dim 2 of 4 with a padding of 0 and 0, in which it does not fit}}
  nn.pool %0 {kind = #nn.pool_kind<max>, taps = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x0xf32, #nn.layout<[2] [3] [0]>>
  return
}

// -----

func.func @pool_kind(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{expected ::hocket::nn::PoolKind to be one of: max, average, max_index}}
  // expected-error@below {{failed to parse Nn_PoolKindAttr parameter 'value' which is to be a `::hocket::nn::PoolKind`}}
  nn.pool %0 {kind = #nn.pool_kind<median>, taps = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>
  return
}

// -----

func.func @pool_grad_c1(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{'nn.pool_grad' op is of a pooling that gives f32[2, 3, 5], but dy is f32[2, 3, 4]}}
  nn.pool_grad %0 {kind = #nn.pool_kind<average>, taps = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x6xf32, #nn.layout<[2] [3] [6]>>
  return
}

// -----

func.func @pool_grad_c2(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) {
  // expected-error@below {{'nn.pool_grad' op takes an x of the type of the result for a maximum, and none for a mean}}
  nn.pool_grad %0 {kind = #nn.pool_kind<max>, taps = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, extras = array<i64: 0>} : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>) -> tensor<2x3x5xf32, #nn.layout<[2] [3] [5]>>
  return
}

// -----

func.func @pad_c1(%0: tensor<3x4xf32, #nn.layout<[3] [4]>>) {
  // expected-error@below {{pad takes a low, a high and a border zero, reflect, replicate or circular for each of the 2 dims of x}}
  nn.pad %0 {lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<zero>} : (tensor<3x4xf32, #nn.layout<[3] [4]>>) -> tensor<5x4xf32, #nn.layout<[5] [4]>>
  return
}

// -----

func.func @pad_c2(%0: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{pad extends dim 0 of 3 by 3 with a reflect border, which has at most 2}}
  nn.pad %0 {lows = array<i64: 3>, highs = array<i64: 0>, borders = #nn.borders<reflect>} : (tensor<3xf32, #nn.layout<[3]>>) -> tensor<6xf32, #nn.layout<[6]>>
  return
}

// -----

func.func @pad_c3(%0: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{pad takes 2 and 2 away from dim 0 of x f32[3]}}
  nn.pad %0 {lows = array<i64: -2>, highs = array<i64: -2>, borders = #nn.borders<zero>} : (tensor<3xf32, #nn.layout<[3]>>) -> tensor<0xf32, #nn.layout<[0]>>
  return
}

// -----

func.func @pad_transpose_c1(%0: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{'nn.pad_transpose' op is of a pad that gives f32[5], but y is f32[4]}}
  nn.pad_transpose %0 {lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<zero>} : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<3xf32, #nn.layout<[3]>>
  return
}
