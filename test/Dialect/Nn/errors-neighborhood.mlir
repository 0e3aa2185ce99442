// What neighborhood attention refuses.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!q = tensor<1x2x4xf32, #nn.layout<[1] [2] [4]>>
func.func @c1(%q: !q) {
  // expected-error@below {{neighborhood attention takes q, k and v of batch, heads, 1 to 3 dims of positions and head dim, but they are f32[1, 2, 4], f32[1, 2, 4] and f32[1, 2, 4]}}
  %0 = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
!k = tensor<1x2x6x4xf32, #nn.layout<[1] [2] [6] [4]>>
func.func @c2(%q: !q, %k: !k) {
  // expected-error@below {{neighborhood attention takes q, k and v of one shape, except the number of heads of k and v and the head dim of v, but they are f32[1, 2, 5, 4], f32[1, 2, 6, 4] and f32[1, 2, 6, 4]}}
  %0 = nn.neighborhood_attention %q, %k, %k {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !k, !k) -> !q
  return
}

// -----

!q = tensor<1x3x5x4xf32, #nn.layout<[1] [3] [5] [4]>>
!k = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
func.func @c3(%q: !q, %k: !k) {
  // expected-error@below {{neighborhood attention takes a multiple of the 2 heads of k and v as heads of q, but q has 3}}
  %0 = nn.neighborhood_attention %q, %k, %k {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !k, !k) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
!k = tensor<1x2x5x4xf64, #nn.layout<[1] [2] [5] [4]>>
func.func @c4(%q: !q, %k: !k) {
  // expected-error@below {{neighborhood attention takes q, k and v of one element type, but got f32[1, 2, 5, 4] and f64[1, 2, 5, 4]}}
  %0 = nn.neighborhood_attention %q, %k, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !k, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
func.func @c5_count(%q: !q) {
  // expected-error@below {{neighborhood attention over 1 dims takes as many kernels, strides, dilations and causal, but got 2}}
  %0 = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [rows=5] [4]>>
func.func @c5_least(%q: !q) {
  // expected-error@below {{neighborhood attention takes a kernel, a stride and a dilation of at least 1, but over 'rows' they are 3, 0 and 1}}
  %0 = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 0>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
func.func @c5_stride(%q: !q) {
  // expected-error@below {{neighborhood attention takes a stride of at most its kernel, for else some keys are seen by no query, but over dim 2 the stride is 4 and the kernel 3}}
  %0 = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 4>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
func.func @c6(%q: !q) {
  // expected-error@below {{neighborhood attention shows each query 3 keys of dim 2, 2 apart, which takes 6 positions, but it has 5; it takes a kernel of at most 2}}
  %0 = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 2>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
!v = tensor<1x2x5x6xf32, #nn.layout<[1] [2] [5] [6]>>
!lse = tensor<1x2x5xf32, #nn.layout<[1] [2] [5]>>
func.func @grad_c2(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{takes a dout of f32[1, 2, 5, 6], but it is f32[1, 2, 5, 4]}}
  %0:3 = nn.neighborhood_attention_grad %q, %q, %v, %q, %v, %lse {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !v, !q, !v, !lse) -> (!q, !q, !v)
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
!v = tensor<1x2x5x6xf32, #nn.layout<[1] [2] [5] [6]>>
!lse = tensor<1x2x5xf32, #nn.layout<[1] [2] [5]>>
func.func @grad_c3(%q: !q, %v: !v, %lse: !lse) {
  // expected-error@below {{gives what has the types of q, k and v}}
  %0:3 = nn.neighborhood_attention_grad %q, %q, %v, %v, %v, %lse {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !v, !v, !v, !lse) -> (!q, !q, !q)
  return
}

// -----

!q = tensor<1x2x5x4xf32, #nn.layout<[1] [2] [5] [4]>>
!lse = tensor<1x2x4xf32, #nn.layout<[1] [2] [4]>>
func.func @c7(%q: !q) {
  // expected-error@below {{goes with an lse of f32[1, 2, 5], but it is f32[1, 2, 4]}}
  %0, %lse = nn.neighborhood_attention %q, %q, %q {kernels = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>, causal = array<i1: false>, scale = 1.0 : f64} : (!q, !q, !q) -> (!q, !lse)
  return
}
