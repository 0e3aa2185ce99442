// What edits of lives in a function on buffers may not leave behind.
// RUN: hocket-opt %s -split-input-file --hocket-check-buffers -verify-diagnostics

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @late_weights() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-error @+1 {{weights are not made in a step}}
    %w = buffers.buffer weights : !buffers.buffer<f32 [8]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @changed_weights() attributes {ranks = array<i64: 0, 1>} {
    %w = buffers.buffer weights : !buffers.buffer<f32 [8]>
    %v = buffers.view %w at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [8] by [1]>
    buffers.loaded
    // expected-error @+1 {{writes to weights in a step}}
    buffers.fill %v with 0.0 : !buffers.view<f32 [8] by [1]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @late_pack() attributes {ranks = array<i64: 0, 1>} {
    %w = buffers.buffer weights : !buffers.buffer<f32 [8]>
    %v = buffers.view %w at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [2, 4] by [4, 1]>
    buffers.loaded
    // expected-error @+1 {{weights are not packed in a step}}
    %p = buffers.pack %v for 8 rows : !buffers.view<f32 [2, 4] by [4, 1]> -> !buffers.pack<f32 [2, 4]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @changed_input(%x: !buffers.input<f32 [8] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=8]>>})
      attributes {ranks = array<i64: 0, 1>} {
    %v = buffers.view %x at 0 : !buffers.input<f32 [8] by [1]> -> !buffers.view<f32 [8] by [1]>
    buffers.loaded
    // expected-error @+1 {{writes to an input}}
    buffers.fill %v with 0.0 : !buffers.view<f32 [8] by [1]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @unwritten() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer arena : !buffers.buffer<f32 [8]>
    %b = buffers.buffer arena : !buffers.buffer<f32 [8]>
    %v = buffers.view %a at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [8] by [1]>
    %w = buffers.view %b at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [8] by [1]>
    // expected-error @+1 {{reads a buffer that nothing has written}}
    buffers.copy %v to %w : !buffers.view<f32 [8] by [1]>, !buffers.view<f32 [8] by [1]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @released_too_early() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-note @+1 {{this one}}
    %a = buffers.buffer arena : !buffers.buffer<f32 [8]>
    %v = buffers.view %a at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [8] by [1]>
    buffers.release %a : !buffers.buffer<f32 [8]>
    // expected-error @+1 {{uses a buffer that was released}}
    buffers.fill %v with 0.0 : !buffers.view<f32 [8] by [1]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @released_twice() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer arena : !buffers.buffer<f32 [8]>
    buffers.release %a : !buffers.buffer<f32 [8]>
    // expected-error @+1 {{releases a buffer a second time}}
    buffers.release %a : !buffers.buffer<f32 [8]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @released_weights() attributes {ranks = array<i64: 0, 1>} {
    %x = buffers.buffer weights : !buffers.buffer<f32 [8]>
    buffers.loaded
    // expected-error @+1 {{releases what is not of the arena}}
    buffers.release %x : !buffers.buffer<f32 [8]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @from_load_to_step() attributes {ranks = array<i64: 0, 1>} {
    // expected-note @+1 {{this one}}
    %a = buffers.buffer arena : !buffers.buffer<f32 [8]>
    // expected-error @+1 {{a buffer of the arena is not released before}}
    buffers.loaded
    buffers.release %a : !buffers.buffer<f32 [8]>
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @never_released() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-note @+1 {{this one}}
    %a = buffers.buffer arena : !buffers.buffer<f32 [8]>
    // expected-error @+1 {{a buffer of the arena is not released before}}
    nn.return
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @returns_an_input(%x: !buffers.input<f32 [8] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=8]>>})
      -> (!buffers.view<f32 [8] by [1]> {nn.name = "y", spmd.cuts = #spmd.box<<[n=8]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    %v = buffers.view %x at 0 : !buffers.input<f32 [8] by [1]> -> !buffers.view<f32 [8] by [1]>
    buffers.loaded
    // expected-error @+1 {{a result is not in a buffer for outputs}}
    nn.return %v : !buffers.view<f32 [8] by [1]>
  }
}

// -----

!v = !buffers.view<f32 [8] by [1]>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @returned_twice()
      -> (!v {nn.name = "y0", spmd.cuts = #spmd.box<<[n=8]>>, spmd.replicated_over = []},
          !v {nn.name = "y1", spmd.cuts = #spmd.box<<[n=8]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer output : !buffers.buffer<f32 [8]>
    %v = buffers.view %a at 0 : !buffers.buffer<f32 [8]> -> !v
    buffers.fill %v with 0.0 : !v
    // expected-error @+1 {{two results are in one buffer}}
    nn.return %v, %v : !v, !v
  }
}

// -----

module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @not_returned() attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    // expected-error @+1 {{a buffer for an output is not returned}}
    %a = buffers.buffer output : !buffers.buffer<f32 [8]>
    nn.return
  }
}

// -----

!t = tensor<4xf32, #nn.layout<[4]>>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @waits_never(%x: !buffers.input<f32 [4] by [1]> {nn.name = "x", spmd.cuts = #spmd.box<<[n=4]>>})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer arena : !buffers.buffer<f32 [4]>
    %v = buffers.view %x at 0 : !buffers.input<f32 [4] by [1]> -> !buffers.view<f32 [4] by [1]>
    %w = buffers.view %a at 0 : !buffers.buffer<f32 [4]> -> !buffers.view<f32 [4] by [1]>
    // expected-error @+1 {{what is started is not waited for once}}
    %s = buffers.compute ins(%v : !buffers.view<f32 [4] by [1]>) outs(%w : !buffers.view<f32 [4] by [1]>) starts !buffers.started {
    ^bb0(%t: !t):
      %k = spmd.halo_exchange %t over ["tp"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, isStarted, offsets = #spmd.table<tp: [0, 4]>, sizes = #spmd.table<4>, heldOffsets = #spmd.table<tp: [0, 4]>, heldSizes = #spmd.table<4>, extent = 8 : i64, border = #nn.border<zero>} : (!t) -> !t
      buffers.yield %k : !t
    }
    buffers.release %a : !buffers.buffer<f32 [4]>
    nn.return
  }
}

// -----

!t = !buffers.view<f32 [4] by [1]>
module {
  nn.placement "s" <tp=2> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @returns_a_part() -> (!t {nn.name = "y", spmd.cuts = #spmd.box<<[n=4]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0, 1>} {
    buffers.loaded
    %a = buffers.buffer output : !buffers.buffer<f32 [8]>
    %v = buffers.view %a at 0 : !buffers.buffer<f32 [8]> -> !t
    buffers.fill %v with 0.0 : !t
    // expected-error @+1 {{a result does not fill its buffer}}
    nn.return %v : !t
  }
}
