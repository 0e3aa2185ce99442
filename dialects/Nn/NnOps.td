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

//===-- Linear algebra ------------------------------------------------------===//

def Nn_LinearOp : Nn_InferredOp<"linear"> {
  let summary = "y[..., o] = sum_i x[..., i] w[o, i] + bias[o]";
  let description = [{
    `transposed`: the weight is stored [in, out] (Conv1D of GPT-2).
    (C1) w has rank 2. (C2) the last dim of x equals the in dim of w.
    (C3) bias has rank 1 and the size of the out dim. (C4) equal element types.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_Tensor:$weight,
                       Optional<Nn_Tensor>:$bias,
                       DefaultValuedAttr<BoolAttr, "false">:$transposed);
}

def Nn_MatMulOp : Nn_InferredOp<"matmul"> {
  let summary = "c[..., m, n] = sum_k a[..., m, k] b[..., k, n]";
  let description = [{
    Leading dims broadcast as in NumPy; rank >= 2 each.
    (C1) contracted dims agree. (C2) leading dims broadcast. (C3) equal types.
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b);
}

def Nn_EmbeddingOp : Nn_InferredOp<"embedding"> {
  let summary = "y[..., :] = table[ids[...], :]";
  let description = [{
    (C1) table has rank 2. (C2) ids are integers. An id outside [0, rows) is an
    error at run time. A table split by rows gives a partial sum.
  }];
  let arguments = (ins Nn_Tensor:$table, Nn_Tensor:$ids);
}

def Nn_EmbeddingGradOp : Nn_PlainOp<"embedding_grad"> {
  let summary = "table[r, :] = sum of dy[..., :] over ids[...] = r";
  let description = [{
    The gradient of an embedding's table. An id that is no row of the result is
    an error at run time.
    (C1) ids are integers. (C2) the result has rank 2. (C3) dy has the dims of
    ids and the result's last. (C4) equal element types.
  }];
  let arguments = (ins Nn_Tensor:$ids, Nn_Tensor:$dy);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

def Nn_AttentionOp : Nn_InferredOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "softmax(scale q k^T + mask) v, by heads";
  let description = [{
    q [b, h, s, d], k [b, g, t, d], v [b, g, t, e], result [b, h, s, e]; h is a
    multiple of g, query head i reads kv head i / (h / g). `keep` [b, t] is
    bool, true where a key may be attended to. `causal`: key j is visible to
    query i if j <= i + t - s. A row that sees nothing is zero.
    With a `step` the weights, [b, h, s, t], are dropped as by nn.dropout with
    p = `dropout`.
    ```mlir
    %y = nn.attention %q, %k, %v, %keep step %n {scale = 0.125 : f64, dropout = 0.1 : f64, stream = 7 : i64} : ...
    ```
    (C1) ranks. (C2) b, d, t agree. (C3) h % g == 0. (C4) equal element types.
    (C5) step and stream as nn.dropout.
  }];
  let arguments = (ins Nn_Tensor:$q, Nn_Tensor:$k,
                       Nn_Tensor:$v, Optional<Nn_Tensor>:$keep,
                       Optional<Nn_Tensor>:$step,
                       DefaultValuedAttr<BoolAttr, "false">:$causal,
                       F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$dropout,
                       OptionalAttr<I64Attr>:$stream);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`,` $keep^)? (`step` $step^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Nn_AttentionGradOp : Nn_PlainOp<"attention_grad",
                                    [AttrSizedOperandSegments]> {
  let summary = "the gradients of attention's q, k and v";
  let description = [{
    `dout` is the gradient of the result of nn.attention with these operands and
    attributes. The weights are computed again from q and k.
    ```mlir
    %dq, %dk, %dv = nn.attention_grad %q, %k, %v, %dout, %keep step %n {scale = 0.125 : f64, ...} : ...
    ```
    (C1) the constraints of attention. (C2) dout has the type of its result.
    (C3) the results have the types of q, k and v.
  }];
  let arguments = (ins Nn_Tensor:$q, Nn_Tensor:$k,
                       Nn_Tensor:$v, Nn_Tensor:$dout,
                       Optional<Nn_Tensor>:$keep, Optional<Nn_Tensor>:$step,
                       DefaultValuedAttr<BoolAttr, "false">:$causal,
                       F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$dropout,
                       OptionalAttr<I64Attr>:$stream);
  let results = (outs Nn_Tensor:$dq, Nn_Tensor:$dk, Nn_Tensor:$dv);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $dout (`,` $keep^)? (`step` $step^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===-- Norms and softmax ---------------------------------------------------===//

def Nn_LayerNormOp : Nn_InferredOp<"layer_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over the last dim";
  let description = [{
    The variance is that of the population (divided by the size).
    (C1) x has floats and at least one dim. (C2) weight and bias have one dim of
    the size of x's last. (C3) equal element types. (C4) eps >= 0.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_Tensor:$weight,
                       Optional<Nn_Tensor>:$bias, F64Attr:$eps);
}

def Nn_RmsNormOp : Nn_InferredOp<"rms_norm"> {
  let summary = "x / sqrt(mean(x^2) + eps) * weight over the last dim";
  let description = [{The constraints of layer_norm.}];
  let arguments = (ins Nn_Tensor:$x, Nn_Tensor:$weight,
                       F64Attr:$eps);
}

def Nn_SoftmaxOp : Nn_InferredOp<"softmax"> {
  let summary = "exp(x - max) / sum exp(x - max) along a dim";
  let description = [{
    (C1) dim is a dim of x. (C2) x has floats.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim);
}

def Nn_LogSumExpOp : Nn_InferredOp<"log_sum_exp"> {
  let summary = "log(sum exp(x)) along a dim, which the result lacks";
  let description = [{
    Computed as max + log(sum exp(x - max)), so that no exponential overflows.
    -inf where all elements are.
    (C1) dim is a dim of x. (C2) x has floats.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim);
}

def Nn_RotaryOp : Nn_InferredOp<"rotary"> {
  let summary = "rotary position embedding of the last dim by positions on dim";
  let description = [{
    With d the size of the last dim, angle a(p, i) = p * base^(-2i/d) and
    i < d/2. `half`: (x_i, x_{i+d/2}) is rotated (LLaMA as published);
    `interleaved`: (x_{2i}, x_{2i+1}). (RoFormer, arXiv 2104.09864, eq. 15.)
    `inverse` turns back, by minus the angle.
    (C1) the last dim is even and dim is another one. (C2) style is one of the
    two. (C3) base > 0. (C4) x has floats.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim, F64Attr:$base,
                       StrAttr:$style,
                       DefaultValuedAttr<BoolAttr, "false">:$inverse);
}

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

def Nn_SliceOp : Nn_InferredOp<"slice"> {
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
