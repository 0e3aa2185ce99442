// What sources, reductions and shape operations refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @iota_c1() {
  // expected-error@below {{'nn.iota' op counts along dim 1 of i32[4]}}
  nn.iota  {dim = 1} : () -> tensor<4xi32, #nn.layout<[4]>>
  return
}

// -----

func.func @iota_c2() {
  // expected-error@below {{'nn.iota' op gives numbers, but the result is bool[4]}}
  nn.iota  {dim = 0} : () -> tensor<4xi1, #nn.layout<[4]>>
  return
}

// -----

func.func @reduce_kind(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{custom op 'nn.reduce' expected ::hocket::nn::ReduceKind to be one of: sum, mean, max, min}}
  // expected-error@below {{custom op 'nn.reduce' failed to parse Nn_ReduceKindAttr parameter 'value' which is to be a `::hocket::nn::ReduceKind`}}
  nn.reduce prod %0 {dims = array<i64: 1>} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @reduce_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{sum over dim 2 of x f32[2, 3], which has 2 dims}}
  nn.reduce sum %0 {dims = array<i64: 2>} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @reduce_c1_twice(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{sum names dim 1 twice}}
  nn.reduce sum %0 {dims = array<i64: 1, 1>} : (tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @reduce_c2(%0: tensor<2x3xi32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{mean takes floats, but x is i32[2, 3]}}
  nn.reduce mean %0 {dims = array<i64: 1>} : (tensor<2x3xi32, #nn.layout<[2] [3]>>) -> tensor<2xi32, #nn.layout<[2]>>
  return
}

// -----

func.func @reduce_c2_bool(%0: tensor<2x3xi1, #nn.layout<[2] [3]>>) {
  // expected-error@below {{max takes numbers, but x is bool[2, 3]}}
  nn.reduce max %0 {dims = array<i64: 1>} : (tensor<2x3xi1, #nn.layout<[2] [3]>>) -> tensor<2xi1, #nn.layout<[2]>>
  return
}

// -----

func.func @rearrange_order(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op needs for each result dim the numbers of its factors, as in [[0], [2, 1]]}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [0, 1]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c1(%0: tensor<2x13xf32, #nn.layout<[2] [13]>>) {
  // expected-error@below {{'nn.rearrange' op splits dims of f32[2, (3, 4)], but x is f32[2, 13]}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0], [1, 2]]} : (tensor<2x13xf32, #nn.layout<[2] [13]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c2_unknown(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op lists factor 3 of 3}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0], [1, 3]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c2_twice(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op lists factor 0 twice}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0, 0], [1, 2]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c2_missing(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op leaves out factor 2 of size 4}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0], [1]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @rearrange_c3_rank(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op makes 3 dims, but the result is f32[2, 12]}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0], [1], [2]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c3_size(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op makes dim 0 of size 6, but the result is f32[2, 12]}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[0, 1], [2]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<2x12xf32, #nn.layout<[2] [12]>>
  return
}

// -----

func.func @rearrange_c4(%0: tensor<2x12xf32, #nn.layout<[2] [12]>>) {
  // expected-error@below {{'nn.rearrange' op keeps elements, but x is f32[2, 12] and the result f16[12, 2]}}
  nn.rearrange %0 {source = #nn.layout<[2] [3 4]>, order = [[1, 2], [0]]} : (tensor<2x12xf32, #nn.layout<[2] [12]>>) -> tensor<12x2xf16, #nn.layout<[12] [2]>>
  return
}

// -----

func.func @slice_c1_dim(%0: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{slice of dim 1 of x f32[4], which has 1 dims}}
  nn.slice %0 {dim = 1, start = 0, size = 2} : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @slice_c1_range(%0: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{slice [3:5] of dim 0 of x f32[4], whose size is 4}}
  nn.slice %0 {dim = 0, start = 3, size = 2} : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @slice_c2(%0: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{a slice that drops its dim takes 1 element, but takes 2}}
  nn.slice %0 {dim = 0, start = 0, size = 2, drop = true} : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<f32, #nn.layout<>>
  return
}

// -----

func.func @concat_c1() {
  // expected-error@below {{concat takes at least one tensor}}
  nn.concat  {dim = 0} : () -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @concat_c2(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{concat along dim 1 of f32[2], which has 1 dims}}
  nn.concat %0 {dim = 1} : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @concat_c3(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{concat along dim 0 takes tensors that differ in this dim only, but got f32[2, 3] and f32[2, 4]}}
  nn.concat %0, %1 {dim = 0} : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<2x4xf32, #nn.layout<[2] [4]>>) -> tensor<4x3xf32, #nn.layout<[4] [3]>>
  return
}

// -----

func.func @broadcast_c1(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{x f32[2] does not broadcast to f32[2, 3]}}
  nn.broadcast %0 : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}
