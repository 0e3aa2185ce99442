// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!x = tensor<4x2xf32, #nn.layout<[nodes=4] [c=2]>>
!y = tensor<3x2xf32, #nn.layout<[edges=3] [c=2]>>
func.func @dim(%x: !x) -> !y { // nn.gather (C1)
  // expected-error@below {{gather reads along dim 2 of f32[4, 2]}}
  %y = nn.gather %x {dim = 2 : i64, indices = array<i64: 0, 1, 2>, owners = array<i64>, owner_extent = 0 : i64} : (!x) -> !y
  return %y : !y
}
// -----

!x = tensor<4x2xf32, #nn.layout<[nodes=4] [c=2]>>
!y = tensor<3x2xf32, #nn.layout<[edges=3] [c=2]>>
func.func @indices(%x: !x) -> !y { // nn.gather (C2)
  // expected-error@below {{gather names nodes in [0, 4), of dim 0 of f32[4, 2]}}
  %y = nn.gather %x {dim = 0 : i64, indices = array<i64: 0, 4, 2>, owners = array<i64>, owner_extent = 0 : i64} : (!x) -> !y
  return %y : !y
}
// -----

!x = tensor<4x2xf32, #nn.layout<[nodes=4] [c=2]>>
!y = tensor<3x2xf32, #nn.layout<[edges=3] [c=2]>>
func.func @owners(%x: !x) -> !y { // nn.gather (C3)
  // expected-error@below {{gather takes an owner in [0, owner_extent) for each of the 3 edges}}
  %y = nn.gather %x {dim = 0 : i64, indices = array<i64: 0, 1, 2>, owners = array<i64: 0, 1>, owner_extent = 4 : i64} : (!x) -> !y
  return %y : !y
}
// -----

!x = tensor<4x2xf32, #nn.layout<[nodes=4] [c=2]>>
!y = tensor<2x2xf32, #nn.layout<[edges=2] [c=2]>>
func.func @edges(%y: !y) -> !x { // nn.scatter_sum (C1)
  // expected-error@below {{adds edges of f32[3, 2], but y is f32[2, 2]}}
  %x = nn.scatter_sum %y {dim = 0 : i64, indices = array<i64: 0, 1, 2>, owners = array<i64>, owner_extent = 0 : i64} : (!y) -> !x
  return %x : !x
}
// -----

!x = tensor<4x2xf32, #nn.layout<[nodes=4] [c=2]>>
!y = tensor<3x2xf32, #nn.layout<[edges=3] [c=2]>>
!z = tensor<5x2xf32, #nn.layout<[nodes=5] [c=2]>>
func.func @like(%y: !y, %like: !z) -> !x { // nn.scatter_sum (C2)
  // expected-error@below {{makes f32[4, 2], whose nodes are not those of 'like', f32[5, 2]}}
  %x = nn.scatter_sum %y, %like {dim = 0 : i64, indices = array<i64: 0, 1, 2>, owners = array<i64>, owner_extent = 0 : i64} : (!y, !z) -> !x
  return %x : !x
}
