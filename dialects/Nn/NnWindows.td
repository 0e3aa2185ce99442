//===- NnWindows.td - convolutions, poolings, borders ---------------------===//
//
// The maps from results to
// positions are those of Window.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_WINDOWS
#define HOCKET_NN_WINDOWS

include "dialects/Nn/NnOpBase.td"

// A window over the spatial dims, of which there are 1 to 3: one number, or
// one border, for each. `lows` and `highs` are how much border there is before
// and after.
defvar Nn_windowArguments = (ins DenseI64ArrayAttr:$strides,
                                 DenseI64ArrayAttr:$dilations,
                                 DenseI64ArrayAttr:$lows,
                                 DenseI64ArrayAttr:$highs,
                                 Nn_BordersAttr:$borders,
                                 DefaultValuedAttr<I64Attr, "1">:$groups);

class Nn_WindowedOp<string mnemonic>
    : Nn_PlainOp<mnemonic, [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

def Nn_ConvOp : Nn_InferredOp<"conv",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "y[b, o, p] = sum_i,t x[b, i, p stride - low + dilation t] w[o, i, t] + bias[o]";
  let description = [{
    x [b, c, s...], weight [o, c / groups, k...], y [b, o, n...], with s, p, t
    and n of 1 to 3 dims; channels of one group read those of the same. Beyond
    its ends x continues as `borders` says: zero, reflect, replicate, circular.
    ```mlir
    %y = nn.conv %x, %w, %bias {strides = array<i64: 2>, dilations = array<i64: 1>,
        lows = array<i64: 1>, highs = array<i64: 1>, borders = #nn.borders<circular>, groups = 1 : i64} : ...
    ```
    (C1) x has 3 to 5 dims, the weight as many. (C2) as many strides, dilations,
    lows, highs and borders as spatial dims; strides and dilations are at least
    1, lows and highs at least 0; each border is one of those. (C3) groups
    divide c and o; the weight's second dim is c / groups. (C4) the bias is [o].
    (C5) equal element types. (C6) a window fits, and a border is not longer
    than what it repeats.
  }];
  let arguments = !con((ins Nn_Tensor:$x, Nn_Tensor:$weight,
                            Optional<Nn_Tensor>:$bias), Nn_windowArguments);
}

def Nn_ConvTransposeOp : Nn_WindowedOp<"conv_transpose"> {
  let summary = "x[b, i, p stride - low + dilation t] += y[b, o, p] w[o, i, t]";
  let description = [{
    The transpose of nn.conv without its bias: the gradient of its x, and the
    transposed convolution of networks. y [b, o, n...], weight [o, c / groups,
    k...], result [b, c, s...]. What falls on a border is added where the border
    shows data from, and dropped where it is zero.
    (C1) nn.conv with these attributes takes the result and the weight, and
    gives a tensor of the type of y.
  }];
  let arguments = !con((ins Nn_Tensor:$y, Nn_Tensor:$weight),
                       Nn_windowArguments);
}

def Nn_ConvGradWeightOp : Nn_WindowedOp<"conv_grad_weight"> {
  let summary = "w[o, i, t] = sum_b,p x[b, i, p stride - low + dilation t] dy[b, o, p]";
  let description = [{
    The gradient of nn.conv's weight.
    (C1) nn.conv with these attributes takes x and the result, and gives a
    tensor of the type of dy.
  }];
  let arguments = !con((ins Nn_Tensor:$x, Nn_Tensor:$dy), Nn_windowArguments);
}

// Positions o stride - low + dilation t for taps t, in a border of `highs` and,
// so that the last window fits, of `extras` more, which counts for nothing.
defvar Nn_poolArguments = (ins Nn_PoolKindAttr:$kind, DenseI64ArrayAttr:$taps,
                               DenseI64ArrayAttr:$strides,
                               DenseI64ArrayAttr:$dilations,
                               DenseI64ArrayAttr:$lows,
                               DenseI64ArrayAttr:$highs,
                               DenseI64ArrayAttr:$extras,
                               DefaultValuedAttr<BoolAttr, "true">:$counts_border);

def Nn_PoolOp : Nn_InferredOp<"pool",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface>]> {
  let summary = "y[b, c, o] = the largest or the mean of x[b, c, window of o]";
  let description = [{
    x [b, c, s...] with 1 to 3 dims s; `kind` is max, average or max_index,
    the row-major number among s of the largest, the first of equal ones or the
    last NaN. What lies in the border is no value. A mean is the sum of those of x divided by their
    number, and with `counts_border` by that of the positions in x, lows and
    highs. A maximum of a NaN is NaN.
    (C1) x has 3 to 5 dims and floats. (C2) as many taps, strides, dilations,
    lows, highs and extras as spatial dims; the first three are at least 1, the
    others at least 0. (C3) a window fits.
  }];
  let arguments = !con((ins Nn_Tensor:$x), Nn_poolArguments);
}

def Nn_PoolGradOp : Nn_WindowedOp<"pool_grad"> {
  let summary = "the gradient of nn.pool's x";
  let description = [{
    Of several largest values of a window the first in row-major order gets the
    gradient, or the last NaN.
    (C1) nn.pool with these attributes takes the result and gives the type of
    dy. (C2) a maximum reads x, of the type of the result; a mean does not.
  }];
  let arguments = !con((ins Nn_Tensor:$dy, Optional<Nn_Tensor>:$x),
                       Nn_poolArguments);
}

// The next two, and nn.slice, have one position in a window: they move data.
def Nn_PadOp : Nn_InferredOp<"pad",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface, ["addsZeros"]>]> {
  let summary = "y[o] = x[o - low], with a border before and after";
  let description = [{
    One low, high and border for each dim of x; negative ones take away. See
    nn.conv for what `borders` show. `settles`: a dim that stays as it is, but
    for its parts: those of the result begin at their exact borders.
    (C1) there are as many as dims. (C2) a border is one of those, and not
    longer than what it repeats. (C3) no more is taken away than there is.
  }];
  let arguments = (ins Nn_Tensor:$x, DenseI64ArrayAttr:$lows,
                       DenseI64ArrayAttr:$highs, Nn_BordersAttr:$borders,
                       OptionalAttr<I64Attr>:$settles);
}

def Nn_PadTransposeOp : Nn_PlainOp<"pad_transpose",
    [DeclareOpInterfaceMethods<Nn_WindowedOpInterface, ["addsZeros"]>]> {
  let summary = "x[p] = the sum of y[o] over the o that show p";
  let description = [{
    The transpose of nn.pad, and of nn.slice: the gradient of its x.
    (C1) nn.pad with these attributes takes the result, and gives the type of y.
  }];
  let arguments = (ins Nn_Tensor:$y, DenseI64ArrayAttr:$lows,
                       DenseI64ArrayAttr:$highs, Nn_BordersAttr:$borders,
                       OptionalAttr<I64Attr>:$settles);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

#endif // HOCKET_NN_WINDOWS
