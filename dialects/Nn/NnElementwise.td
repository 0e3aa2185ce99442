//===- NnElementwise.td - what is computed element by element ------------===//

#ifndef HOCKET_NN_ELEMENTWISE
#define HOCKET_NN_ELEMENTWISE

include "dialects/Nn/NnOpBase.td"

def Nn_UnaryOp : Nn_InferredOp<"unary"> {
  let summary = "a function of each element";
  let description = [{
    `kind`: gelu (exact), gelu_tanh, silu, relu, sigmoid, tanh, exp, log, sqrt,
    rsqrt, erf, abs, neg, not, sin, cos. `not` takes bools; relu, abs and neg
    take numbers; the others floats.
    (C1) x has the elements that it takes.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_UnaryKindAttr:$kind);
  let assemblyFormat =
      "`` $kind $x attr-dict `:` functional-type(operands, results)";
}

def Nn_BinaryOp : Nn_InferredOp<"binary"> {
  let summary = "an operation on pairs of elements, NumPy broadcasting";
  let description = [{
    `kind`: add, sub, mul, div, pow, maximum, minimum, and, or, eq, ne, lt, le,
    gt, ge (comparisons give bool).
    (C1) equal element types. (C2) dims broadcast. (C3) bools for and, or; any
    elements for eq, ne; numbers for the others.
  }];
  let arguments = (ins Nn_Tensor:$a, Nn_Tensor:$b,
                       Nn_BinaryKindAttr:$kind);
  let assemblyFormat =
      "`` $kind $a `,` $b attr-dict `:` functional-type(operands, results)";
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
    of runtime/include/hocket/Random/Philox.h: it follows from the seed
    of `nn.model` (0 without one), `stream` (one for each call in the model), the
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

#endif // HOCKET_NN_ELEMENTWISE
