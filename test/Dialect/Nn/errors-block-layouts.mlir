// What attention refuses of a block layout, and a gradient that has another.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
!k = tensor<1x2x8x4xf32, #nn.layout<[1] [2] [8] [4]>>
func.func @attention_c9_lengths(%q: !q, %k: !k) {
  // expected-error@below {{attention has a wrong block layout: a block layout is of as many queries as keys, but there are 4 and 8}}
  %0 = nn.attention %q, %k, %k {scale = 0.5 : f64, block_layout = {kind = "dense", block = 2 : i64, per_head = false}} : (!q, !k, !k) -> !q
  return
}

// -----

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_c9_size(%q: !q) {
  // expected-error@below {{attention has a wrong block layout: bigbird: a sequence of 4 tokens is not a multiple of block = 3}}
  %0 = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "bigbird", block = 3 : i64, global = 1 : i64, key = 0 : i64, per_head = false, random = 0 : i64, unidirectional = false, window = 3 : i64}} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_c9_kind(%q: !q) {
  // expected-error@below {{attention has a wrong block layout: its block layout has no kind that there is}}
  %0 = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "striped", block = 2 : i64}} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_c9_field(%q: !q) {
  // expected-error@below {{attention has a wrong block layout: its block layout has a field that there is not}}
  %0 = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "dense", block = 2 : i64, blocks = 2 : i64, per_head = false}} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
func.func @attention_c9_type(%q: !q) {
  // expected-error@below {{attention has a wrong block layout: 'block' of its block layout is of a wrong type}}
  %0 = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "dense", block = true, per_head = false}} : (!q, !q, !q) -> !q
  return
}

// -----

!q = tensor<1x2x4x4xf32, #nn.layout<[1] [2] [4] [4]>>
!lse = tensor<1x2x4xf32, #nn.layout<[1] [2] [4]>>
func.func @attention_grad_c4(%q: !q) {
  %0, %lse = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "fixed", block = 1 : i64, global = 1 : i64, horizontal = false, local = 4 : i64, patterns = 1 : i64, per_head = false, unidirectional = false}} : (!q, !q, !q) -> (!q, !lse)
  %1:3 = nn.attention_grad %q, %q, %q, %q, %0, %lse {scale = 0.5 : f64, block_layout = {kind = "fixed", block = 1 : i64, global = 1 : i64, horizontal = false, local = 4 : i64, patterns = 1 : i64, per_head = false, unidirectional = false}} : (!q, !q, !q, !q, !q, !lse) -> (!q, !q, !q)
  // expected-error@below {{has another block layout than the attention whose lse it reads}}
  %2:3 = nn.attention_grad %q, %q, %q, %q, %0, %lse {scale = 0.5 : f64} : (!q, !q, !q, !q, !q, !lse) -> (!q, !q, !q)
  return
}

// -----

!q = tensor<1x2x8x4xf32, #nn.layout<[1] [2] [8] [4]>>
func.func @a_field_is_missing(%q: !q) -> !q {
  // expected-error@below {{attention has a wrong block layout: its block layout lacks 'per_head'}}
  %0 = nn.attention %q, %q, %q {scale = 0.5 : f64, block_layout = {kind = "dense", block = 2 : i64}} : (!q, !q, !q) -> !q
  return %0 : !q
}
