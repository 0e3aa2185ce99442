// What the types that list rows refuse, and edges that lead to rows which a rank
// does not hold.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

// expected-error@below {{rows that a member holds rise from 0 on, found 2 after 3}}
func.func private @held_c2_order() attributes {a = #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 3, 2] [1, 4])>}

// -----

// expected-error@below {{rows that a member holds rise from 0 on, found -1 first}}
func.func private @held_c2_negative() attributes {a = #nn.layout<[8], h: S(0.0), held(0.0: rows [-1, 3] [1, 4])>}

// -----

// expected-error@below {{rows are listed where they are no intervals}}
func.func private @held_c3() attributes {a = #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 4] [])>}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!rows = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 6] [0, 4, 5, 6, 7])>>
!y = tensor<4xf32, #nn.layout<[edges=4], h: S(0.0)>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @func_c4_edges(%x: !own {nn.name = "x"}) -> !y attributes {buffers = [], outputs = ["y"]} {
    %0 = nn.exchange %x {dim = 0 : i64, before = 4 : i64, after = 3 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !rows
    // expected-error@below {{has an edge at [7] of dim 0 where member 0 makes or reads it, which does not hold that of 'tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 6] [0, 4, 5, 6, 7])>>'}}
    %1 = nn.gather %0 {dim = 0 : i64, indices = array<i64: 6, 7, 0, 4>, owners = array<i64: 0, 1, 4, 5>, owner_extent = 8 : i64} : (!rows) -> !y
    nn.return %1 : !y
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!y = tensor<4xf32, #nn.layout<[edges=4], h: S(0.0)>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @func_c4_edges_own(%y: !y {nn.name = "y"}) -> !own attributes {buffers = [], outputs = ["x"]} {
    // expected-error@below {{has an edge at [6] of dim 0 where member 0 makes or reads it, which does not hold that of 'tensor<8xf32, #nn.layout<[8], h: S(0.0)>>'}}
    %0 = nn.scatter_sum %y {dim = 0 : i64, indices = array<i64: 6, 7, 0, 4>, owners = array<i64: 0, 1, 4, 5>, owner_extent = 8 : i64} : (!y) -> !own
    nn.return %0 : !own
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!rows = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 3, 6] [0, 4, 5, 6, 7])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @func_c4_rows(%x: !own {nn.name = "x"}) -> !own attributes {buffers = [], outputs = ["x"]} {
    // expected-error@below {{has a member 0 that holds rows of factor 0.0 which are not of [0:8], or without [0:4], which it owns, of 'tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 3, 6] [0, 4, 5, 6, 7])>>'}}
    %0 = nn.exchange %x {dim = 0 : i64, before = 4 : i64, after = 3 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !rows
    nn.return %x : !own
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!rows = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 6])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @func_c4_members(%x: !own {nn.name = "x"}) -> !own attributes {buffers = [], outputs = ["x"]} {
    // expected-error@below {{has 2 members that own parts of factor 0.0, and 1 that hold something, of 'tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: rows [0, 1, 2, 3, 6])>>'}}
    %0 = nn.exchange %x {dim = 0 : i64, before = 4 : i64, after = 3 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !rows
    nn.return %x : !own
  }
}
