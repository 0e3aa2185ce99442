// RUN: hocket-opt %s --split-input-file --verify-diagnostics

!x = tensor<2xf32, #nn.layout<[2]>>
func.func @c1(%x: !x) {
  // expected-error@below {{dropout takes a probability of at least 0 and less than 1, but it is 1.500000e+00}}
  nn.dropout %x {p = 1.5 : f64} : (!x) -> !x
  return
}

// -----

!x = tensor<2xf32, #nn.layout<[2]>>
func.func @c2_stream(%x: !x) {
  // expected-error@below {{dropout draws from a step and a stream, but it has only a stream; give both or neither}}
  nn.dropout %x {p = 0.5 : f64, stream = 7 : i64} : (!x) -> !x
  return
}

// -----

!x = tensor<2xf32, #nn.layout<[2]>>
!step = tensor<i32, #nn.layout<>>
func.func @c2_step(%x: !x, %step: !step) {
  // expected-error@below {{dropout draws from a step and a stream, but it has only a step; give both or neither}}
  nn.dropout %x, %step {p = 0.5 : f64} : (!x, !step) -> !x
  return
}

// -----

!x = tensor<2xf32, #nn.layout<[2]>>
!step = tensor<1xi32, #nn.layout<[1]>>
func.func @c3_dims(%x: !x, %step: !step) {
  // expected-error@below {{dropout takes a step of no dims of i32, but it is i32[1]}}
  nn.dropout %x, %step {p = 0.5 : f64, stream = 7 : i64} : (!x, !step) -> !x
  return
}

// -----

!x = tensor<2xf32, #nn.layout<[2]>>
!step = tensor<i64, #nn.layout<>>
func.func @c3_type(%x: !x, %step: !step) {
  // expected-error@below {{dropout takes a step of no dims of i32, but it is i64[]}}
  nn.dropout %x, %step {p = 0.5 : f64, stream = 7 : i64} : (!x, !step) -> !x
  return
}

// -----

!x = tensor<2xi32, #nn.layout<[2]>>
func.func @c4(%x: !x) {
  // expected-error@below {{dropout takes floats, but x is i32[2]}}
  nn.dropout %x {p = 0.5 : f64} : (!x) -> !x
  return
}
