//===- NnOps.td - operations of the nn dialect ----------------------------===//
//
// The operations, by kind. Shape rules, verifiers and placement rules are in
// Ops/<Kind>.cpp, float64 semantics in lib/Reference, lowering in lib/CodeGen.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_OPS
#define HOCKET_NN_OPS

include "dialects/Nn/NnAttrs.td"
include "dialects/Nn/NnInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Any op: one placement rule, one derivative; printed as operands, attributes, types.
class Nn_PlainOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Nn_PlacedOp>,
        DeclareOpInterfaceMethods<Nn_DifferentiableOp>], traits)> {
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

// An op whose result type follows from its operands. Types are compared by
// element type and dim sizes: names, factors and placements are not part of
// shape. The constraints are checked where the type is inferred, so that what
// creates an op hears of a mistake in the same words as the verifier.
class Nn_InferredOp<string mnemonic, list<Trait> traits = []>
    : Nn_PlainOp<mnemonic,
                 !listconcat([InferTypeOpAdaptorWithIsCompatible], traits)> {
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
      return haveSameShapes(a, b);
    }
    LogicalResult $cppClass::verify() { return verifyShapes(*this); }
  }];
}

// A product adds up in f32: of narrower floats its result may be f32 as well,
// without being rounded between.
class Nn_ProductOp<string mnemonic> : Nn_InferredOp<mnemonic> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
      return haveProductShapes(a, b);
    }
    LogicalResult $cppClass::verify() { return verifyShapes(*this); }
  }];
}

//===-- Names and placement ------------------------------------------------===//

def Nn_ValueRole : I32EnumAttr<"ValueRole", "what a path names", [
    I32EnumAttrCase<"Argument", 0, "argument">,
    I32EnumAttrCase<"Result", 1, "result">,
    I32EnumAttrCase<"Binding", 2, "binding">]> {
  let cppNamespace = "::hocket::nn";
  let genSpecializedAttr = 0;
}

