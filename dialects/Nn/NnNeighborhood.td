//===- NnNeighborhood.td - neighborhood attention -------------------------===//
//
// The keys that a query sees
// are those of hocket/Plan/Neighborhood.h, dim by dim.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_NEIGHBORHOOD
#define HOCKET_NN_NEIGHBORHOOD

include "dialects/Nn/NnOpBase.td"

// One number for each spatial dim, of which there are 1 to 3.
defvar Nn_neighborhoodArguments = (ins DenseI64ArrayAttr:$kernels,
                                       DenseI64ArrayAttr:$strides,
                                       DenseI64ArrayAttr:$dilations,
                                       DenseBoolArrayAttr:$causal,
                                       F64Attr:$scale);

def Nn_NeighborhoodAttentionOp : Nn_InferredOp<"neighborhood_attention",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "softmax(scale q k^T) v over the keys around each query";
  let description = [{
    q [b, h, n..., d], k [b, g, n..., d], v [b, g, n..., e], result [b, h, n...,
    e] with 1 to 3 dims n; h is a multiple of g, query head i reads kv head
    i / (h / g). In each dim n a query sees `kernels` keys, `dilations` apart,
    around it; at the ends the window is moved inward. `strides` queries in a
    row share a window. Where `causal`, it sees none after itself. `lse` [b, h,
    n...] as of nn.attention, where the gradient is computed.
    ```mlir
    %y, %lse = nn.neighborhood_attention %q, %k, %v {kernels = array<i64: 7, 7>,
        strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>,
        causal = array<i1: false, false>, scale = 0.25 : f64} : ...
    ```
    (C1) q, k and v have 4 to 6 dims, as many each. (C2) b, d and each n agree.
    (C3) h % g == 0. (C4) equal element types. (C5) as many kernels, strides,
    dilations and causal as dims n; each at least 1, and no stride greater than
    its kernel. (C6) kernel times dilation is at most the extent of the dim.
    (C7) lse has the dims of q without the last.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v),
                       Nn_neighborhoodArguments);
  let results = (outs Nn_Tensor:$result, Optional<Nn_Tensor>:$lse);
  let extraClassDefinition = Nn_withLse;
}

def Nn_NeighborhoodAttentionGradOp : Nn_PlainOp<"neighborhood_attention_grad",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "the gradients of neighborhood attention's q, k and v";
  let description = [{
    `dout` is the gradient of `out`, the result of nn.neighborhood_attention with
    these operands and attributes, `lse` its other result; as nn.attention_grad.
    (C1) the constraints of neighborhood_attention. (C2) dout and out have the
    type of its result, lse that of its lse. (C3) the results have the types of
    q, k and v.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v,
                            Nn_Tensor:$dout, Nn_Tensor:$out, Nn_Tensor:$lse),
                       Nn_neighborhoodArguments);
  let results = (outs Nn_Tensor:$dq, Nn_Tensor:$dk, Nn_Tensor:$dv);
  let hasVerifier = 1;
}

#endif // HOCKET_NN_NEIGHBORHOOD
