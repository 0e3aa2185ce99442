// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!rows = tensor<2x6xf32, #nn.layout<[seq=2] [heads=6]>>
!cols = tensor<4x3xf32, #nn.layout<[seq=4] [heads=3]>>
module { nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @turns_without_cuts(%x: !rows) {
    // expected-error @+1 {{needs a cut for each of its 1 operands, found 0}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [], id = 0 : i64} : (!rows) -> !cols
    return
  }
  func.func @turns_short(%x: !rows) {
    // expected-error @+1 {{shares add up to 5 of 6}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<1, 0, offset = <tp: [0, 3]>, size = <tp: [3, 2]>>], id = 0 : i64} : (!rows) -> !cols
    return
  }
  func.func @turns_in_place(%x: !rows) {
    // expected-error @+1 {{from and to are the same factor 0.0}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], id = 0 : i64} : (!rows) -> !rows
    return
  }
}
