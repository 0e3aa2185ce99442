// What --hocket-precision does not take.
// RUN: hocket-opt %s -split-input-file --hocket-precision -verify-diagnostics

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
module {
  // expected-error@below {{'nn.model' op has a precision {compute = bf16 or f16, reduce = f32 or the same}, found {compute = f64, reduce = f32}}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = f64, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  nn.return %x : !x
}
}

// -----

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
module {
  // expected-error@below {{'nn.model' op has a precision {compute = bf16 or f16, reduce = f32 or the same}, found {compute = bf16, reduce = f16}}}
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f16}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  nn.return %x : !x
}
}

// -----

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
// expected-error@below {{a precision is given to a placed module with one function}}
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {compute = bf16, reduce = f32}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
  nn.return %x : !x
}
}
