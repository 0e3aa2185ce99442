// RUN: hocket-opt %s --hocket-combine -verify-diagnostics

!v = tensor<4xf32, #nn.layout<[rows=4]>>
module {
  nn.placement "s" <dp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @class0(%a: !v {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0>} {
    %s = spmd.all_reduce sum %a over ["dp"] {id = 0 : i64} : (!v) -> !v
    nn.return %s : !v
  }
  // expected-error @+1 {{has 0 collectives, another class 1}}
  spmd.func @class1(%a: !v {nn.name = "a", spmd.cuts = #spmd.box<<[rows=4]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[rows=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 1>} {
    nn.return %a : !v
  }
}
