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
