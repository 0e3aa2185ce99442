// What cannot be differentiated or trained as a module.
// RUN: hocket-opt %s -split-input-file --hocket-differentiate --hocket-train -verify-diagnostics

module {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'gradients' [none, parameters, all]}}
  nn.model "M" target cpu gradients some {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

// expected-error @+1 {{the backward is made of a placed module with one function}}
module {
  nn.model "M" target cpu gradients all {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
  nn.func @other() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

// expected-error @+1 {{the backward is made of a placed module with one function}}
module {
  nn.model "M" target cpu gradients parameters {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64,
      train = {name = "r", optimizer = "sgd", lr = {kind = "constant", max = 1.0 : f64, min = 0.0 : f64, warmup = 0 : i64, steps = 0 : i64}, decay = 0.0 : f64, undecayed = [], frozen = [], clip = 0.0 : f64, accumulate = 1 : i64, momentum = 0.0 : f64, nesterov = false}}
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

!x = tensor<2x3xf32, #nn.layout<[2] [3]>>
!m = tensor<2xf32, #nn.layout<[2]>>
module {
  nn.model "M" target cpu gradients all {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !m attributes {buffers = [], outputs = ["mean"]} {
    // expected-error @+1 {{not supported yet: the derivative of a norm's mean and variance}}
    %y:3 = nn.normalize %x {dims = array<i64: 1>, eps = 1.0 : f64} : (!x) -> (!x, !m, !m)
    nn.return %y#1 : !m
  }
}
