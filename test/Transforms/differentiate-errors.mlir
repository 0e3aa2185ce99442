// What cannot be differentiated or trained as a module.
// RUN: hocket-opt %s -split-input-file --hocket-differentiate --hocket-train -verify-diagnostics

// expected-error @+1 {{nn.gradients is "all" or "parameters", found "some"}}
module attributes {nn.gradients = "some", nn.mesh = #nn.mesh<tp=2>} {
  func.func @forward() { return }
}

// -----

// expected-error @+1 {{the backward is made of a placed module with one function}}
module attributes {nn.gradients = "all", nn.mesh = #nn.mesh<tp=2>} {
  func.func @forward() { return }
  func.func @other() { return }
}

// -----

// expected-error @+1 {{an optimizer is added to a placed module with one function}}
module attributes {nn.train = {}} {
  func.func @forward() { return }
}

// -----

!x = tensor<2x3xf32, #nn.layout<[2] [3]>>
!m = tensor<2xf32, #nn.layout<[2]>>
module attributes {nn.gradients = "all", nn.mesh = #nn.mesh<tp=2>} {
  func.func @forward(%x: !x {nn.name = "x"}) -> !m attributes {nn.outputs = ["mean"]} {
    // expected-error @+1 {{not supported yet: the derivative of a norm's mean and variance}}
    %y:3 = nn.normalize %x {dims = array<i64: 1>, eps = 1.0 : f64} : (!x) -> (!x, !m, !m)
    return %y#1 : !m
  }
}
