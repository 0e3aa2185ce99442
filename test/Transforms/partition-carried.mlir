// Margins that attention reads and that were exchanged before: all from the
// exchange on to it, and back, has to be computed in margins.
// RUN: hocket-opt %s --split-input-file --hocket-partition --verify-diagnostics

!t = tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
module {
  nn.placement "s" <s=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%q: !t {nn.name = "q"}, %k: !t {nn.name = "k"}) -> !t
      attributes {buffers = [], outputs = ["output"]} {
    // expected-error@+1 {{not supported yet: margins of what its keys and values are made of; leave out `from`}}
    %y = nn.attention %q, %k, %k {after = 1 : i64, before = 1 : i64, scale = 1.0 : f64, nn.halo_from, nn.halos = 1 : i64}
        : (!t, !t, !t) -> !t
    nn.return %y : !t
  }
}

// -----

!t = tensor<1x1x4x2xf32, #nn.layout<[1] [1] [4] [2], s: S(2.0)>>
!lse = tensor<1x1x4xf32, #nn.layout<[1] [1] [4], s: S(2.0)>>
module {
  nn.placement "s" <s=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(
      %q: !t {nn.name = "q"},
      %x: !t {nn.name = "x"},
      %dy: !t {nn.name = "dy"},
      %lse: !lse {nn.name = "lse"})
      -> (!t, !t, !t)
      attributes {buffers = [], outputs = ["output0", "output1", "output2"]} {
    %k = nn.exchange %x {dim = 2 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors"} : (!t) -> !t
    %dq, %dk, %dv = nn.attention_grad %q, %k, %k, %dy, %dy, %lse {after = 1 : i64, before = 1 : i64, scale = 1.0 : f64, nn.halo_from, nn.halos = 1 : i64}
        : (!t, !t, !t, !t, !t, !lse) -> (!t, !t, !t)
    // expected-error@+1 {{not supported yet: a gradient of what attention reads in margins is read here, before it is added up; leave out `from`}}
    nn.return %dq, %dk, %dv : !t, !t, !t
  }
}
