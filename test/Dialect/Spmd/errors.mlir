// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
!int = tensor<8xi32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @different_types(%x: !whole) {
    // expected-error @+1 {{expects equal element types and factor sizes, found 'tensor<8xf32}}
    %a = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64} : (!whole) -> !int
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
!int = tensor<8xi32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @many_of_two_types(%x: !whole, %y: !int) {
    // expected-error @+1 {{expects one element type, found 'tensor<8xf32}}
    %a:2 = spmd.all_reduce_many sum %x, %y over ["tp"] {id = 0 : i64} : (!whole, !int) -> (!whole, !int)
    return
  }
  func.func @many_of_another_shape(%x: !whole) {
    // expected-error @+1 {{expects equal element types and factor sizes, found 'tensor<8xf32}}
    %a = spmd.all_reduce_many sum %x over ["tp"] {id = 0 : i64} : (!whole) -> !half
    return
  }
  func.func @many_without_results(%x: !whole) {
    // expected-error @+1 {{needs as many results as operands, found 1 operands and 0 results}}
    spmd.all_reduce_many sum %x over ["tp"] {id = 0 : i64} : (!whole) -> ()
    return
  }
  func.func @many_without_cuts(%x: !half) {
    // expected-error @+1 {{needs a cut for each of its 1 operands, found 0}}
    %a = spmd.all_gather_many %x over ["tp"] {cuts = [], id = 0 : i64} : (!half) -> !whole
    return
  }
  func.func @many_cut_short(%x: !whole) {
    %a = spmd.reduce_scatter_many sum %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 4]>, size = <tp: [4, 2]>>], id = 0 : i64} : (!whole) -> !half // expected-error {{shares add up to 6 of 8}}
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @unknown_axis(%x: !whole) {
    // expected-error @+1 {{names axis "pp", which #nn.mesh<tp=2> has not}}
    %a = spmd.all_reduce sum %x over ["pp"] {id = 0 : i64} : (!whole) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_axis(%x: !whole) {
    // expected-error @+1 {{needs at least one mesh axis}}
    %a = spmd.all_reduce sum %x over [] {id = 0 : i64} : (!whole) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @axis_twice(%x: !whole) {
    // expected-error @+1 {{lists axis "tp" twice}}
    %a = spmd.all_reduce sum %x over ["tp", "tp"] {id = 0 : i64} : (!whole) -> !whole
    return
  }
}

// -----

!placed = tensor<8xf32, #nn.layout<[seq=8], tp: P(sum)>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @placement_left(%x: !placed) {
    // expected-error @+1 {{works on local tensors, found a placement in}}
    %a = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64} : (!placed) -> !placed
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @gap(%x: !half) {
    // expected-error @+1 {{expects shares one after another, member 1 begins at 5 instead of 4}}
    %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 5]>, sizes = #spmd.table<4>} : (!half) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @too_short(%x: !whole) {
    // expected-error @+1 {{shares add up to 7 of 8}}
    %a = spmd.reduce_scatter sum %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<tp: [4, 3]>} : (!whole) -> !half
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!third = tensor<3xf32, #nn.layout<[seq=3]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @nobodys_share(%x: !third) {
    // expected-error @+1 {{no member has a share of 3 in #spmd.table<4>}}
    %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>} : (!third) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <dp=2, tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @other_axes(%x: !half) {
    // expected-error @+1 {{needs tables over its own axes ["tp"], found #spmd.table<dp: [0, 4]>}}
    %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<dp: [0, 4]>, sizes = #spmd.table<4>} : (!half) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @too_many_values(%x: !half) {
    // expected-error @+1 {{needs 2 values, one for each member, found #spmd.table<tp: [0, 4, 8]>}}
    %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 4, 8]>, sizes = #spmd.table<4>} : (!half) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_such_factor(%x: !half) {
    // expected-error @+1 {{expects equal element types and factor sizes except the factor that is cut}}
    %a = spmd.all_gather %x over ["tp"] {dim = 0 : i64, factor = 1 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>} : (!half) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @one_factor_twice(%x: !whole) {
    // expected-error @+1 {{from and to are the same factor 0.0}}
    %a = spmd.all_to_all %x over ["tp"] {dim = 0 : i64, factor = 0 : i64, id = 0 : i64,
        offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>,
        toDim = 0 : i64, toFactor = 0 : i64,
        toOffsets = #spmd.table<tp: [0, 4]>, toSizes = #spmd.table<4>} : (!whole) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_root(%x: !whole) {
    // expected-error @+1 {{root 2 is not one of the 2 members}}
    %a = spmd.broadcast %x over ["tp"] {id = 0 : i64, root = 2 : i64} : (!whole) -> !whole
    return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @window(%x: !whole) {
    // expected-error @+1 {{window [5, 9) is not within [0, 8)}}
    %a = spmd.slice %x {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<5>} : (!whole) -> !half
    return
  }
}

// -----

// Only coordinates of the class's own ranks are judged: rank 1 reads [6, 10).
!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
module { nn.placement "s" <tp=3> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @fine(%x: !whole {nn.name = "x", spmd.cuts = #spmd.box<<[seq=8]>>}) attributes {ranks = array<i64: 0, 2>} {
    %a = spmd.slice %x {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 6, 4]>} : (!whole) -> !half
    nn.return
  }
  spmd.func @window_of_a_rank(%x: !whole {nn.name = "x", spmd.cuts = #spmd.box<<[seq=8]>>}) attributes {ranks = array<i64: 1>} {
    // expected-error @+1 {{window [6, 10) is not within [0, 8)}}
    %a = spmd.slice %x {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 6, 4]>} : (!whole) -> !half
    nn.return
  }
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
func.func @kernel_arguments(%x: !whole) {
  // expected-error @+1 {{body takes ('tensor<4xf32, #nn.layout<[seq=4]>>'), the inputs are ('tensor<8xf32, #nn.layout<[seq=8]>>')}}
  %a = spmd.kernel(%x) : (!whole) -> !half {
  ^bb0(%b: !half):
    spmd.yield %b : !half
  }
  return
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
!half = tensor<4xf32, #nn.layout<[seq=4]>>
func.func @kernel_results(%x: !whole) {
  // expected-error @+1 {{body yields ('tensor<8xf32, #nn.layout<[seq=8]>>'), the results are ('tensor<4xf32, #nn.layout<[seq=4]>>')}}
  %a = spmd.kernel(%x) : (!whole) -> !half {
  ^bb0(%b: !whole):
    spmd.yield %b : !whole
  }
  return
}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
func.func @kernel_with_collective(%x: !whole) {
  // expected-error @+1 {{cannot hold 'spmd.all_reduce'}}
  %a = spmd.kernel(%x) : (!whole) -> !whole {
  ^bb0(%b: !whole):
    %c = spmd.all_reduce sum %b over ["tp"] {id = 0 : i64} : (!whole) -> !whole
    spmd.yield %c : !whole
  }
  return
}

// -----

// expected-error @+1 {{axis 'tp' is listed twice in a table}}
module attributes {x = #spmd.table<tp, tp: [0, 1]>} {}

// -----

// expected-error @+1 {{no factor 1.0 to cut in}}
module attributes {x = #spmd.box<<[seq=8]>, <1, 0, offset = <0>, size = <4>>>} {}

// -----

// expected-error @+1 {{the layout of a box has no placement, found}}
module attributes {x = #spmd.box<<[seq=8], tp: S(0.0)>>} {}

// -----

!whole = tensor<8xf32, #nn.layout<[seq=8]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_such_dim(%x: !whole) {
    // expected-error @+1 {{cuts factor 2.0, which 'tensor<8xf32, #nn.layout<[seq=8]>>' has not}}
    %a = spmd.slice %x {dim = 2 : i64, factor = 0 : i64, offset = #spmd.table<5>} : (!whole) -> !whole
    return
  }
}

// -----

module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @no_layout(%x: tensor<8xf32>) {
    // expected-error @+1 {{needs tensors with a layout, found 'tensor<8xf32>' and 'tensor<8xf32>'}}
    %a = spmd.all_reduce sum %x over ["tp"] {id = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

// expected-error @+1 {{a table needs at least one value}}
func.func @empty_table() attributes {t = #spmd.table<tp: []>} { return }
