//===- NnNorms.td - norms, softmax and rotary embeddings ------------------===//

#ifndef HOCKET_NN_NORMS
#define HOCKET_NN_NORMS

include "dialects/Nn/NnOpBase.td"

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

def Nn_NormalizeOp : Nn_InferredOp<"normalize"> {
  let summary = "(x - mean) / sqrt(variance + eps), both over dims";
  let description = [{
    The variance is that of the population, from the distances to the mean.
    `mean` and `variance` lack the dims. What GroupNorm, InstanceNorm and
    BatchNorm are made of; their weights are element-wise operations after it.
    (C1) x has floats. (C2) dims are dims of x in rising order, at least one.
    (C3) they have an element. (C4) eps >= 0.
  }];
  let arguments = (ins Nn_Tensor:$x, DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Nn_Tensor:$y, Nn_Tensor:$mean, Nn_Tensor:$variance);
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
    `inverse` turns back, by minus the angle. With `frequencies`, one for each
    pair, a(p, i) = p * frequencies[i].
    (C1) the last dim is even and dim is another one. (C2) base > 0. (C3) x has
    floats. (C4) there are no frequencies, or d/2.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim, F64Attr:$base,
                       Nn_RotaryStyleAttr:$style,
                       DefaultValuedAttr<BoolAttr, "false">:$inverse,
                       OptionalAttr<DenseF64ArrayAttr>:$frequencies);
}

#endif // HOCKET_NN_NORMS
