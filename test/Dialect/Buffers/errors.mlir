// What no operation of the dialect may say.
// RUN: hocket-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{no buffer holds elements of 'i8'}}
func.func private @element(!buffers.buffer<i8 [8]>)

// -----

// expected-error @+1 {{a buffer of -1 elements}}
func.func private @negative(!buffers.buffer<f32 [-1]>)

// -----

// expected-error @+1 {{a view of 2 sizes has 1 strides}}
func.func private @ranks(!buffers.view<f32 [2, 4] by [1]>)

// -----

// expected-error @+1 {{a size or stride of a view is negative}}
func.func private @backwards(!buffers.view<f32 [4] by [-1]>)

// -----

// expected-error @+1 {{no view has elements of 'i8'}}
func.func private @view_element(!buffers.view<i8 [4] by [1]>)

// -----

// expected-error @+1 {{a view of more than 2^63 elements}}
func.func private @large(!buffers.view<f32 [4294967296, 4294967296] by [0, 0]>)

// -----

// expected-error @+1 {{an input of sizes [2, 4] by [5, 1] has gaps}}
func.func private @gaps(!buffers.input<f32 [2, 4] by [5, 1]>)

// -----

// expected-error @+1 {{an input of sizes [2, 4] by [1, 1] has gaps}}
func.func private @twice(!buffers.input<f32 [2, 4] by [1, 1]>)

// -----

func.func @input_outside(%b: !buffers.input<f32 [2, 4] by [1, 2]>) {
  // expected-error @+1 {{'buffers.view' op at 4 does not lie in a buffer of 8 elements}}
  %v = buffers.view %b at 4 : !buffers.input<f32 [2, 4] by [1, 2]> -> !buffers.view<f32 [3] by [2]>
  return
}

// -----

func.func @other_elements(%b: !buffers.buffer<f32 [8]>) {
  // expected-error @+1 {{'buffers.view' op has elements of 'i32', the buffer of 'f32'}}
  %v = buffers.view %b at 0 : !buffers.buffer<f32 [8]> -> !buffers.view<i32 [8] by [1]>
  return
}

// -----

func.func @outside(%b: !buffers.buffer<f32 [8]>) {
  // expected-error @+1 {{'buffers.view' op at 4 does not lie in a buffer of 8 elements}}
  %v = buffers.view %b at 4 : !buffers.buffer<f32 [8]> -> !buffers.view<f32 [3] by [2]>
  return
}

// -----

func.func @copy(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [2, 4] by [4, 1]>) {
  // expected-error @+1 {{'buffers.copy' op copies '!buffers.view<f32 [8] by [1]>' to '!buffers.view<f32 [2, 4] by [4, 1]>'}}
  buffers.copy %a to %b : !buffers.view<f32 [8] by [1]>, !buffers.view<f32 [2, 4] by [4, 1]>
  return
}

// -----

