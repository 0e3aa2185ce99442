//===- SpmdAttention.td - attention on a rank's heads and positions -------===//
//
// Included by SpmdOps.td, which defines the classes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_SPMD_ATTENTION
#define HOCKET_SPMD_ATTENTION

// `heads` are those of q, `kvHeads` those of k and v: query head h of the whole
// reads kv head h / group of the whole. `keys` are the positions of k and v,
// `queries` those of q; they are there if not every query sees every key.
defvar Spmd_headArguments = (ins F64Attr:$scale, I64Attr:$group,
                                 Spmd_PositionsAttr:$heads,
                                 Spmd_PositionsAttr:$kvHeads);
defvar Spmd_attentionArguments =
    !con((ins BoolAttr:$causal, OptionalAttr<I64Attr>:$before,
              OptionalAttr<I64Attr>:$after,
              DictionaryAttr:$block_layout),
         Spmd_headArguments,
         (ins OptionalAttr<Spmd_PositionsAttr>:$queries,
              Spmd_PositionsAttr:$keys, OptionalAttr<F64Attr>:$dropout,
              OptionalAttr<Spmd_DrawsAttr>:$draws, UnitAttr:$isTerm));

def Spmd_AttentionOp : Spmd_PartOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "attention of a rank's queries, by heads";
  let description = [{
    As nn.attention; query i of the whole stands behind as many more keys as
    there are more keys than queries. The keys of `bias` are those of the whole.
    ```mlir
    %y = spmd.attention %q, %k, %v {block_layout = {}, causal = true, scale = 0.5 : f64, group = 2 : i64,
        heads = #spmd.positions<<tp: [0, 4]> of 8>, kvHeads = #spmd.positions<<tp: [0, 2]> of 4>,
        queries = #spmd.positions<<0> of 3>, keys = #spmd.positions<<0> of 5>}
        : (tensor<1x4x3x8xf32, #nn.layout<[1] [4] [3] [8]>>, tensor<1x2x5x8xf32, #nn.layout<[1] [2] [5] [8]>>,
           tensor<1x2x5x8xf32, #nn.layout<[1] [2] [5] [8]>>) -> tensor<1x4x3x8xf32, #nn.layout<[1] [4] [3] [8]>>
    ```
    (C1) shapes as of nn.attention. (C2) every rank of the class has the kv heads
    that its heads read. (C3) `queries` if and only if `causal`, `before`,
    `after` or `block_layout` are said. (C4) every rank has the keys that its
    queries see; all where there is no `before`. (C5) `dropout`, above 0 and
    below 1, and `draws` if and only if there is a step; the draws are of the
    weights [b, h, s, t].
    (C6) lse has the dims of q without the last. (C7) `isTerm`: the softmax is
    that of the keys which the rank has, (C4) need not hold, and there is lse, to
    merge the term with those of other keys. (C8) block_layout is a layout
    of the whole, of the extents of heads, queries and keys, or {}: all blocks.
    (C9) bias has the keys of the whole.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v,
                            Optional<Nn_Tensor>:$keep,
                            Optional<Nn_Tensor>:$query_documents,
                            Optional<Nn_Tensor>:$key_documents,
                            Optional<Nn_Tensor>:$bias,
                            Optional<Nn_Tensor>:$step),
                       Spmd_attentionArguments);
  let results = (outs Nn_Tensor:$result, Optional<Nn_Tensor>:$lse);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`,` $keep^)?
    (`documents` $query_documents^ `,` $key_documents)? (`bias` $bias^)?
    (`step` $step^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Spmd_AttentionGradOp
    : Spmd_PartOp<"attention_grad", [AttrSizedOperandSegments]> {
  let summary = "the gradients of spmd.attention's q, k, v and bias";
  let description = [{
    As nn.attention_grad. (C1) to (C5) as spmd.attention. (C6) dout and out have
    the type of its result, lse that of its lse, the results those of q, k and v.
    (C7) `isTerm`: (C4) need not hold; out and lse are those of all keys. (C8)
    block_layout is that of the attention that gives lse, and as of
    spmd.attention. (C9) dbias has the type of the bias, zeros for keys that the
    rank does not have, and is there only with one.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v,
                            Nn_Tensor:$dout, Nn_Tensor:$out, Nn_Tensor:$lse,
                            Optional<Nn_Tensor>:$keep,
                            Optional<Nn_Tensor>:$query_documents,
                            Optional<Nn_Tensor>:$key_documents,
                            Optional<Nn_Tensor>:$bias,
                            Optional<Nn_Tensor>:$step),
                       Spmd_attentionArguments);
  let results = (outs Nn_Tensor:$dq, Nn_Tensor:$dk, Nn_Tensor:$dv,
                      Optional<Nn_Tensor>:$dbias);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $dout `,` $out `,` $lse (`,` $keep^)?
    (`documents` $query_documents^ `,` $key_documents)? (`bias` $bias^)?
    (`step` $step^)? attr-dict `:` functional-type(operands, results)
  }];
}

