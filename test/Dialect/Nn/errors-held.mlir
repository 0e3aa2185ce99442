// What the types and operations that say what ranks hold refuse.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics --allow-unregistered-dialect

// expected-error@below {{what a member holds, [5:3], ends before it begins}}
func.func private @held_c1() attributes {a = #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [5:3])>}

// -----

// expected-error@below {{says what ranks hold of factor 0.0, which no axis splits}}
func.func private @layout_c6_whole() attributes {a = #nn.layout<[8], held(0.0: [0:5])>}

// -----

// expected-error@below {{what is held of factor 0.0 is said twice}}
func.func private @layout_c6_twice() attributes {a = #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8]), terms(0.0: [0:5] [3:8])>}

// -----

// expected-error@below {{ranks hold intervals of factor 0.0, whose parts are in an order}}
func.func private @layout_c6_order() attributes {a = #nn.layout<[8], h: S(0.0 zigzag), held(0.0: [0:5] [3:8])>}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf64, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
func.func @hold_c1(%x: !own) {
  // expected-error@below {{changes what is held and nothing else, but x is 'tensor<8xf32, #nn.layout<[8], h: S(0.0)>>' and the result 'tensor<8xf64, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>'}}
  %0 = nn.hold %x : (!own) -> !more
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @hold_c2(%x: !own) {
    // expected-error@below {{of factor 0.0 member 0 has [0:4], which is not all of [0:5]}}
    %0 = nn.hold %x : (!own) -> !more
    return
  }
}

// -----

!copies = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
!terms = tensor<8xf32, #nn.layout<[8], h: S(0.0), terms(0.0: [0:5] [3:8])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @hold_c3_copies(%x: !copies) {
    // expected-error@below {{makes terms of copies of factor 0.0, which would count them twice}}
    %0 = nn.hold %x : (!copies) -> !terms
    return
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!terms = tensor<8xf32, #nn.layout<[8], h: S(0.0), terms(0.0: [0:5] [3:8])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @hold_c3_terms(%x: !terms) {
    // expected-error@below {{takes of factor 0.0 what is to be added up first: terms}}
    %0 = nn.hold %x : (!terms) -> !own
    return
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!terms = tensor<8xf32, #nn.layout<[8], h: S(0.0), terms(0.0: [1:5] [3:8])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @hold_c3_part(%x: !own) {
    // expected-error@below {{of factor 0.0 member 0 has [0:4], which is not in [1:5]}}
    %0 = nn.hold %x : (!own) -> !terms
    return
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5])>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @hold_members(%x: !own) {
    // expected-error@below {{of factor 0.0 2 members have something, and 1 get something}}
    %0 = nn.hold %x : (!own) -> !more
    return
  }
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!other = tensor<8xf32, #nn.layout<[8], w: S(0.0)>>
func.func @exchange_c1(%x: !own) {
  // expected-error@below {{changes what is held and nothing else, but x is 'tensor<8xf32, #nn.layout<[8], h: S(0.0)>>' and the result 'tensor<8xf32, #nn.layout<[8], w: S(0.0)>>'}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !other
  return
}

// -----

!own = tensor<8x8xf32, #nn.layout<[8] [8], h: S(0.0), w: S(1.0)>>
!more = tensor<8x8xf32, #nn.layout<[8] [8], h: S(0.0), w: S(1.0), held(1.0: [0:5] [3:8])>>
func.func @exchange_c1_other(%x: !own) {
  // expected-error@below {{moves margins of dim 0, but another one is held otherwise too}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[4 2], h: S(0.0)>>
func.func @exchange_c2(%x: !own) {
  // expected-error@below {{moves margins of dim 0, which is no dim of one factor}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !own
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
func.func @exchange_c3(%x: !more) {
  // expected-error@below {{takes what ranks own of dim 0, but the type says that they hold other parts}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!more) -> !own
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!terms = tensor<8xf32, #nn.layout<[8], h: S(0.0), terms(0.0: [0:5] [3:8])>>
func.func @exchange_c3_back(%x: !own) {
  // expected-error@below {{gives back what ranks own of dim 0, but the type says that they hold other parts}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false, back = true} : (!own) -> !terms
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!terms = tensor<8xf32, #nn.layout<[8], h: S(0.0), terms(0.0: [0:5] [3:8])>>
func.func @exchange_terms(%x: !own) {
  // expected-error@below {{makes copies, but gives terms}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !terms
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
func.func @exchange_copies(%x: !more) {
  // expected-error@below {{adds up terms, but takes copies}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false, back = true} : (!more) -> !own
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
func.func @exchange_c4(%x: !own) {
  // expected-error@below {{moves by neighbors, all_to_all or all_gather, not pigeons}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "pigeons", border = #nn.border<zero>, overlap = false} : (!own) -> !own
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
func.func @exchange_c5(%x: !own) {
  // expected-error@below {{is for windows of -1 positions before and 2 after their own}}
  %0 = nn.exchange %x {dim = 0 : i64, before = -1 : i64, after = 2 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !own
  return
}

// -----

func.func @exchange_c6() {
  // expected-error@below {{moves margins of 0 values, but has 0 results}}
  nn.exchange {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : () -> ()
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
func.func @exchange_c6_results(%x: !own) {
  // expected-error@below {{moves margins of 2 values, but has 1 results}}
  %0 = nn.exchange %x, %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own, !own) -> !own
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
!less = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [4:8])>>
func.func @exchange_c7(%x: !own) {
  // expected-error@below {{moves at once what is held alike, but value 1 is held otherwise than value 0}}
  %0, %1 = nn.exchange %x, %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own, !own) -> (!more, !less)
  return
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
nn.func @func_c4(%x: !own {nn.name = "x"}) -> !own attributes {buffers = [], outputs = ["y"]} {
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  // expected-error@below {{computes each position of dim 0 by itself, but ranks hold others of 'tensor<8xf32, #nn.layout<[8], h: S(0.0)>>' than of what else it reads or makes}}
  %1 = nn.unary exp %0 : (!more) -> !own
  nn.return %1 : !own
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
!sum = tensor<f32, #nn.layout<h: P(sum)>>
nn.func @func_c4_sum(%x: !own {nn.name = "x"}) -> !sum attributes {buffers = [], outputs = ["y"]} {
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  // expected-error@below {{adds up positions of which several ranks hold copies: each would count more than once}}
  %1 = nn.reduce sum %0 {dims = array<i64: 0>} : (!more) -> !sum
  nn.return %1 : !sum
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
nn.func @func_c4_return(%x: !own {nn.name = "x"}) -> !more attributes {buffers = [], outputs = ["y"]} {
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  // expected-error@below {{takes what ranks own, but holds other parts than these}}
  nn.return %0 : !more
}

// -----

!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), tp: P(sum), held(0.0: [0:5] [3:8])>>
!own = tensor<8xf32, #nn.layout<[8], h: S(0.0), tp: P(sum)>>
!whole = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
nn.func @func_c4_move(%x: !own {nn.name = "x"}) -> !whole attributes {buffers = [], outputs = ["y"]} {
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  // expected-error@below {{moves what is owned, and changes nothing of what is held}}
  %1 = nn.redistribute all_reduce %0 over ["tp"] : (!more) -> !whole
  nn.return %1 : !whole
}

// -----

!own = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
!more = tensor<8xf32, #nn.layout<[8], h: S(0.0), held(0.0: [0:5] [3:8])>>
nn.func @func_c4_draw(%x: !own {nn.name = "x"}) -> !own attributes {buffers = [], outputs = ["y"]} {
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "neighbors", border = #nn.border<zero>, overlap = false} : (!own) -> !more
  // expected-error@below {{takes what ranks own, but holds other parts than these}}
  %1 = nn.dropout %0 {p = 0.1 : f64} : (!more) -> !more
  %2 = nn.hold %1 : (!more) -> !own
  nn.return %2 : !own
}

// -----

!x = tensor<8xf32, #nn.layout<[8], h: S(0.0)>>
func.func @exchange_c8(%x: !x) {
  // expected-error@below {{is computed beside, but by an all_gather, which is waited for}}
  %0 = nn.exchange %x {dim = 0 : i64, before = 1 : i64, after = 1 : i64, strategy = "all_gather", border = #nn.border<zero>, overlap = true} : (!x) -> !x
  return
}

// -----

!x = tensor<1x1x8xf32, #nn.layout<[1] [1] [8], h: S(2.0)>>
!w = tensor<1x1x3xf32, #nn.layout<[1] [1] [3]>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  nn.func @func_c4_windows(%x: !x {nn.name = "x"}, %w: !w {nn.name = "w"}) -> !x attributes {buffers = [], outputs = ["y"]} {
    // expected-error@below {{has windows that reach [-1:5] of dim 2 where member 0 makes or reads them, which holds [0:4] of 'tensor<1x1x8xf32, #nn.layout<[1] [1] [8], h: S(2.0)>>'}}
    %y = nn.conv %x, %w {strides = array<i64: 1>, dilations = array<i64: 1>, lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<zero>, groups = 1 : i64} : (!x, !w) -> !x
    nn.return %y : !x
  }
}
