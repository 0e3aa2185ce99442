//===- NnEdges.td - gather and scatter along the edges of a graph ---------===//

#ifndef HOCKET_NN_EDGES
#define HOCKET_NN_EDGES

include "dialects/Nn/NnOpBase.td"

// Edge e has an end at node `indices[e]` of the dim `dim`. Where nodes are cut,
// e is on the rank that has node `owners[e]`, one of `owner_extent`.
defvar Nn_edgeArguments = (ins I64Attr:$dim, DenseI64ArrayAttr:$indices,
                               DenseI64ArrayAttr:$owners,
                               I64Attr:$owner_extent);

def Nn_GatherOp : Nn_InferredOp<"gather",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "y[..., e, ...] = x[..., indices[e], ...]";
  let description = [{
    ```mlir
    %y = nn.gather %x {dim = 0 : i64, indices = array<i64: 2, 0, 0>,
        owners = array<i64: 0, 1, 2>, owner_extent = 3 : i64} : ...
    ```
    (C1) dim is a dim of x. (C2) indices are in [0, its size). (C3) as many
    owners as indices, in [0, owner_extent); in the program of one rank none.
  }];
  let arguments = !con((ins Nn_Tensor:$x), Nn_edgeArguments);
}

def Nn_ScatterSumOp : Nn_PlainOp<"scatter_sum",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "x[..., n, ...] = the sum of y[..., e, ...] over indices[e] = n";
  let description = [{
    The transpose of nn.gather, and the gradient of its x. Nodes are cut as
    those of `like` are, of which nothing else is read; where that has them
    whole and edges are cut, the result is a partial sum.
    (C1) nn.gather with these attributes takes the result, and gives the type
    of y. (C2) `like` has as many dims, and as many nodes.
  }];
  let arguments = !con((ins Nn_Tensor:$y, Optional<Nn_Tensor>:$like),
                       Nn_edgeArguments);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

#endif // HOCKET_NN_EDGES
