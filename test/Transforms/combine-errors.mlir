// RUN: hocket-opt %s --hocket-combine -verify-diagnostics

!v = tensor<4xf32, #nn.layout<[rows=4]>>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @class0(%a: !v) -> !v attributes {spmd.ranks = array<i64: 0>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (!v) -> !v
    return %s : !v
  }
  // expected-error @+1 {{has 0 collectives, another class 1}}
  func.func @class1(%a: !v) -> !v attributes {spmd.ranks = array<i64: 1>} {
    return %a : !v
  }
}
