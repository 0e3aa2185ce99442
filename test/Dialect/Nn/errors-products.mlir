// What products, embeddings and attention refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @linear_c1(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<3xf32, #nn.layout<[3]>>) {
  // expected-error@below {{linear takes a weight of 2 dims, but it is f32[3]}}
  nn.linear %0, %1 : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<3xf32, #nn.layout<[3]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @linear_c2(%0: tensor<2x3xf32, #nn.layout<[2] [3]>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>) {
  // expected-error@below {{linear takes x with a last dim of 4, the in dim of the weight f32[5, 4], but x is f32[2, 3]}}
  nn.linear %0, %1 : (tensor<2x3xf32, #nn.layout<[2] [3]>>, tensor<5x4xf32, #nn.layout<[5] [4]>>) -> tensor<2x5xf32, #nn.layout<[2] [5]>>
  return
}

// -----

func.func @linear_c2_transposed(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>) {
  // expected-error@below {{linear takes x with a last dim of 5, the in dim of the weight f32[5, 4], but x is f32[2, 4]}}
  nn.linear %0, %1 {transposed = true} : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<5x4xf32, #nn.layout<[5] [4]>>) -> tensor<2x5xf32, #nn.layout<[2] [5]>>
  return
}

// -----

func.func @linear_c2_rank_0(%0: tensor<f32, #nn.layout<>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>) {
  // expected-error@below {{linear takes x with a last dim of 4, the in dim of the weight f32[5, 4], but x is f32[]}}
  nn.linear %0, %1 : (tensor<f32, #nn.layout<>>, tensor<5x4xf32, #nn.layout<[5] [4]>>) -> tensor<5xf32, #nn.layout<[5]>>
  return
}

// -----

func.func @linear_c3(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>, %2: tensor<4xf32, #nn.layout<[4]>>) {
  // expected-error@below {{linear takes a bias of one dim of 5, the out dim of the weight f32[5, 4], but the bias is f32[4]}}
  nn.linear %0, %1, %2 : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<5x4xf32, #nn.layout<[5] [4]>>, tensor<4xf32, #nn.layout<[4]>>) -> tensor<2x5xf32, #nn.layout<[2] [5]>>
  return
}

// -----

func.func @linear_c4(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<5x4xf16, #nn.layout<[5] [4]>>) {
  // expected-error@below {{linear takes tensors of one element type, but got f32[2, 4] and f16[5, 4]}}
  nn.linear %0, %1 : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<5x4xf16, #nn.layout<[5] [4]>>) -> tensor<2x5xf32, #nn.layout<[2] [5]>>
  return
}

// -----

func.func @linear_result(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>) {
  // expected-error@below {{'nn.linear' op gives f32[2, 5], but the result is f32[2, 6]}}
  nn.linear %0, %1 : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<5x4xf32, #nn.layout<[5] [4]>>) -> tensor<2x6xf32, #nn.layout<[2] [6]>>
  return
}

// -----

func.func @matmul_rank(%0: tensor<2xf32, #nn.layout<[2]>>, %1: tensor<2x3xf32, #nn.layout<[2] [3]>>) {
  // expected-error@below {{matmul takes tensors of 2 or more dims, but a is f32[2], b f32[2, 3]}}
  nn.matmul %0, %1 : (tensor<2xf32, #nn.layout<[2]>>, tensor<2x3xf32, #nn.layout<[2] [3]>>) -> tensor<3xf32, #nn.layout<[3]>>
  return
}

// -----

func.func @matmul_c1(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<5x4xf32, #nn.layout<[5] [4]>>) {
  // expected-error@below {{matmul takes b with 4 rows, the last dim of a, but a is f32[2, 4], b f32[5, 4]}}
  nn.matmul %0, %1 : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<5x4xf32, #nn.layout<[5] [4]>>) -> tensor<2x4xf32, #nn.layout<[2] [4]>>
  return
}

// -----

func.func @matmul_c2(%0: tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>, %1: tensor<5x4x3xf32, #nn.layout<[5] [4] [3]>>) {
  // expected-error@below {{matmul: the dims before the last two do not broadcast: a is f32[2, 3, 4], b f32[5, 4, 3]}}
  nn.matmul %0, %1 : (tensor<2x3x4xf32, #nn.layout<[2] [3] [4]>>, tensor<5x4x3xf32, #nn.layout<[5] [4] [3]>>) -> tensor<2x3x3xf32, #nn.layout<[2] [3] [3]>>
  return
}

// -----

func.func @matmul_c3(%0: tensor<2x4xf32, #nn.layout<[2] [4]>>, %1: tensor<4x5xf64, #nn.layout<[4] [5]>>) {
  // expected-error@below {{matmul takes tensors of one element type, but a is f32[2, 4], b f64[4, 5]}}
  nn.matmul %0, %1 : (tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<4x5xf64, #nn.layout<[4] [5]>>) -> tensor<2x5xf32, #nn.layout<[2] [5]>>
  return
}

// -----

func.func @embedding_c1(%0: tensor<9xf32, #nn.layout<[9]>>, %1: tensor<2xi32, #nn.layout<[2]>>) {
  // expected-error@below {{embedding takes a table of 2 dims, but it is f32[9]}}
  nn.embedding %0, %1 : (tensor<9xf32, #nn.layout<[9]>>, tensor<2xi32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

func.func @embedding_c2(%0: tensor<9x3xf32, #nn.layout<[9] [3]>>, %1: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{embedding takes ids that are integers, but they are f32[2]}}
  nn.embedding %0, %1 : (tensor<9x3xf32, #nn.layout<[9] [3]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @embedding_c2_bool(%0: tensor<9x3xf32, #nn.layout<[9] [3]>>, %1: tensor<2xi1, #nn.layout<[2]>>) {
  // expected-error@below {{embedding takes ids that are integers, but they are bool[2]}}
  nn.embedding %0, %1 : (tensor<9x3xf32, #nn.layout<[9] [3]>>, tensor<2xi1, #nn.layout<[2]>>) -> tensor<2x3xf32, #nn.layout<[2] [3]>>
  return
}

// -----

func.func @attention_c1_q(%0: tensor<2x5x4xf32, #nn.layout<[2] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes q of 4 dims (batch, heads, positions, head dim), but it is f32[2, 5, 4]}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x5x4xf32, #nn.layout<[2] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c1_keep(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %3: tensor<2x7xf32, #nn.layout<[2] [7]>>) {
  // expected-error@below {{attention takes keep of 2 dims (batch, keys) of bool, but it is f32[2, 7]}}
  nn.attention %0, %1, %2, %3 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x7xf32, #nn.layout<[2] [7]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c2_batch(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<1x3x7x4xf32, #nn.layout<[1] [3] [7] [4]>>, %2: tensor<1x3x7x4xf32, #nn.layout<[1] [3] [7] [4]>>) {
  // expected-error@below {{attention takes q and k with the same batch, but q has 2 and k 1}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<1x3x7x4xf32, #nn.layout<[1] [3] [7] [4]>>, tensor<1x3x7x4xf32, #nn.layout<[1] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c8(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes a ring where queries and keys are as many, but there are 5 queries and 7 keys}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64, ring = ["cp"]} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c2_heads(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x6x7x4xf32, #nn.layout<[2] [6] [7] [4]>>) {
  // expected-error@below {{attention takes k and v with the same heads, but k has 3 and v 6}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x6x7x4xf32, #nn.layout<[2] [6] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c2_keys(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x8x4xf32, #nn.layout<[2] [3] [8] [4]>>) {
  // expected-error@below {{attention takes k and v with the same number of keys, but k has 7 and v 8}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x8x4xf32, #nn.layout<[2] [3] [8] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c2_head_dim(%0: tensor<2x6x5x3xf32, #nn.layout<[2] [6] [5] [3]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes q and k with the same head dim, but q has 3 and k 4}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x6x5x3xf32, #nn.layout<[2] [6] [5] [3]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c2_keep(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %3: tensor<2x8xi1, #nn.layout<[2] [8]>>) {
  // expected-error@below {{attention takes k and keep with the same number of keys, but k has 7 and keep 8}}
  nn.attention %0, %1, %2, %3 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x8xi1, #nn.layout<[2] [8]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_c3(%0: tensor<2x5x5x4xf32, #nn.layout<[2] [5] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes a multiple of the 3 heads of k and v as heads of q, but q has 5}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x5x5x4xf32, #nn.layout<[2] [5] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x5x5x4xf32, #nn.layout<[2] [5] [5] [4]>>
  return
}

// -----

func.func @attention_c4(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf16, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes q, k and v of one element type, but got f32[2, 6, 5, 4] and f16[2, 3, 7, 4]}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf16, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

func.func @attention_dropout(%0: tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, %1: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, %2: tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) {
  // expected-error@below {{attention takes a dropout of at least 0 and less than 1, but it is 1.000000e+00}}
  nn.attention %0, %1, %2 {scale = 1.0 : f64, dropout = 1.0 : f64} : (tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>, tensor<2x3x7x4xf32, #nn.layout<[2] [3] [7] [4]>>) -> tensor<2x6x5x4xf32, #nn.layout<[2] [6] [5] [4]>>
  return
}

// -----

!q = tensor<2x3x5x4xf32, #nn.layout<[2] [3] [5] [4]>>
func.func @attention_c5(%q: !q, %step: tensor<i32, #nn.layout<>>) {
  // expected-error@below {{attention draws from a step and a stream, but it has only a step; give both or neither}}
  nn.attention %q, %q, %q step %step {scale = 1.0 : f64, dropout = 0.1 : f64} : (!q, !q, !q, tensor<i32, #nn.layout<>>) -> !q
  return
}
