// What attention refuses of documents, and a gradient with it.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!k = tensor<2x2x8x4xf32, #nn.layout<[2] [2] [8] [4]>>
func.func @attention_c10_floats(%q: !q, %ids: tensor<2x4xf32, #nn.layout<[2] [4]>>) {
  // expected-error@below {{attention takes documents of queries of 2 dims (batch, queries) of i32 or i64, but they are f32[2, 4]}}
  %0 = nn.attention %q, %q, %q documents %ids, %ids {scale = 0.5 : f64} : (!q, !q, !q, tensor<2x4xf32, #nn.layout<[2] [4]>>, tensor<2x4xf32, #nn.layout<[2] [4]>>) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!ids = tensor<2x4xi32, #nn.layout<[2] [4]>>
func.func @attention_c10_dims(%q: !q, %ids: !ids, %more: tensor<2x4x1xi32, #nn.layout<[2] [4] [1]>>) {
  // expected-error@below {{attention takes documents of keys of 2 dims (batch, keys) of i32 or i64, but they are i32[2, 4, 1]}}
  %0 = nn.attention %q, %q, %q documents %ids, %more {scale = 0.5 : f64} : (!q, !q, !q, !ids, tensor<2x4x1xi32, #nn.layout<[2] [4] [1]>>) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!ids = tensor<2x4xi32, #nn.layout<[2] [4]>>
func.func @attention_c10_one(%q: !q, %ids: !ids) {
  // expected-error@below {{attention takes the documents of queries and of keys, both or none}}
  %0 = "nn.attention"(%q, %q, %q, %ids) <{scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>}> : (!q, !q, !q, !ids) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!k = tensor<2x2x8x4xf32, #nn.layout<[2] [2] [8] [4]>>
!ids = tensor<2x4xi32, #nn.layout<[2] [4]>>
func.func @attention_c10_keys(%q: !q, %k: !k, %ids: !ids) {
  // expected-error@below {{attention takes k and documents of keys with the same number of keys, but k has 8 and documents of keys 4}}
  %0 = nn.attention %q, %k, %k documents %ids, %ids {scale = 0.5 : f64} : (!q, !k, !k, !ids, !ids) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!k = tensor<2x2x8x4xf32, #nn.layout<[2] [2] [8] [4]>>
!ids = tensor<2x8xi32, #nn.layout<[2] [8]>>
!lse = tensor<2x2x4xf32, #nn.layout<[2] [2] [4]>>
func.func @attention_grad_c1_queries(%q: !q, %k: !k, %ids: !ids, %lse: !lse) {
  // expected-error@below {{attention takes q and documents of queries with the same number of queries, but q has 4 and documents of queries 8}}
  %0:3 = nn.attention_grad %q, %k, %k, %q, %q, %lse documents %ids, %ids {scale = 0.5 : f64} : (!q, !k, !k, !q, !q, !lse, !ids, !ids) -> (!q, !k, !k)
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!ids = tensor<2x4xi32, #nn.layout<[2] [4]>>
!one = tensor<1x4xi32, #nn.layout<[1] [4]>>
func.func @attention_c10_batch(%q: !q, %ids: !ids, %one: !one) {
  // expected-error@below {{attention takes q and documents of keys with the same batch, but q has 2 and documents of keys 1}}
  %0 = nn.attention %q, %q, %q documents %ids, %one {scale = 0.5 : f64} : (!q, !q, !q, !ids, !one) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!ids = tensor<2x4xi32, #nn.layout<[2] [4]>>
!wide = tensor<2x4xi64, #nn.layout<[2] [4]>>
func.func @attention_c10_types(%q: !q, %ids: !ids, %wide: !wide) {
  // expected-error@below {{attention takes documents of queries and keys of one element type, but got i32[2, 4] and i64[2, 4]}}
  %0 = nn.attention %q, %q, %q documents %ids, %wide {scale = 0.5 : f64} : (!q, !q, !q, !ids, !wide) -> !q
  return
}
