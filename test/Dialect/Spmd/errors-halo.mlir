// Margins that no border or no member has.
// RUN: hocket-opt %s -verify-diagnostics

!own = tensor<2xf32, #nn.layout<[rows=2]>>
!held = tensor<4xf32, #nn.layout<[rows=4]>>
module {
  nn.placement "s" <h=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @placed_outside(%x: !own) {
    // expected-error @+1 {{window [3, 5) is not within [0, 4)}}
    %y = spmd.place %x {dim = 0 : i64, factor = 0 : i64, offset = #spmd.table<3>} : (!own) -> !held
    return
  }
  func.func @border_too_short(%x: !own) {
    // expected-error @+1 {{member 0 holds [-5, -1), of [0, 5) a border of reflect shows no more than 4 beyond an end}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-5, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @border_once_around(%x: !own) {
    // expected-error @+1 {{member 1 holds [1, 11), of [0, 5) a border of circular shows no more than 5 beyond an end}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 10]>, extent = 5 : i64, border = #nn.border<circular>} : (!own) -> !held
    return
  }
  func.func @margins_of_nobody(%x: !own) {
    // expected-error @+1 {{no member holds 4 in #spmd.table<h: [3, 5]>}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [3, 5]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @margins_negative(%x: !own) {
    // expected-error @+1 {{member 1 holds -1 positions}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, -1]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @margins_over_other_axes(%x: !own) {
    // expected-error @+1 {{needs tables over its own axes ["h"], found #spmd.table<w: [-1, 1]>}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<w: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @owned_with_a_gap(%x: !own) {
    // expected-error @+1 {{expects shares one after another, member 1 begins at 3 instead of 2}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 3]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @owned_short_of_extent(%x: !own) {
    // expected-error @+1 {{shares add up to 5 of 6}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 6 : i64, border = #nn.border<reflect>} : (!own) -> !held
    return
  }
  func.func @a_dim_for_one_of_two(%x: !own) {
    // expected-error @+1 {{needs a dim and a factor for each of its 2 operands, found 1 and 1}}
    %y, %z = spmd.halo_exchange %x, %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<reflect>} : (!own, !own) -> (!held, !held)
    return
  }
  func.func @transposed_the_wrong_way(%x: !own) {
    // expected-error @+1 {{no member has a share of 4 in #spmd.table<h: [2, 3]>}}
    %y = spmd.halo_reduce %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<zero>} : (!own) -> !held
    return
  }
  func.func @rows_without_its_own(%x: !own) {
    // expected-error @+1 {{rows of a member are not rising, not of [0, 5), or without what it owns}}
    %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [0, 0]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<zero>, rows = [array<i64: 0, 2, 3, 4>, array<i64: 0, 1, 2, 3, 4>]} : (!own) -> !held
    return
  }
}
