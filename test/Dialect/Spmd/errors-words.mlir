// Words that no border, and no way to move margins, has.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!own = tensor<2xf32, #nn.layout<[rows=2]>>
!held = tensor<4xf32, #nn.layout<[rows=4]>>
func.func @border(%x: !own) {
  // expected-error@below {{expected one of [zero, reflect, replicate, circular] for what stands beyond the ends of a dim, got: mirror}}
  %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<mirror>} : (!own) -> !held
  return
}

// -----

!own = tensor<2xf32, #nn.layout<[rows=2]>>
!held = tensor<4xf32, #nn.layout<[rows=4]>>
func.func @strategy(%x: !own) {
  // expected-error@below {{expected ::hocket::spmd::HaloStrategy to be one of: neighbors, all_to_all}}
  // expected-error@below {{failed to parse Spmd_HaloStrategyAttr parameter 'value' which is to be a `::hocket::spmd::HaloStrategy`}}
  %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<h: [0, 2]>, sizes = #spmd.table<h: [2, 3]>, heldOffsets = #spmd.table<h: [-1, 1]>, heldSizes = #spmd.table<h: [4, 5]>, extent = 5 : i64, border = #nn.border<zero>, strategy = #spmd.halo_strategy<ring>} : (!own) -> !held
  return
}