func.func @pack(%w: !buffers.view<f32 [2, 4] by [4, 1]>) {
  // expected-error @+1 {{'buffers.pack' op packs '!buffers.view<f32 [2, 4] by [4, 1]>' as '!buffers.pack<f32 [4, 2]>'}}
  %p = buffers.pack %w for 8 rows : !buffers.view<f32 [2, 4] by [4, 1]> -> !buffers.pack<f32 [4, 2]>
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @no_argument(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op has 1 ins and 1 outs for 0 arguments and 1 results}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
    %y = nn.iota {dim = 0 : i64} : () -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @other_size(%a: !buffers.view<f32 [4] by [1]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op reads 'tensor<8xf32, #nn.layout<[8]>>' from '!buffers.view<f32 [4] by [1]>'}}
  buffers.compute ins(%a : !buffers.view<f32 [4] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @small_place(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [4] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op writes 'tensor<8xf32, #nn.layout<[8]>>' to '!buffers.view<f32 [4] by [1]>'}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [4] by [1]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @repeated(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [8] by [0]>) {
  // expected-error @+1 {{'buffers.compute' op writes to '!buffers.view<f32 [8] by [0]>', which repeats elements}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [0]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @nothing(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op computes nothing}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
  ^bb0(%x: !t):
    buffers.yield %x : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @two(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op cannot hold 'nn.unary'}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    %z = nn.unary log %y : (!t) -> !t
    buffers.yield %z : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @yields_its_argument(%a: !buffers.view<f32 [8] by [1]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op does not yield what it computes}}
  buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %x : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
func.func @half_a_pair(%a: !v, %b: !v) {
  // expected-error @+1 {{'buffers.compute' op has half a pair in `in_place`}}
  buffers.compute ins(%a : !v) outs(%b : !v) in_place [0] {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
func.func @another_buffer(%a: !v, %b: !v) {
  // expected-error @+1 {{'buffers.compute' op computes result 0 in place of operand 0, which lies in another buffer}}
  buffers.compute ins(%a : !v) outs(%b : !v) in_place [0, 0] {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
func.func @overlap(%b: !buffers.buffer<f32 [16]>) {
  %x = buffers.view %b at 0 : !buffers.buffer<f32 [16]> -> !v
  %y = buffers.view %b at 4 : !buffers.buffer<f32 [16]> -> !v
  // expected-error @+1 {{'buffers.compute' op writes result 0 to the buffer of operand 0 and is not in place}}
  buffers.compute ins(%x : !v) outs(%y : !v) {
  ^bb0(%t: !t):
    %e = nn.unary exp %t : (!t) -> !t
    buffers.yield %e : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
func.func @starts_nothing(%a: !v, %b: !v) {
  // expected-error @+1 {{'buffers.compute' op starts what no collective is}}
  %s = buffers.compute ins(%a : !v) outs(%b : !v) starts !buffers.started {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
!v = !buffers.view<f32 [8] by [1]>
module {
  nn.placement "s" <h=1> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  func.func @waits_never(%a: !v, %b: !v) {
    // expected-error @+1 {{'buffers.compute' op begins a collective that nothing can wait for}}
    buffers.compute ins(%a : !v) outs(%b : !v) {
    ^bb0(%x: !t):
      %y = spmd.halo_exchange %x over ["h"] {dims = array<i64: 0>, factors = array<i64: 0>, id = 0 : i64, isStarted, offsets = #spmd.table<0>, sizes = #spmd.table<8>, heldOffsets = #spmd.table<0>, heldSizes = #spmd.table<8>, extent = 8 : i64, border = #nn.border<zero>} : (!t) -> !t
      buffers.yield %y : !t
    }
    return
  }
}

// -----

!t = tensor<8xf32, #nn.layout<[8]>>
func.func @packed_operand(%p: !buffers.pack<f32 [4, 2]>, %b: !buffers.view<f32 [8] by [1]>) {
  // expected-error @+1 {{'buffers.compute' op reads a pack that is not the weight of a product}}
  buffers.compute ins(%p : !buffers.pack<f32 [4, 2]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
  ^bb0(%x: !t):
    %y = nn.unary exp %x : (!t) -> !t
    buffers.yield %y : !t
  }
  return
}

// -----

!t = tensor<4x8xf32, #nn.layout<[4] [8]>>
!w = tensor<8x8xf32, #nn.layout<[8] [8]>>
!v = !buffers.view<f32 [4, 8] by [8, 1]>
func.func @packed_otherwise(%a: !v, %p: !buffers.pack<f32 [4, 16]>, %b: !v) {
  // expected-error @+1 {{'buffers.compute' op multiplies 8 by 8 with '!buffers.pack<f32 [4, 16]>'}}
  buffers.compute ins(%a, %p : !v, !buffers.pack<f32 [4, 16]>) outs(%b : !v) {
  ^bb0(%x: !t, %w: !w):
    %y = nn.linear %x, %w : (!t, !w) -> !t
    buffers.yield %y : !t
  }
  return
}
