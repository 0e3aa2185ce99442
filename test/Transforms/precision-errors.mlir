// What --hocket-precision does not take.
// RUN: hocket-opt %s -split-input-file --hocket-precision -verify-diagnostics

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
// expected-error@below {{expected {compute = bf16 or f16, reduce = f32 or the same} in nn.precision, found {compute = f64, reduce = f32}}}
module attributes {nn.mesh = #nn.mesh<>, nn.precision = {compute = f64, reduce = f32}} {
func.func @forward(%x: !x) -> !x {
  return %x : !x
}
}

// -----

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
// expected-error@below {{expected {compute = bf16 or f16, reduce = f32 or the same} in nn.precision, found {compute = bf16, reduce = f16}}}
module attributes {nn.mesh = #nn.mesh<>, nn.precision = {compute = bf16, reduce = f16}} {
func.func @forward(%x: !x) -> !x {
  return %x : !x
}
}

// -----

!x = tensor<4xf32, #nn.layout<[hidden=4]>>
// expected-error@below {{a precision is given to a placed module with one function}}
module attributes {nn.precision = {compute = bf16, reduce = f32}} {
func.func @forward(%x: !x) -> !x {
  return %x : !x
}
}
