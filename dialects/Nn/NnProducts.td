//===- NnProducts.td - products, lookups and attention --------------------===//

#ifndef HOCKET_NN_PRODUCTS
#define HOCKET_NN_PRODUCTS

include "dialects/Nn/NnOpBase.td"

def Nn_LinearOp : Nn_ProductOp<"linear"> {
  let summary = "y[..., o] = sum_i x[..., i] w[o, i] + bias[o]";
  let description = [{
    `transposed`: the weight is stored [in, out] (Conv1D of GPT-2).
    (C1) w has rank 2. (C2) the last dim of x equals the in dim of w.
    (C3) bias has the out dim alone. (C4) equal element types; where that is f16
    or bf16, the result may be f32, and so may the bias; else it is of that type.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_Tensor:$weight,
                       Optional<Nn_Tensor>:$bias,
                       DefaultValuedAttr<BoolAttr, "false">:$transposed);
}

def Nn_MatMulOp : Nn_ProductOp<"matmul"> {
  let summary = "c[..., m, n] = sum_k a[..., m, k] b[..., k, n]";
  let description = [{
    Leading dims broadcast as in NumPy; rank >= 2 each.
    (C1) contracted dims agree. (C2) leading dims broadcast. (C3) equal types;
    the result is of that type, or f32 where that is f16 or bf16.
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

def Nn_AttentionOp : Nn_InferredOp<"attention", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Nn_WindowedOpInterface,
        ["getPositionsDim"]>]> {
  let summary = "softmax(scale q k^T + bias + mask) v, by heads";
  let description = [{
    q [b, h, s, d], k [b, g, t, d], v [b, g, t, e], result [b, h, s, e]; h is a
    multiple of g, query head i reads kv head i / (h / g). `keep` [b, t] is
    bool, true where a key may be attended to. `query_documents` [b, s] and
    `key_documents` [b, t], both or none, number documents: a query sees keys of
    its own number only. `bias` [b, h, s, t] is added to the scaled scores; its b,
    h and s may be 1, where one number is for all. `causal`: key j is visible to
    query i if j <= i + t - s. A window shows query i the keys from i + t - s -
    `before` to i + t - s + `after`, as far as there are any; absent, all. Under a
    `block_layout` (dialects/Nn/BlockLayouts.h) it sees besides only the blocks
    of keys that its own block visits. A row that sees nothing is zero.
    With a `step` the weights, [b, h, s, t], are dropped as by nn.dropout with
    p = `dropout`.
    Where its gradient is computed, a second result `lse` [b, h, s] holds the
    logarithm of the sum of exp(score) over the keys that a query sees, scores
    scaled, with the bias, before dropout; -inf where it sees none. It is f32, of f64
    operands f64.
    Over the axes of `ring` keys and values may be split as queries are: the
    parts of other ranks travel while the operation computes.
    ```mlir
    %y, %lse = nn.attention %q, %k, %v, %keep documents %ids, %ids bias %b step %n {scale = 0.125 : f64, dropout = 0.1 : f64, stream = 7 : i64} : ...
    ```
    (C1) ranks. (C2) b, d, t agree. (C3) h % g == 0. (C4) equal element types.
    (C5) step and stream as nn.dropout. (C6) before and after are at least 0.
    (C7) lse has the dims of q without the last. (C8) with `ring` s = t. (C9)
    block_layout is a layout of h heads and of t keys, and s = t. (C10) documents
    are of i32 or of i64. (C11) bias has the element type of q.
  }];
  let arguments = (ins Nn_Tensor:$q, Nn_Tensor:$k,
                       Nn_Tensor:$v, Optional<Nn_Tensor>:$keep,
                       Optional<Nn_Tensor>:$query_documents,
                       Optional<Nn_Tensor>:$key_documents,
                       Optional<Nn_Tensor>:$bias,
                       Optional<Nn_Tensor>:$step,
                       DefaultValuedAttr<BoolAttr, "false">:$causal,
                       OptionalAttr<I64Attr>:$before,
                       OptionalAttr<I64Attr>:$after,
                       OptionalAttr<DictionaryAttr>:$block_layout,
                       F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$dropout,
                       OptionalAttr<I64Attr>:$stream,
                       OptionalAttr<StrArrayAttr>:$ring);
  let results = (outs Nn_Tensor:$result, Optional<Nn_Tensor>:$lse);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`,` $keep^)?
    (`documents` $query_documents^ `,` $key_documents)? (`bias` $bias^)?
    (`step` $step^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Nn_withLse;
}

def Nn_AttentionGradOp : Nn_PlainOp<"attention_grad", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Nn_WindowedOpInterface,
        ["getPositionsDim"]>]> {
  let summary = "the gradients of attention's q, k, v and bias";
  let description = [{
    `dout` is the gradient of `out`, the result of nn.attention with these
    operands and attributes, `lse` its other result. The weights are exp(score -
    lse), and the mean of their gradients is the sum of dout * out over a row
    (Dao 2023, FlashAttention-2): only the scores are computed again. That
    of the bias is there where it is asked for.
    ```mlir
    %dq, %dk, %dv = nn.attention_grad %q, %k, %v, %dout, %out, %lse, %keep step %n {scale = 0.125 : f64, ...} : ...
    ```
    (C1) the constraints of attention. (C2) dout and out have the type of its
    result, lse that of its lse. (C3) the results have the types of q, k and v.
    (C4) block_layout is that of the attention that gives lse. (C5) dbias has the
    type of the bias, and is there only with one.
  }];
  let arguments = (ins Nn_Tensor:$q, Nn_Tensor:$k,
                       Nn_Tensor:$v, Nn_Tensor:$dout, Nn_Tensor:$out,
                       Nn_Tensor:$lse,
                       Optional<Nn_Tensor>:$keep,
                       Optional<Nn_Tensor>:$query_documents,
                       Optional<Nn_Tensor>:$key_documents,
                       Optional<Nn_Tensor>:$bias,
                       Optional<Nn_Tensor>:$step,
                       DefaultValuedAttr<BoolAttr, "false">:$causal,
                       OptionalAttr<I64Attr>:$before,
                       OptionalAttr<I64Attr>:$after,
                       OptionalAttr<DictionaryAttr>:$block_layout,
                       F64Attr:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$dropout,
                       OptionalAttr<I64Attr>:$stream,
                       OptionalAttr<StrArrayAttr>:$ring);
  let results = (outs Nn_Tensor:$dq, Nn_Tensor:$dk, Nn_Tensor:$dv,
                      Optional<Nn_Tensor>:$dbias);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $dout `,` $out `,` $lse (`,` $keep^)?
    (`documents` $query_documents^ `,` $key_documents)? (`bias` $bias^)?
    (`step` $step^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // HOCKET_NN_PRODUCTS
