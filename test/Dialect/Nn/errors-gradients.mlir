// What the gradients of attention and embedding refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!q = tensor<1x2x3x4xf32, #nn.layout<[1] [2] [3] [4]>>
!v = tensor<1x2x3x5xf32, #nn.layout<[1] [2] [3] [5]>>
!lse = tensor<1x2x3xf32, #nn.layout<[1] [2] [3]>>
func.func @attention_grad_c2(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{takes a dout of f32[1, 2, 3, 5], but it is f32[1, 2, 3, 4]}}
  %0:3 = nn.attention_grad %q, %q, %v, %q, %v, %lse {scale = 0.5 : f64} : (!q, !q, !v, !q, !v, !lse) -> (!q, !q, !v)
  return
}

// -----

!q = tensor<1x2x3x4xf32, #nn.layout<[1] [2] [3] [4]>>
!v = tensor<1x2x3x5xf32, #nn.layout<[1] [2] [3] [5]>>
!lse = tensor<1x2x3xf32, #nn.layout<[1] [2] [3]>>
func.func @attention_grad_c2_out(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{takes an out of f32[1, 2, 3, 5], but it is f32[1, 2, 3, 4]}}
  %1:3 = nn.attention_grad %q, %q, %v, %v, %q, %lse {scale = 0.5 : f64} : (!q, !q, !v, !v, !q, !lse) -> (!q, !q, !v)
  return
}

// -----

!q = tensor<1x2x3x4xf32, #nn.layout<[1] [2] [3] [4]>>
!v = tensor<1x2x3x5xf32, #nn.layout<[1] [2] [3] [5]>>
!lse = tensor<1x2x3xf32, #nn.layout<[1] [2] [3]>>
func.func @attention_grad_c2_lse(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{goes with an lse of f32[1, 2, 3], but it is f32[1, 2, 3, 5]}}
  %2:3 = nn.attention_grad %q, %q, %v, %v, %v, %v {scale = 0.5 : f64} : (!q, !q, !v, !v, !v, !v) -> (!q, !q, !v)
  return
}

// -----

!q = tensor<1x2x3x4xf64, #nn.layout<[1] [2] [3] [4]>>
!h = tensor<1x2x3x4xbf16, #nn.layout<[1] [2] [3] [4]>>
!lse = tensor<1x2x3xf32, #nn.layout<[1] [2] [3]>>
func.func @attention_c7(%q: !q, %h: !h) {
  %0, %fits = nn.attention %h, %h, %h {scale = 0.5 : f64} : (!h, !h, !h) -> (!h, !lse)
  // expected-error@below {{goes with an lse of f64[1, 2, 3], but it is f32[1, 2, 3]}}
  %1, %narrow = nn.attention %q, %q, %q {scale = 0.5 : f64} : (!q, !q, !q) -> (!q, !lse)
  return
}

// -----

!h = tensor<1x2x3x4xbf16, #nn.layout<[1] [2] [3] [4]>>
!short = tensor<1x2xf32, #nn.layout<[1] [2]>>
func.func @attention_c7_dims(%h: !h) {
  // expected-error@below {{goes with an lse of f32[1, 2, 3], but it is f32[1, 2]}}
  %2, %short = nn.attention %h, %h, %h {scale = 0.5 : f64} : (!h, !h, !h) -> (!h, !short)
  return
}

// -----

!q = tensor<1x2x3x4xf32, #nn.layout<[1] [2] [3] [4]>>
!v = tensor<1x2x3x5xf32, #nn.layout<[1] [2] [3] [5]>>
!lse = tensor<1x2x3xf32, #nn.layout<[1] [2] [3]>>
func.func @attention_grad_c3(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{gives what has the types of q, k and v}}
  %0:3 = nn.attention_grad %q, %q, %v, %v, %v, %lse {scale = 0.5 : f64} : (!q, !q, !v, !v, !v, !lse) -> (!q, !q, !q)
  return
}

// -----

!ids = tensor<7xf32, #nn.layout<[7]>>
!dy = tensor<7x4xf32, #nn.layout<[7] [4]>>
!t = tensor<8x4xf32, #nn.layout<[8] [4]>>
func.func @embedding_grad_c1(%ids: !ids, %dy: !dy) {
  // expected-error@below {{takes ids that are integers, but they are f32[7]}}
  %0 = nn.embedding_grad %ids, %dy : (!ids, !dy) -> !t
  return
}

// -----

!ids = tensor<7xi32, #nn.layout<[7]>>
!dy = tensor<7x4xf32, #nn.layout<[7] [4]>>
!t = tensor<8xf32, #nn.layout<[8]>>
func.func @embedding_grad_c2(%ids: !ids, %dy: !dy) {
  // expected-error@below {{gives a table of 2 dims, but the result is f32[8]}}
  %0 = nn.embedding_grad %ids, %dy : (!ids, !dy) -> !t
  return
}

// -----

!ids = tensor<7xi32, #nn.layout<[7]>>
!dy = tensor<7x5xf32, #nn.layout<[7] [5]>>
!t = tensor<8x4xf32, #nn.layout<[8] [4]>>
func.func @embedding_grad_c3(%ids: !ids, %dy: !dy) {
  // expected-error@below {{takes a dy of f32[7, 4], but it is f32[7, 5]}}
  %0 = nn.embedding_grad %ids, %dy : (!ids, !dy) -> !t
  return
}
