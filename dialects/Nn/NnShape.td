//===- NnShape.td - reductions, and elements in another order ------------===//

#ifndef HOCKET_NN_SHAPE
#define HOCKET_NN_SHAPE

include "dialects/Nn/NnOpBase.td"

def Nn_ReduceOp : Nn_InferredOp<"reduce"> {
  let summary = "sum, mean, max or min over dims";
  let description = [{
    (C1) dims are dims of x, each once. (C2) mean takes floats, the others
    numbers.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_ReduceKindAttr:$kind,
                       DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let assemblyFormat =
      "`` $kind $x attr-dict `:` functional-type(operands, results)";
}

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

#endif // HOCKET_NN_SHAPE
