// What states and assignments refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

func.func @state_c1_parameter() {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.state' op 'w' has the name of a parameter}}
  nn.state "w" {init = 0.0 : f64} : tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @state_c1_state() {
  // expected-error@below {{'nn.state' op 'm' has the name of a state}}
  nn.state "m" {init = 0.0 : f64} : tensor<4xf32, #nn.layout<[4]>>
  nn.state "m" {init = 0.0 : f64} : tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @assign_c1(%x: tensor<4xf32, #nn.layout<[4]>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.assign' op to 'v', which is no parameter and no state}}
  nn.assign "v" %x : tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @assign_c2_sizes(%x: tensor<5xf32, #nn.layout<[5]>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.assign' op to 'w', which is f32[4], of f32[5]}}
  nn.assign "w" %x : tensor<5xf32, #nn.layout<[5]>>
  return
}

// -----

func.func @assign_c2_elements(%x: tensor<4xbf16, #nn.layout<[4]>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.assign' op to 'w', which is f32[4], of bf16[4]}}
  nn.assign "w" %x : tensor<4xbf16, #nn.layout<[4]>>
  return
}

// -----

func.func @assign_c2_placement(%x: tensor<4xf32, #nn.layout<[4], tp: P(sum)>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4], dp: S(0.0)>>
  // expected-error@below {{'nn.assign' op to 'w', which is placed S(dim 0) over dp, of a value placed P(sum) over tp}}
  nn.assign "w" %x : tensor<4xf32, #nn.layout<[4], tp: P(sum)>>
  return
}

// -----

func.func @assign_c3(%x: tensor<4xf32, #nn.layout<[4]>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  nn.assign "w" %x : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.assign' op to 'w', which is assigned already}}
  nn.assign "w" %x : tensor<4xf32, #nn.layout<[4]>>
  return
}

// -----

func.func @assign_c4(%x: tensor<4xf32, #nn.layout<[4]>>) {
  nn.parameter "w" : tensor<4xf32, #nn.layout<[4]>>
  // expected-error@below {{'nn.assign' op to 'w' stands before 'nn.unary'; assignments stand at the end}}
  nn.assign "w" %x : tensor<4xf32, #nn.layout<[4]>>
  nn.unary neg %x : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
  return
}
