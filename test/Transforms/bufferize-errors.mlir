// What edits of a function on buffers may not leave behind.
// RUN: hocket-opt %s -split-input-file --hocket-check-buffers -verify-diagnostics

!v = !buffers.view<f32 [8] by [1]>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // expected-error @+1 {{argument 0 is no !buffers.input}}
  spmd.func @no_input(%x: tensor<8xf32, #nn.layout<[n=8]>> {nn.name = "x", spmd.cuts = #spmd.box<<[n=8]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  // expected-error @+1 {{has argument 0 of sizes [2, 4], of which its box has [4, 2]}}
  spmd.func @input_of_another_shape(%x: !buffers.input<f32 [2, 4] by [4, 1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=4] [m=2]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @outside_on_a_rank(%b: !buffers.input<f32 [8] by [1]> {nn.name = "b", spmd.cuts = #spmd.box<<[n=8]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-error @+1 {{is [8, 12) of a buffer of 8 elements on rank 1}}
    %v = buffers.view %b at 4 + [#buffers.term<<tp: [0, 1]> * 4>] : !buffers.input<f32 [8] by [1]> -> !buffers.view<f32 [4] by [1]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @state_of_other_size() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{has 8 elements, rank 0 holds 4}}
    %s = buffers.state "s" {cuts = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>} : !buffers.buffer<f32 [8]>
    buffers.loaded
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @loaded_twice() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-error @+1 {{is loaded twice}}
    buffers.loaded
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @never_loaded() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{nothing says where loading ends}}
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @a_tensor() attributes {ranks = array<i64: 0, 1>} {
    // expected-error @+1 {{'nn.iota' does not belong among buffers}}
    %i = nn.iota {dim = 0 : i64} : () -> tensor<8xf32, #nn.layout<[8]>>
    buffers.loaded
    nn.return
  }
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @shifted(%x: !buffers.input<f32 [8] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=8]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer arena : !buffers.buffer<f32 [9]>
    %v = buffers.view %a at 0 : !buffers.buffer<f32 [9]> -> !v
    %w = buffers.view %a at 1 : !buffers.buffer<f32 [9]> -> !v
    buffers.fill %v with 0.0 : !v
    // expected-error @+1 {{result 0 is not where it is computed in place of operand 0}}
    buffers.compute ins(%v : !v) outs(%w : !v) in_place [0, 0] {
    ^bb0(%t: !t):
      %k = spmd.kernel(%t) : (!t) -> !t {
      ^bb0(%y: !t):
        %e = nn.unary exp %y : (!t) -> !t
        spmd.yield %e : !t
      }
      buffers.yield %k : !t
    }
    buffers.release %a : !buffers.buffer<f32 [9]>
    nn.return
  }
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
!h = tensor<6xf32, #nn.layout<[6]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @beside_the_middle(%x: !buffers.input<f32 [8] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=8]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer arena : !buffers.buffer<f32 [6]>
    %v = buffers.view %a at 2 : !buffers.buffer<f32 [6]> -> !buffers.view<f32 [4] by [1]>
    %w = buffers.view %a at 0 : !buffers.buffer<f32 [6]> -> !buffers.view<f32 [6] by [1]>
    buffers.fill %v with 0.0 : !buffers.view<f32 [4] by [1]>
    // expected-error @+1 {{result 0 is not where it is computed in place of operand 0}}
    buffers.compute ins(%v : !buffers.view<f32 [4] by [1]>) outs(%w : !buffers.view<f32 [6] by [1]>) in_place [0, 0] {
    ^bb0(%t: !t):
      %k = spmd.halo_exchange %t over ["tp"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>, heldOffsets = #spmd.table<tp: [-1, 3]>, heldSizes = #spmd.table<6>, extent = 8 : i64, border = #nn.border<zero>} : (!t) -> !h
      buffers.yield %k : !h
    }
    buffers.release %a : !buffers.buffer<f32 [6]>
    nn.return
  }
}
