// What the function of a class lacks, or what its ranks don't have of its boxes,
// is refused.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

!t = tensor<4xf32, #nn.layout<[4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // expected-error @+1 {{'spmd.func' op requires attribute 'ranks'}}
  spmd.func @no_ranks() {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op expects the ranks of a class, ascending, found []}}
  spmd.func @of_nobody() attributes {ranks = array<i64>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op expects the ranks of a class, ascending, found [1, 0]}}
  spmd.func @descending() attributes {ranks = array<i64: 1, 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op expects the ranks of a class, ascending, found [-1]}}
  spmd.func @negative() attributes {ranks = array<i64: -1>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op lacks the attribute 'nn.name' of argument 0, or has it of another kind}}
  spmd.func @input_without_name(%x: !t {spmd.cuts = #spmd.box<<[4]>>}) attributes {ranks = array<i64: 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op lacks the attribute 'spmd.cuts' of argument 0, or has it of another kind}}
  spmd.func @input_without_box(%x: !t {nn.name = "x"}) attributes {ranks = array<i64: 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op lacks the attribute 'nn.name' of result 0, or has it of another kind}}
  spmd.func @output_without_name(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!t {spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = []}) attributes {ranks = array<i64: 0>} {
    nn.return %x : !t
  }
  // expected-error @+1 {{'spmd.func' op lacks the attribute 'spmd.cuts' of result 0, or has it of another kind}}
  spmd.func @output_without_box(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!t {nn.name = "y", spmd.replicated_over = []}) attributes {ranks = array<i64: 0>} {
    nn.return %x : !t
  }
  // expected-error @+1 {{'spmd.func' op lacks the attribute 'spmd.replicated_over' of result 0, or has it of another kind}}
  spmd.func @output_not_replicated(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!t {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>}) attributes {ranks = array<i64: 0>} {
    nn.return %x : !t
  }
  // expected-error @+1 {{'spmd.func' op has result 0 replicated over 'dp', which is no axis of #nn.mesh<tp=2>}}
  spmd.func @over_no_axis(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!t {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = ["dp"]})
      attributes {ranks = array<i64: 0>} {
    nn.return %x : !t
  }
  // expected-error @+1 {{'spmd.func' op has 4 of factor 0.0, of which its box has all 5}}
  spmd.func @part_of_whole(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[5]>>}) attributes {ranks = array<i64: 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op shares add up to 8 of 9}}
  spmd.func @not_filled(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[9]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>})
      attributes {ranks = array<i64: 0, 1>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op has 4 of factor 0.0, of which its box has 3}}
  spmd.func @another_share(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[7]>, <0, 0, offset = <tp: [0, 4]>, size = <tp: [4, 3]>>>})
      attributes {ranks = array<i64: 0, 1>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op has argument 0 of 'tensor<4xf32>', which is neither a tensor with a layout nor memory}}
  spmd.func @without_layout(%x: tensor<4xf32> {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      attributes {ranks = array<i64: 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op has 4 elements, of which its box has 5}}
  spmd.func @small_buffer(%x: !buffers.input<f32 [4] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[5]>>})
      attributes {ranks = array<i64: 0>} {
    nn.return
  }
  // expected-error @+1 {{'spmd.func' op has 4 elements, of which its box has 5}}
  spmd.func @small_view(%x: !buffers.input<f32 [4] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!buffers.view<f32 [2, 2] by [2, 1]> {nn.name = "y", spmd.cuts = #spmd.box<<[5]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0>} {
    %y = buffers.view %x at 0 : !buffers.input<f32 [4] by [1]> -> !buffers.view<f32 [2, 2] by [2, 1]>
    nn.return %y : !buffers.view<f32 [2, 2] by [2, 1]>
  }
  spmd.func @returns_nothing(%x: !t {nn.name = "x", spmd.cuts = #spmd.box<<[4]>>})
      -> (!t {nn.name = "y", spmd.cuts = #spmd.box<<[4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0>} {
    // expected-error @+1 {{'nn.return' op returns () from a function of ('tensor<4xf32, #nn.layout<[4]>>')}}
    nn.return
  }
}
