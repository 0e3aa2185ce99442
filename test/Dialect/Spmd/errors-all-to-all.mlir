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
    // expected-error @+1 {{'spmd.all_to_all_many' op leaves a gap: no member has position 5 of [0, 6)}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<1, 0, offset = <tp: [0, 3]>, size = <tp: [3, 2]>>], id = 0 : i64} : (!rows) -> !cols
    return
  }
  func.func @turns_beyond(%x: !rows) {
    // expected-error @+1 {{'spmd.all_to_all_many' op member 1 has [4, 7) of [0, 6)}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<1, 0, offset = <tp: [0, 4]>, size = <3>>], id = 0 : i64} : (!rows) -> !cols
    return
  }
  // Parts may overlap, but each rank has one.
  func.func @turns_other_than_has(%x: !rows) {
    // expected-error @+1 {{'spmd.all_to_all_many' op no member has a share of 3 in #spmd.table<tp: [4, 5]>}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<1, 0, offset = <tp: [0, 1]>, size = <tp: [4, 5]>>], id = 0 : i64} : (!rows) -> !cols
    return
  }
  func.func @turns_in_place(%x: !rows) {
    // expected-error @+1 {{from and to are the same factor 0.0}}
    %a = spmd.all_to_all_many %x over ["tp"] {cuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], toCuts = [#spmd.cut<0, 0, offset = <tp: [0, 2]>, size = <2>>], id = 0 : i64} : (!rows) -> !rows
    return
  }
}