def Nn_ValueOp : Nn_PlainOp<"value"> {
  let summary = "a value under a path of the model: the identity";
  let description = [{
    Marks where a path lives: the argument `x` of module `h.0.attn` as its body
    sees it (`h.0.attn.x`), the result of a module as its caller sees it
    (`h.0.attn`), a binding (`h.0.attn.q`). Syncs attach here. The result type
    carries the dim names of the scope that the path belongs to.

    (C1) operand and result have the same element type and factor sizes.
  }];
  let arguments = (ins Nn_Tensor:$x, StrAttr:$path,
                       EnumAttr<Nn_Dialect, Nn_ValueRole, "role">:$role);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$role $path $x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_RedistributeOp : Nn_Op<"redistribute", [Pure]> {
  let summary = "the same value under another placement";
  let description = [{
    What a sync becomes once placed; on whole tensors the identity. `kind` is
    one of `all_reduce` (P -> R), `reduce_scatter` (P -> S), `all_gather`
    (S -> R), `all_to_all` (S -> S of another factor), `slice` (R -> S),
    `broadcast` (R -> R, the bytes of one rank), `mask` (R -> P(sum): counted
    on coordinate 0 only). The types say from what to what.

    (C1) operand and result have the same element type and factor sizes.
    (C2) the placements differ on `axes` as `kind` says and nowhere else.
    (C3) where several axes split one factor, those in `axes` are the inner
    ones: gathering an outer one would move the parts of the inner ones too.
  }];
  let arguments = (ins Nn_Tensor:$x, StrAttr:$kind, StrArrayAttr:$axes,
                       OptionalAttr<I64Attr>:$root);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $kind $x `over` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===-- Sources -------------------------------------------------------------===//

def Nn_ParameterOp : Nn_Op<"parameter", [Pure]> {
  let summary = "a parameter, by its path in the state dict";
  let description = [{
    `init` says what it holds where training begins without weights.
  }];
  let arguments = (ins StrAttr:$path, OptionalAttr<Nn_InitAttr>:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$path attr-dict `:` type($result)";
}

def Nn_StateOp : Nn_Op<"state", [Pure]> {
  let summary = "a tensor that lives from step to step, by its name";
  let description = [{
    Beside the parameters: what an optimizer keeps. It holds `init` before the
    first step, then what the step before has assigned to it.
    (C1) no parameter and no other state has its name.
  }];
  let arguments = (ins StrAttr:$name, F64Attr:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nn_AssignOp : Nn_Op<"assign", [MemoryEffects<[MemWrite]>]> {
  let summary = "what a parameter or state holds after the step";
  let description = [{
    Reads of the name in this step give what it held before.
    (C1) a parameter or state of the function has the name. (C2) x has its
    element type, factor sizes and placement. (C3) a name is assigned once.
    (C4) only assignments and the terminator follow.
  }];
  let arguments = (ins StrAttr:$name, Nn_Tensor:$x);
  let assemblyFormat = "$name $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Nn_FillOp : Nn_PlainOp<"fill"> {
  let summary = "a tensor of one value";
  let arguments = (ins F64Attr:$value);
  let results = (outs Nn_Tensor:$result);
}

def Nn_IotaOp : Nn_PlainOp<"iota"> {
  let summary = "0, 1, 2, ... along a dim";
  let description = [{
    Placed where it is used, or, with `like`, as that tensor is.
    (C1) dim is a dim of the result. (C2) the result has numbers. (C3) `like`
    has the result's dim sizes.
  }];
  let arguments = (ins Optional<Nn_Tensor>:$like, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

//===-- Products and norms -----------------------------------------------------===//

include "dialects/Nn/NnProducts.td"
include "dialects/Nn/NnNorms.td"
include "dialects/Nn/NnWindows.td"
include "dialects/Nn/NnNeighborhood.td"
include "dialects/Nn/NnEdges.td"

//===-- Element-wise ---------------------------------------------------------===//

def Nn_UnaryOp : Nn_InferredOp<"unary"> {
  let summary = "a function of each element";
  let description = [{
    `kind`: gelu (exact), gelu_tanh, silu, relu, sigmoid, tanh, exp, log, sqrt,
    rsqrt, erf, abs, neg, not, sin, cos. `not` takes bools; relu, abs and neg
    take numbers; the others floats.
    (C1) kind is one of these. (C2) x has the elements that it takes.
  }];
  let arguments = (ins Nn_Tensor:$x, StrAttr:$kind);
  let assemblyFormat =
      "$kind $x attr-dict `:` functional-type(operands, results)";
}

def Nn_BinaryOp : Nn_InferredOp<"binary"> {
  let summary = "an operation on pairs of elements, NumPy broadcasting";
  let description = [{
    `kind`: add, sub, mul, div, pow, maximum, minimum, and, or, eq, ne, lt, le,
    gt, ge (comparisons give bool).
    (C1) equal element types. (C2) dims broadcast. (C3) kind is one of these.
    (C4) bools for and, or; any elements for eq, ne; numbers for the others.
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b, StrAttr:$kind);
  let assemblyFormat =
      "$kind $a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Nn_WhereOp : Nn_InferredOp<"where"> {
  let summary = "a where condition, else b; NumPy broadcasting";
  let description = [{
    (C1) condition is bool. (C2) equal element types of a and b. (C3) dims
    broadcast.
  }];
  let arguments = (ins Nn_Tensor:$condition, Nn_Tensor:$a,
                       Nn_Tensor:$b);
}

def Nn_CastOp : Nn_PlainOp<"cast"> {
  let summary = "another element type";
  let description = [{(C1) the dims have the same sizes.}];
  let arguments = (ins Nn_Tensor:$x);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

def Nn_DropoutOp : Nn_InferredOp<"dropout"> {
  let summary = "zeroes elements with probability p in training; else identity";
  let description = [{
    Without `step` the identity. With it an element is kept where its random
    word is at least floor(p 2^32), and then divided by 1 - p. The word is that
    of runtime/include/hocket/Random/Philox.h: it follows from the module's
    `nn.seed` (i64, else 0), `stream` (one for each call in the model), the
    step, and the element's row-major place in the whole tensor, so that every
    placement draws the same.
    ```mlir
    %y = nn.dropout %x, %step {p = 0.1 : f64, stream = 7 : i64} : ...
    ```
    (C1) 0 <= p < 1. (C2) a stream if and only if there is a step. (C3) step is
    an i32 without dims. (C4) x has floats.
  }];
  let arguments = (ins Nn_Tensor:$x, Optional<Nn_Tensor>:$step, F64Attr:$p,
                       OptionalAttr<I64Attr>:$stream);
}

//===-- Reductions ------------------------------------------------------------===//

def Nn_ReduceOp : Nn_InferredOp<"reduce"> {
  let summary = "sum, mean or max over dims";
  let description = [{
    (C1) kind is one of these. (C2) dims are dims of x, each once. (C3) mean
    takes floats, sum and max numbers.
  }];
  let arguments = (ins Nn_Tensor:$x, StrAttr:$kind,
                       DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let assemblyFormat =
      "$kind $x attr-dict `:` functional-type(operands, results)";
}

//===-- Shape ------------------------------------------------------------------===//

def Nn_RearrangeOp : Nn_PlainOp<"rearrange"> {
  let summary = "einops rearrange: factors of the operand in another order";
  let description = [{
    `source` refines the operand's dims into factors, numbered flat; `order`
    lists for each result dim the factors that make it, major first; an empty
    list is a new dim of size 1. Every factor appears exactly once, but factors
    of size 1 may be left out. Transposes and reshapes are rearranges as well.

    ```mlir
    // "b (h d) -> b h d"
    nn.rearrange %x {source = #nn.layout<[b=2] [h=3 d=4]>,
                     order = [[0], [1], [2]]} : ...
    ```
    (C1) source's dim sizes are the operand's. (C2) order lists each factor
    once. (C3) the sizes of the result's dims are the products of the listed
    factors. (C4) equal element types.
  }];
  let arguments = (ins Nn_Tensor:$x,
                       Nn_LayoutAttr:$source,
                       ArrayAttr:$order);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

def Nn_SliceOp : Nn_InferredOp<"slice",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface, ["addsZeros"]>]> {
  let summary = "x[start : start + size] along a dim";
  let description = [{
    (C1) the range lies in the dim. (C2) with `drop` (the dim goes away) size
    is 1.
    A dim of several factors is sliced on its major factor if start and size are
    multiples of the rest (a major factor of size 1 is left out of the result);
    else the result's dim is one anonymous factor.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim, I64Attr:$start,
                       I64Attr:$size,
                       DefaultValuedAttr<BoolAttr, "false">:$drop);
}

def Nn_ConcatOp : Nn_InferredOp<"concat"> {
  let summary = "tensors one after another along a dim";
  let description = [{
    The result's dim is of several factors if those below the major one are
    equal in all operands.
    (C1) there is an operand. (C2) dim is one of its dims. (C3) element types
    and other dims agree.
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$xs, I64Attr:$dim);
}

def Nn_BroadcastOp : Nn_PlainOp<"broadcast"> {
  let summary = "NumPy broadcast to the result's shape";
  let description = [{
    (C1) aligned at the last, each dim of x has the result's size or 1; equal
    element types.
  }];
  let arguments = (ins Nn_Tensor:$x);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

#endif // HOCKET_NN_OPS
