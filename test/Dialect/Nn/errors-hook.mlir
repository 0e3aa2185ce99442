// RUN: hocket-opt %s -split-input-file -verify-diagnostics

#twice = {name = "twice", file = "twice.cpp", inputs = [{name = "x", element = f32, dims = ["rows"]}], results = [{element = f32, dims = ["rows"]}], split = ["rows"]}
func.func @operands(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{hook 'twice' takes 1 tensors, but gets 2}}
  nn.hook %0, %0 {hook = #twice} : (tensor<2xf32, #nn.layout<[2]>>, tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}

// -----

#twice = {name = "twice", file = "twice.cpp", inputs = [{name = "x", element = f32, dims = ["rows"]}], results = [{element = f32, dims = ["rows"]}], split = ["rows"]}
func.func @result(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{gives 1 tensors of other shapes than its results}}
  nn.hook %0 {hook = #twice} : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<3xf32, #nn.layout<[3]>>
  return
}

// -----

func.func @declaration(%0: tensor<2xf32, #nn.layout<[2]>>) {
  // expected-error@below {{a hook is declared by its name, file, inputs, results and split}}
  nn.hook %0 {hook = {name = "twice"}} : (tensor<2xf32, #nn.layout<[2]>>) -> tensor<2xf32, #nn.layout<[2]>>
  return
}
