// What attention refuses of a bias, and a gradient with it.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!b = tensor<2x4x4xf32, #nn.layout<[2] [4] [4]>>
func.func @attention_c11_dims(%q: !q, %b: !b) {
  // expected-error@below {{attention takes a bias of 4 dims (batch, heads, queries, keys), but it is f32[2, 4, 4]}}
  %0 = nn.attention %q, %q, %q bias %b {scale = 0.5 : f64} : (!q, !q, !q, !b) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!b = tensor<2x2x4x4xf16, #nn.layout<[2] [2] [4] [4]>>
func.func @attention_c11_types(%q: !q, %b: !b) {
  // expected-error@below {{attention takes q and its bias of one element type, but got f32[2, 2, 4, 4] and f16[2, 2, 4, 4]}}
  %0 = nn.attention %q, %q, %q bias %b {scale = 0.5 : f64} : (!q, !q, !q, !b) -> !q
  return
}

// -----

!q = tensor<2x4x4x4xf32, #nn.layout<[2] [4] [4] [4]>>
!b = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_c11_heads(%q: !q, %b: !b) {
  // expected-error@below {{attention takes q and its bias with the same heads, but q has 4 and its bias 2}}
  %0 = nn.attention %q, %q, %q bias %b {scale = 0.5 : f64} : (!q, !q, !q, !b) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!b = tensor<2x2x4x1xf32, #nn.layout<[2] [2] [4] [1]>>
func.func @attention_c11_keys(%q: !q, %b: !b) {
  // expected-error@below {{attention takes a bias for each of 4 keys, but it has 1}}
  %0 = nn.attention %q, %q, %q bias %b {scale = 0.5 : f64} : (!q, !q, !q, !b) -> !q
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!lse = tensor<2x2x4xf32, #nn.layout<[2] [2] [4]>>
func.func @attention_grad_c5_none(%q: !q, %lse: !lse) {
  // expected-error@below {{'nn.attention_grad' op gives the gradient of a bias that it does not have}}
  %0:4 = nn.attention_grad %q, %q, %q, %q, %q, %lse {scale = 0.5 : f64} : (!q, !q, !q, !q, !q, !lse) -> (!q, !q, !q, !q)
  return
}

// -----

!q = tensor<2x2x4x4xf32, #nn.layout<[2] [2] [4] [4]>>
!lse = tensor<2x2x4xf32, #nn.layout<[2] [2] [4]>>
!b = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_grad_c5_type(%q: !q, %lse: !lse, %b: !b) {
  // expected-error@below {{'nn.attention_grad' op gives a gradient of its bias that is f32[2, 2, 4, 4], but the bias is f32[1, 2, 4, 4]}}
  %0:4 = nn.attention_grad %q, %q, %q, %q, %q, %lse bias %b {scale = 0.5 : f64} : (!q, !q, !q, !q, !q, !lse, !b) -> (!q, !q, !q, !q)
  return
}
