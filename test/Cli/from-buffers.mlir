// Edits of a function on buffers that no instruction can follow: each refused at
// its operation when it is planned.
// RUN: hocket compile %s --from buffers --emit plan -o %t.json
// RUN: sed -e '/%a = /s/view<f32 \[4, 8\] by \[8, 1\]/view<f32 [4, 2, 4] by [8, 1, 2]/' -e 's/ins(%a : !v)/ins(%a : !buffers.view<f32 [4, 2, 4] by [8, 1, 2]>)/' %s > %t.sizes.mlir
// RUN: not hocket compile %t.sizes.mlir --from buffers --emit plan -o %t.json 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: from-buffers.mlir.tmp.sizes.mlir:[[#]]:12: error: 'spmd.kernel' cannot be computed where its operands and results lie: one has sizes [4, 2, 4] and strides [8, 1, 2]
// RUN: sed -e '/%o = /s/\[4, 8\] by \[8, 1\]/[4, 2, 4] by [8, 1, 2]/' -e 's/\((%o, .pack : \)!v/\1!buffers.view<f32 [4, 2, 4] by [8, 1, 2]>/' %s > %t.product.mlir
// RUN: not hocket compile %t.product.mlir --from buffers --emit plan -o %t.json 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: from-buffers.mlir.tmp.product.mlir:[[#]]:12: error: 'nn.linear' cannot be computed where its operands and results lie: one has sizes [4, 2, 4] and strides [8, 1, 2]
// RUN: sed -e 's/nn.unary exp %y : (!t) -> !t/nn.softmax %y {dim = 1 : i64} : (!t) -> !t/' -e 's/outs(%k : !v) {/outs(%a : !v) in_place [0, 0] {/' -e 's/%a = buffers.view %x at 0 : [^>]*>/%a = buffers.view %b at 0 : !buffers.buffer<f32 [32]>/' -e '/^ *%b = buffers.buffer/a\    %z = buffers.view %b at 0 : !buffers.buffer<f32 [32]> -> !v\n    buffers.fill %z with 0.0 : !v' %s > %t.place.mlir
// RUN: not hocket compile %t.place.mlir --from buffers --emit plan -o %t.json 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: from-buffers.mlir.tmp.place.mlir:[[#]]:12: error: cannot be computed in place
// RUN: sed -e 's/spmd.cuts = #spmd.box<<\[4\] \[8\]>>}/spmd.cuts = #spmd.box<<[4] [9]>>}/' %s > %t.box.mlir
// RUN: not hocket compile %t.box.mlir --from buffers --emit plan -o %t.json 2>&1 | FileCheck %s --check-prefix=BOX
// BOX: error: 'spmd.func' op has 32 elements, of which its box has 36

!t = tensor<4x8xf32, #nn.layout<[4] [8]>>
!w = tensor<8x8xf32, #nn.layout<[8] [8]>>
!v = !buffers.view<f32 [4, 8] by [8, 1]>
module {
  nn.model "M" target cpu gradients none {ignore = [], otherArguments = [], precision = {}, prefixes = [], run = {}, seed = 0 : i64, train = {}}
  nn.placement "s" <> {backwardExpectations = [], buckets = [], expectations = [], moves = []}
  spmd.func @class0(%x: !buffers.input<f32 [4, 8] by [8, 1]> {nn.name = "x", spmd.cuts = #spmd.box<<[4] [8]>>})
      -> (!v {nn.name = "y", spmd.cuts = #spmd.box<<[4] [8]>>, spmd.replicated_over = []})
      attributes {ranks = array<i64: 0>} {
    %w = buffers.buffer arena : !buffers.buffer<f32 [64]>
    %wv = buffers.view %w at 0 : !buffers.buffer<f32 [64]> -> !buffers.view<f32 [8, 8] by [8, 1]>
    buffers.compute outs(%wv : !buffers.view<f32 [8, 8] by [8, 1]>) {
      %p = spmd.parameter "w" {box = #spmd.box<<[8] [8]>>, onlyFirstOf = []} : !w
      buffers.yield %p : !w
    }
    %pack = buffers.pack %wv for 4 rows : !buffers.view<f32 [8, 8] by [8, 1]> -> !buffers.pack<f32 [8, 8]>
    buffers.release %w : !buffers.buffer<f32 [64]>
    buffers.loaded
    %b = buffers.buffer arena : !buffers.buffer<f32 [32]>
    %a = buffers.view %x at 0 : !buffers.input<f32 [4, 8] by [8, 1]> -> !buffers.view<f32 [4, 8] by [8, 1]>
    %k = buffers.view %b at 0 : !buffers.buffer<f32 [32]> -> !v
    buffers.compute ins(%a : !v) outs(%k : !v) {
    ^bb0(%t: !t):
      %r = spmd.kernel(%t) : (!t) -> !t {
      ^bb0(%y: !t):
        %e = nn.unary exp %y : (!t) -> !t
        spmd.yield %e : !t
      }
      buffers.yield %r : !t
    }
    %out = buffers.buffer output : !buffers.buffer<f32 [32]>
    %o = buffers.view %b at 0 : !buffers.buffer<f32 [32]> -> !buffers.view<f32 [4, 8] by [8, 1]>
    %y = buffers.view %out at 0 : !buffers.buffer<f32 [32]> -> !v
    buffers.compute ins(%o, %pack : !v, !buffers.pack<f32 [8, 8]>) outs(%y : !v) {
    ^bb0(%t: !t, %p: !w):
      %r = nn.linear %t, %p : (!t, !w) -> !t
      buffers.yield %r : !t
    }
    buffers.release %b : !buffers.buffer<f32 [32]>
    nn.return %y : !v
  }
}
