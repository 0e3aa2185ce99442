// What norms, softmax, rotary and element-wise operations refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @layer_norm_c1(%0: tensor<2x3xi32, #nn.layout<[2] [3]>>, %1: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{layer_norm takes x of floats of 1 or more dims, but it is i32[2, 3]}}
  nn.layer_norm %0, %1 {eps = 1.0 : f64} : (tensor<2x3xi32, #nn.layout<[2] [3]>>, tensor<3xf32, #nn.layout<[3]>>) -> tensor<2x3xi32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @layer_norm_c2_weight(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{layer_norm takes a weight of one dim of 3, the last dim of x f32[2, 3], but the weight is f32[2]}}
  nn.layer_norm %0, %1 {eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @layer_norm_c2_bias(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<3xf32, #nn.layout<[3]>>, %2: tensor<1x3xf32, #nn.layout<[1] [3]>>) {
  // expected-error@below {{layer_norm takes a bias of one dim of 3, the last dim of x f32[2, 3], but the bias is f32[1, 3]}}
  nn.layer_norm %0, %1, %2 {eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<3xf32, #nn.layout<[3]>>, tensor<1x3xf32, #nn.layout<[1] [3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @layer_norm_c3(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<3xf16, #nn.layout<[3]>>) {
  // expected-error@below {{layer_norm takes tensors of one element type, but got f32[2, 3] and f16[3]}}
  nn.layer_norm %0, %1 {eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<3xf16, #nn.layout<[3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @layer_norm_c4(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{layer_norm takes an eps of at least 0, but it is -1.000000e+00}}
  nn.layer_norm %0, %1 {eps = -1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<3xf32, #nn.layout<[3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @normalize_c1(%0: tensor<2x3xi32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{a norm takes x of floats, but it is i32[2, 3]}}
  %1:3 = nn.normalize %0 {dims = array<i64: 1>, eps = 1.0 : f64} : (tensor<2x3xi32, #nn.layout<[2] [3]>>) -> (tensor<2x3xi32, #nn.layout<[2] [3]>>, tensor<2xi32, #nn.layout<[2]>>, tensor<2xi32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_c2_dim(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{a norm over dim 2 of x f32[2, 3]; its dims are those of x in rising order}}
  %1:3 = nn.normalize %0 {dims = array<i64: 2>, eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_c2_order(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{a norm over dim 0 of x f32[2, 3]; its dims are those of x in rising order}}
  %1:3 = nn.normalize %0 {dims = array<i64: 1, 0>, eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_c2_none(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{a norm takes statistics of no dims of x f32[2, 3]}}
  %1:3 = nn.normalize %0 {dims = array<i64>, eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_c3(%0: tensor<2x0xf32, #nn.layout<[2] [0]>>) {
  // expected-error@below {{a norm takes statistics of no elements of x f32[2, 0]}}
  %1:3 = nn.normalize %0 {dims = array<i64: 1>, eps = 1.0 : f64} : (tensor<2x0xf32, #nn.layout<[2] [0]>>) -> (tensor<2x0xf32, #nn.layout<[2] [0]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_c4(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{a norm takes an eps of at least 0, but it is -1.000000e+00}}
  %1:3 = nn.normalize %0 {dims = array<i64: 1>, eps = -1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @normalize_mean(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{'nn.normalize' op gives f32[2], but the result is f32[3]}}
  %1:3 = nn.normalize %0 {dims = array<i64: 1>, eps = 1.0 : f64} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<3xf32, #nn.layout<[3]>>, tensor<2xf32, #nn.layout<[2]>>)
  return
}

// -----

func.func @rms_norm_c1(%0: tensor<f32, #nn.layout<>>, %1: tensor<1xf32, #nn.layout<[1]>>) {
  // expected-error@below {{rms_norm takes x of floats of 1 or more dims, but it is f32[]}}
  nn.rms_norm %0, %1 {eps = 1.0 : f64} : (tensor<f32, #nn.layout<>>, tensor<1xf32, #nn.layout<[1]>>) -> tensor<f32, #nn.layout<>>
  return
}

// -----

func.func @softmax_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{softmax over dim 2 of x f32[2, 3], which has 2 dims}}
  nn.softmax %0 {dim = 2} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @softmax_c2(%0: tensor<2x3xi32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{softmax takes x of floats, but it is i32[2, 3]}}
  nn.softmax %0 {dim = 1} : (tensor<2x3xi32, #nn.layout<[2] [3]>>) -> tensor<2x3xi32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @rotary_c1_odd(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{rotary takes x of 2 or more dims, the last one even, but x is f32[2, 3]}}
  nn.rotary %0 {dim = 0, base = 1.0e4 : f64, style = #nn.rotary_style<half>} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @rotary_c1_dim(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{rotary takes positions on a dim from 0 to 0 of x f32[2, 4], but got dim 1}}
  nn.rotary %0 {dim = 1, base = 1.0e4 : f64, style = #nn.rotary_style<half>} : (tensor<2x4xf32, #nn.layout<[2] [4]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @rotary_style(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{expected ::hocket::nn::RotaryStyle to be one of: half, interleaved}}
  // expected-error@below {{failed to parse Nn_RotaryStyleAttr parameter 'value' which is to be a `::hocket::nn::RotaryStyle`}}
  nn.rotary %0 {dim = 0, base = 1.0e4 : f64, style = #nn.rotary_style<gptj>} : (tensor<2x4xf32, #nn.layout<[2] [4]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @rotary_c2(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{rotary takes a base above 0, but it is 0.000000e+00}}
  nn.rotary %0 {dim = 0, base = 0.0 : f64, style = #nn.rotary_style<half>} : (tensor<2x4xf32, #nn.layout<[2] [4]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @rotary_c3(%0: tensor<2x4xi32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{rotary takes x of floats, but it is i32[2, 4]}}
  nn.rotary %0 {dim = 0, base = 1.0e4 : f64, style = #nn.rotary_style<half>} : (tensor<2x4xi32, #nn.layout<[2] [4]>>) -> tensor<2x4xi32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @rotary_c4(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{rotary takes 2 frequencies, half of the last dim, but got 3}}
  nn.rotary %0 {dim = 0, base = 1.0e4 : f64, style = #nn.rotary_style<half>, frequencies = array<f64: 1.0, 0.5, 0.25>} : (tensor<2x4xf32, #nn.layout<[2] [4]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @unary_kind(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{custom op 'nn.unary' expected ::hocket::nn::UnaryKind to be one of: gelu, gelu_tanh, silu, relu, sigmoid, tanh, exp, log, sqrt, rsqrt, erf, abs, neg, not, sin, cos}}
  // expected-error@below {{custom op 'nn.unary' failed to parse Nn_UnaryKindAttr parameter 'value' which is to be a `::hocket::nn::UnaryKind`}}
  nn.unary swish %0 : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @unary_c1(%0: tensor<2xi32, #nn.layout<[2]>>) {
  // expected-error@below {{exp takes floats, but x is i32[2]}}
  nn.unary exp %0 : (tensor<2xi32, #nn.layout<[2]>>) -> tensor<2xi32, #nn.layout<[2]>>
  return
}

// -----

func.func @unary_c1_not(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{not takes bools, but x is f32[2]}}
  nn.unary not %0 : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @binary_c1(%0: tensor<2xf32, #nn.layout<[2]>>, %1: tensor<2xf16, #nn.layout<[2]>>) {
  // expected-error@below {{add takes tensors of one element type, but a is f32[2] and b f16[2]}}
  nn.binary add %0, %1 : (tensor<2xf32, #nn.layout<[2]>>, tensor<2xf16, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @binary_c2(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{mul: the shapes do not broadcast: a is f32[2, 3], b f32[2]}}
  nn.binary mul %0, %1 : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @binary_kind(%0: tensor<2xf32, #nn.layout<[2]>>, %1: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{custom op 'nn.binary' expected ::hocket::nn::BinaryKind to be one of: add, sub, mul, div, pow, maximum, minimum, and, or, eq, ne, lt, le, gt, ge}}
  // expected-error@below {{custom op 'nn.binary' failed to parse Nn_BinaryKindAttr parameter 'value' which is to be a `::hocket::nn::BinaryKind`}}
  nn.binary mod %0, %1 : (tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @binary_c3(%0: tensor<2xi1, #nn.layout<[2]>>, %1: tensor<2xi1, #nn.layout<[2]>>) {
  // expected-error@below {{add takes numbers, but a is bool[2]}}
  nn.binary add %0, %1 : (tensor<2xi1, #nn.layout<[2]>>, tensor<2xi1, #nn.layout<[2]>>) -> tensor<2xi1, #nn.layout<[2]>>
  return
}

// -----

func.func @where_c1(%0: tensor<2xf32, #nn.layout<[2]>>, %1: tensor<2xf32, #nn.layout<[2]>>, %2: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{where takes a condition of bools, but it is f32[2]}}
  nn.where %0, %1, %2 : (tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @where_c2(%0: tensor<2xi1, #nn.layout<[2]>>, %1: tensor<2xf32, #nn.layout<[2]>>, %2: tensor<2xf16, #nn.layout<[2]>>) {
  // expected-error@below {{where takes tensors of one element type, but a is f32[2] and b f16[2]}}
  nn.where %0, %1, %2 : (tensor<2xi1, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf16, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @where_c3(%0: tensor<3xi1, #nn.layout<[3]>>, %1: tensor<2xf32, #nn.layout<[2]>>, %2: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{where: the shapes do not broadcast: the condition is bool[3], a f32[2], b f32[2]}}
  nn.where %0, %1, %2 : (tensor<3xi1, #nn.layout<[3]>>, tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @cast_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{cast keeps the shape, but x is f32[2, 3] and the result f16[6]}}
  nn.cast %0 : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<6xf16, #nn.layout<[6]>>
  return
}
