// RUN: hocket-opt %s -split-input-file -verify-diagnostics

#twice = {name = "twice", inputs = [{name = "x", element = f32, dims = ["rows"]}], results = [{element = f32, dims = ["rows"]}], split = ["rows"]}
func.func @operands(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{hook 'twice' takes 1 tensors, but gets 2}}
  nn.hook %0, %0 {hook = #twice} : (tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

#twice = {name = "twice", inputs = [{name = "x", element = f32, dims = ["rows"]}], results = [{element = f32, dims = ["rows"]}], split = ["rows"]}
func.func @result(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{gives 1 tensors of other shapes than its results}}
  nn.hook %0 {hook = #twice} : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<3xf32, #nn.layout<[3]>>
  return
}