// By dim of positions.
defvar Spmd_neighborhoodArguments =
    !con((ins DenseI64ArrayAttr:$kernels, DenseI64ArrayAttr:$strides,
              DenseI64ArrayAttr:$dilations, DenseBoolArrayAttr:$causal),
         Spmd_headArguments,
         (ins Spmd_PositionsArrayAttr:$queries, Spmd_PositionsArrayAttr:$keys));

def Spmd_NeighborhoodAttentionOp : Spmd_PartOp<"neighborhood_attention"> {
  let summary = "neighborhood attention of a rank's queries";
  let description = [{
    As nn.neighborhood_attention: windows are those of the whole.
    ```mlir
    %y = spmd.neighborhood_attention %q, %k, %v {kernels = array<i64: 3>, strides = array<i64: 1>,
        dilations = array<i64: 1>, causal = array<i1: false>, scale = 0.5 : f64, group = 1 : i64,
        heads = #spmd.positions<<0> of 1>, kvHeads = #spmd.positions<<0> of 1>,
        queries = [#spmd.positions<<cp: [0, 4]> of 8>], keys = [#spmd.positions<<cp: [0, 3]> of 8>]}
        : (tensor<1x1x4x8xf32, #nn.layout<[1] [1] [4] [8]>>, tensor<1x1x5x8xf32, #nn.layout<[1] [1] [5] [8]>>,
           tensor<1x1x5x8xf32, #nn.layout<[1] [1] [5] [8]>>) -> tensor<1x1x4x8xf32, #nn.layout<[1] [1] [4] [8]>>
    ```
    (C1) shapes and windows as of nn.neighborhood_attention. (C2) as
    spmd.attention. (C3) queries and keys for each dim, of one extent. (C4) every
    rank of the class has the keys that its queries see. (C5) lse has the dims
    of q without the last.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v),
                       Spmd_neighborhoodArguments);
  let results = (outs Nn_Tensor:$result, Optional<Nn_Tensor>:$lse);
}

def Spmd_NeighborhoodAttentionGradOp
    : Spmd_PartOp<"neighborhood_attention_grad"> {
  let summary = "the gradients of spmd.neighborhood_attention's q, k and v";
  let description = [{
    (C1) to (C4) as spmd.neighborhood_attention. (C5) dout and out have the type
    of its result, lse that of its lse, the results those of q, k and v.
  }];
  let arguments = !con((ins Nn_Tensor:$q, Nn_Tensor:$k, Nn_Tensor:$v,
                            Nn_Tensor:$dout, Nn_Tensor:$out, Nn_Tensor:$lse),
                       Spmd_neighborhoodArguments);
  let results = (outs Nn_Tensor:$dq, Nn_Tensor:$dk, Nn_Tensor:$dv);
}

#endif // HOCKET_SPMD_ATTENTION
