// What cannot be partitioned is said at the operation.
// RUN: hocket-opt %s -split-input-file --hocket-partition -verify-diagnostics

// expected-error @+1 {{a module of placed functions has an nn.placement}}
module {
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

// expected-error @+1 {{expected a placed function}}
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward() attributes {buffers = [], outputs = []} { nn.return }
  // expected-error @+1 {{expected one placed function, found @forward and @backward}}
  nn.func @backward() attributes {buffers = [], outputs = []} { nn.return }
}

// -----

!s = tensor<3xf32, #nn.layout<[heads=3], tp: S(0.0 sizes [1, 2])>>
module {
  nn.placement "s" <tp=4> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward() -> !s attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{axis "tp" makes 4 parts, and lists 2 sizes}}
    %w = nn.parameter "w" : !s
    nn.return %w : !s
  }
}

// -----

!p = tensor<3xf32, #nn.layout<[heads=3], tp: P(sum)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !p {nn.name = "x"}) -> !p attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{output 0 is still partial: P(sum) over tp}}
    nn.return %x : !p
  }
}

// -----

!x = tensor<2x6xf32, #nn.layout<[batch=2] [hidden=6], tp: S(1.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{reduces over a dim that is split over "tp", which needs `statistics` over it in the schedule}}
    %y = nn.softmax %x {dim = 1 : i64} : (!x) -> !x
    nn.return %y : !x
  }
}

// -----

// A vocabulary that is cut inside: a rank's rows are not one interval.
!t = tensor<8x4xf32, #nn.layout<[a=2 b=4] [hidden=4], tp: S(0.1)>>
!ids = tensor<5xi32, #nn.layout<[seq=5]>>
!p = tensor<5x4xf32, #nn.layout<[seq=5] [hidden=4], tp: P(sum)>>
!r = tensor<5x4xf32, #nn.layout<[seq=5] [hidden=4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%ids: !ids {nn.name = "ids"}) -> !r
      attributes {buffers = [], outputs = ["output"]} {
    %t = nn.parameter "wte.weight" : !t
    // expected-error @+1 {{needs one interval of dim 0 on each rank}}
    %p = nn.embedding %t, %ids : (!t, !ids) -> !p
    %r = nn.redistribute all_reduce %p over ["tp"] : (!p) -> !r
    nn.return %r : !r
  }
}

// -----

// Query heads 4 4 4 and kv heads 2 1 1: rank 1 has heads 4 to 7 of groups 1 and
// 2, but only kv head 2.
!q = tensor<1x12x4x8xf32, #nn.layout<[b=1] [h=12] [s=4] [d=8], tp: S(1.0)>>
!k = tensor<1x4x4x8xf32, #nn.layout<[b=1] [g=4] [t=4] [d=8], tp: S(1.0)>>
module {
  nn.placement "s" <tp=3> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%q: !q {nn.name = "q"}, %k: !k {nn.name = "k"}) -> !q
      attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{query heads [4, 8) of rank 1 need kv heads [1, 3), it has [2, 3); split the kv heads evenly or not at all}}
    %y = nn.attention %q, %k, %k {scale = 0.5 : f64} : (!q, !k, !k) -> !q
    nn.return %y : !q
  }
}

// -----

!s = tensor<8x8xf32, #nn.layout<[a=8] [b=8], p: S(0.0), q: S(1.0)>>
!r = tensor<8x8xf32, #nn.layout<[a=8] [b=8]>>
module {
  nn.placement "s" <p=2, q=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !s {nn.name = "x"}) -> !r attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{moves factors 0.0 and 1.0 at once}}
    %y = nn.redistribute all_gather %x over ["p", "q"] : (!s) -> !r
    nn.return %y : !r
  }
}

// -----

!a = tensor<8x8xf32, #nn.layout<[a=8] [b=8], p: S(0.0), q: S(0.0)>>
!b = tensor<8x8xf32, #nn.layout<[a=8] [b=8], q: S(1.0), p: S(1.0)>>
module {
  nn.placement "s" <p=2, q=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !a {nn.name = "x"}) -> !b attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{takes axes in another order than it found them: ["p", "q"] and ["q", "p"]}}
    %y = nn.redistribute all_to_all %x over ["p", "q"] : (!a) -> !b
    nn.return %y : !b
  }
}

// -----

!x = tensor<4xf32, #nn.layout<[a=4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !x attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{'arith.addf' has no program for one rank}}
    %y = arith.addf %x, %x : !x
    nn.return %y : !x
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // expected-error @+1 {{expected a tensor with a layout, found 'tensor<4xf32>'}}
  nn.func @forward(%x: tensor<4xf32> {nn.name = "x"}) attributes {buffers = [], outputs = []} {
    nn.return
  }
}

// -----

// Rows 1 to 5 of a product that is cut in two: no rank has them.
!x = tensor<6x4xf32, #nn.layout<[a=2 c=3] [b=4], tp: S(0.0)>>
!y = tensor<4x4xf32, #nn.layout<[4] [b=4], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{cannot take [1, 5) of dim 0 of f32[(a 2, c 3), 4] placed S(a) over tp; all_gather it first}}
    %y = nn.slice %x {dim = 0 : i64, start = 1 : i64, size = 4 : i64} : (!x) -> !y
    nn.return %y : !y
  }
}

// -----

!x = tensor<8xf32, #nn.layout<[a=8], tp: S(0.0)>>
!y = tensor<8xf32, #nn.layout<[a=8]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{a rank's part of f32[8] placed S(a) over tp is not its part of the result, placed R}}
    %y = nn.rearrange %x {source = #nn.layout<[8]>, order = [[0]]} : (!x) -> !y
    nn.return %y : !y
  }
}

// -----

// Three elements are no whole number of pairs.
!x = tensor<6xf32, #nn.layout<[a=6], tp: S(0.0)>>
!y = tensor<6xf32, #nn.layout<[b=6], tp: S(0.0)>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @forward(%x: !x {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["output"]} {
    // expected-error @+1 {{the result has not the factors of `order`}}
    %y = nn.rearrange %x {source = #nn.layout<[3 2]>, order = [[0, 1]]} : (!x) -> !y
    nn.return %y : !y
  }
}
