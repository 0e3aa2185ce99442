// What convolutions refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @conv_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<4x3xf32, #nn.layout<[4] [3]>>) {
  // expected-error@below {{conv takes x of 3 to 5 dims, batch, channels and 1 to 3 dims to slide over, and a weight of as many, but x is f32[2, 3] and the weight f32[4, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<4x3xf32, #nn.layout<[4] [3]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @conv_c2(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv takes a stride and a dilation of at least 1, a padding of at least 0 and a border zero, reflect, replicate or circular for each of its 1 spatial dims}}
  nn.conv %0, %1 {strides = array<i64: 0>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c2_border(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv takes a stride and a dilation of at least 1, a padding of at least 0 and a border zero, reflect, replicate or circular for each of its 1 spatial dims}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["truncate"], groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c3(%0: tensor<2x4x8xf32, #nn.layout<[2] [4] [8]>>, %1: tensor<3x2x3xf32, #nn.layout<[3] [2] [3]>>) {
  // expected-error@below {{conv takes a weight of [out, 4 channels / 2 groups, ...], whose out dim the groups divide, but the weight is f32[3, 2, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 2 : i64} : (tensor<2x4x8xf32, #nn.layout<[2] [4] [8]>>, tensor<3x2x3xf32, #nn.layout<[3] [2] [3]>>) -> tensor<2x3x6xf32, #nn.layout<[2] [3] [6]>>
  return
}

// -----

func.func @conv_c4(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>, %2: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{conv takes a bias of one dim of 4, the out dim of the weight f32[4, 3, 3], but the bias is f32[3]}}
  nn.conv %0, %1, %2 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>, tensor<3xf32, #nn.layout<[3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c5(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<4x3x3xf64, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv takes tensors of one element type, but got f32[2, 3, 8] and f64[4, 3, 3]}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<4x3x3xf64, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x6xf32, #nn.layout<[2] [4] [6]>>
  return
}

// -----

func.func @conv_c6(%0: tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv slides a window of 5 over dim 2 of 3 with a padding of 0 and 1, in which it does not fit}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 2>, lows = array<i64: 0>, highs = array<i64: 1>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x1xf32, #nn.layout<[2] [4] [1]>>
  return
}

// -----

func.func @conv_c6_border(%0: tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{conv pads dim 2 of 3 by 4 with a circular border, which has at most 3}}
  nn.conv %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 4>, highs = array<i64: 0>, borders = ["circular"], groups = 1 : i64} : (tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>
  return
}

// -----

func.func @conv_transpose_c1(%0: tensor<2x4x7xf32, #nn.layout<[2] [4] [7]>>, %1: tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) {
  // expected-error@below {{'nn.conv_transpose' op is of a convolution that gives f32[2, 4, 6], but that is f32[2, 4, 7]}}
  nn.conv_transpose %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x4x7xf32, #nn.layout<[2] [4] [7]>>, tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>) -> tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>
  return
}

// -----

func.func @conv_grad_weight_c1(%0: tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, %1: tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>) {
  // expected-error@below {{'nn.conv_grad_weight' op is of a convolution that gives f32[2, 4, 6], but that is f32[2, 4, 5]}}
  nn.conv_grad_weight %0, %1 {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 0>, highs = array<i64: 0>, borders = ["zero"], groups = 1 : i64} : (tensor<2x3x8xf32, #nn.layout<[2] [3] [8]>>, tensor<2x4x5xf32, #nn.layout<[2] [4] [5]>>) -> tensor<4x3x3xf32, #nn.layout<[4] [3] [3]>>
  return
}

// -----

func.func @attention_c6(%q: tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) {
  // expected-error@below {{attention takes a window of at least 0 keys before and after}}
  nn.attention %q, %q, %q {before = -1 : i64, scale = 1.0 : f64} : (tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>, tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>) -> tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
  return
}
