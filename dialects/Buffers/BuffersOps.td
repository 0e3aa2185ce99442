//===- BuffersOps.td - operations on buffers and views of them ------------===//

#ifndef HOCKET_BUFFERS_OPS
#define HOCKET_BUFFERS_OPS

include "dialects/Buffers/BuffersTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===-- Memory ------------------------------------------------------------===//

def Buffers_BufferOp : Buffers_Op<"buffer"> {
  let summary = "memory of the arena, of the weights or of an output";
  let description = [{
    `arena` is lent until `buffers.release`, `weights` are filled when loading
    and stay, an `output` is handed to whoever runs the step.
    ```mlir
    %b = buffers.buffer arena : !buffers.buffer<f32 [32]>
    ```
  }];
  let arguments = (ins Buffers_RegionAttr:$region);
  let results = (outs Buffers_BufferType:$buffer);
  let assemblyFormat = "`` $region attr-dict `:` type($buffer)";
}

def Buffers_StateOp : Buffers_Op<"state"> {
  let summary = "memory that keeps a tensor from step to step";
  let description = [{
    A parameter that steps change, or a state of the optimizer.
    ```mlir
    %b = buffers.state "h.0.bias" {cuts = #spmd.box<<[8]>>} : !buffers.buffer<f32 [8]>
    ```
    (C1) the buffer has as many elements as a rank holds by `cuts` (checked
    where the ranks are known).
  }];
  let arguments = (ins StrAttr:$name, Spmd_BoxAttr:$cuts);
  let results = (outs Buffers_BufferType:$buffer);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
}

def Buffers_ViewOp : Buffers_Op<"view", [Pure]> {
  let summary = "elements of a buffer, or of an input, from an offset on";
  let description = [{
    The offset, in elements, is a constant and terms by coordinate.
    ```mlir
    %v = buffers.view %b at 4 : !buffers.buffer<f32 [32]> -> !buffers.view<f32 [4, 2] by [8, 1]>
    %w = buffers.view %b at 0 + [#buffers.term<<tp: [0, 2]> * 8>]
        : !buffers.buffer<f32 [32]> -> !buffers.view<f32 [2, 8] by [8, 1]>
    ```
    (C1) the element type is the buffer's. (C2) without terms the view lies in
    the buffer.
  }];
  let arguments = (ins
      AnyTypeOf<[Buffers_BufferType, Buffers_InputType]>:$buffer,
      I64Attr:$offset,
      OptionalAttr<TypedArrayAttrBase<Buffers_TermAttr, "terms">>:$terms);
  let results = (outs Buffers_ViewType:$view);
  let assemblyFormat = [{
    $buffer `at` $offset (`+` $terms^)? attr-dict `:` type($buffer) `->`
    type($view)
  }];
  let hasVerifier = 1;
}

def Buffers_ReleaseOp : Buffers_Op<"release"> {
  let summary = "the end of the life of a buffer of the arena";
  let arguments = (ins Buffers_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Buffers_LoadedOp : Buffers_Op<"loaded"> {
  let summary = "what stands above runs once, what stands below in each step";
  let assemblyFormat = "attr-dict";
}

//===-- What moves elements -----------------------------------------------===//

def Buffers_CopyOp : Buffers_Op<"copy"> {
  let summary = "target[i] = source[i]";
  let description = [{
    ```mlir
    buffers.copy %a to %b : !buffers.view<f32 [2, 4] by [4, 1]>, !buffers.view<f32 [2, 4] by [1, 2]>
    ```
    (C1) equal element types and sizes.
  }];
  let arguments = (ins Buffers_ViewType:$source, Buffers_ViewType:$target);
  let assemblyFormat =
      "$source `to` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Buffers_FillOp : Buffers_Op<"fill"> {
  let summary = "target[i] = value";
  let arguments = (ins Buffers_ViewType:$target, F64Attr:$value);
  let assemblyFormat = "$target `with` $value attr-dict `:` type($target)";
}

def Buffers_PackOp : Buffers_Op<"pack"> {
  let summary = "packs a matrix of weights for products with `rows` rows";
  let description = [{
    The view is the right operand, [in, out].
    ```mlir
    %p = buffers.pack %w for 64 rows : !buffers.view<f32 [8, 4] by [1, 8]> -> !buffers.pack<f32 [8, 4]>
    ```
    (C1) the view has these two sizes and this element type.
  }];
  let arguments = (ins Buffers_ViewType:$weight, I64Attr:$rows);
  let results = (outs Buffers_PackType:$pack);
  let assemblyFormat = [{
    $weight `for` $rows `rows` attr-dict `:` type($weight) `->` type($pack)
  }];
  let hasVerifier = 1;
}

//===-- What computes -----------------------------------------------------===//

def Buffers_ComputeOp : Buffers_Op<"compute", [
    IsolatedFromAbove, SingleBlock,
    SingleBlockImplicitTerminator<"::hocket::buffers::YieldOp">,
    AttrSizedOperandSegments]> {
  let summary = "an operation on tensors, between views";
  let description = [{
    Reads the arguments of its body from `ins`, in their order, and writes what
    the body yields to `outs`. The body is one operation of the kernels stage,
    or a product with the chain of its epilogue.
    ```mlir
    buffers.compute ins(%a : !buffers.view<f32 [8] by [1]>) outs(%b : !buffers.view<f32 [8] by [1]>) {
    ^bb0(%x: tensor<8xf32, #nn.layout<[8]>>):
      %y = nn.unary exp %x : (tensor<8xf32, #nn.layout<[8]>>) -> tensor<8xf32, #nn.layout<[8]>>
      buffers.yield %y : tensor<8xf32, #nn.layout<[8]>>
    }
    ```
    (C1) an argument for each operand, with as many elements, of its type; a
    pack is the weight of a product. (C2) a yielded value likewise for each of
    `outs`, none with repeated elements. (C3) the body computes: no view, no
    kept value. (C4) a buffer is in `ins` and `outs` only by a pair in
    `in_place` (number of the operand, number of the result), which is of one
    buffer. (C5) `started` is there for a collective that begins here.
  }];
  let arguments = (ins
      Variadic<AnyTypeOf<[Buffers_ViewType, Buffers_PackType]>>:$ins,
      Variadic<Buffers_ViewType>:$outs,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$inPlace);
  let results = (outs Optional<Buffers_StartedType>:$started);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $ins^ `:` type($ins) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)?
    (`in_place` $inPlace^)? (`starts` type($started)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the body computes; its epilogue follows it.
    ::mlir::Operation &getComputed() { return getBody().front().front(); }
    /// The operand that `output` is written to the place of, or -1.
    int64_t getInPlaceOperand(unsigned output);
  }];
}

def Buffers_WaitOp : Buffers_Op<"wait"> {
  let summary = "waits for a collective that has begun";
  let arguments = (ins Buffers_StartedType:$started);
  let assemblyFormat = "$started attr-dict";
}

def Buffers_YieldOp : Buffers_Op<"yield", [Pure, Terminator, ReturnLike,
                                           HasParent<"ComputeOp">]> {
  let summary = "what a compute writes";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, {}); }]>];
}

#endif // HOCKET_BUFFERS_OPS
