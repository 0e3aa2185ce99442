//===- SpmdParts.td - what knows which part of the whole it has -----------===//
//
// Operations of nn that mean something else on a part: each says which part of
// the whole dim, tensor or file it has. Included by SpmdOps.td, which defines
// the classes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_SPMD_PARTS
#define HOCKET_SPMD_PARTS

include "dialects/Nn/NnInterfaces.td"

class Spmd_PartOp<string mnemonic, list<Trait> traits = []>
    : Spmd_Op<mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===-- Sources -----------------------------------------------------------===//

def Spmd_ParameterOp : Spmd_PartOp<"parameter",
    [DeclareOpInterfaceMethods<Nn_StoredOp>]> {
  let summary = "a rank's part of a parameter";
  let description = [{
    Zeros where the coordinate on any axis of `onlyFirstOf` is not 0: it joins a
    partial sum once. `init` as of nn.parameter.
    ```mlir
    %w = spmd.parameter "w" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>, onlyFirstOf = []}
        : tensor<4xf32, #nn.layout<[4]>>
    ```
    (C1) the result is what every rank of the class has of the box. (C2) the
    shares of a cut follow one another and fill the factor. (C3) `onlyFirstOf`
    are axes of the mesh.
  }];
  let arguments = (ins StrAttr:$path, Spmd_BoxAttr:$box,
                       StrArrayAttr:$onlyFirstOf, OptionalAttr<Nn_InitAttr>:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$path attr-dict `:` type($result)";
  let extraClassDefinition = [{
    StringAttr $cppClass::getStoredName() { return getPathAttr(); }
  }];
}

def Spmd_StateOp : Spmd_PartOp<"state",
    [DeclareOpInterfaceMethods<Nn_StoredOp>]> {
  let summary = "a rank's part of a tensor that lives from step to step";
  let description = [{
    As nn.state.
    ```mlir
    %m = spmd.state "m" {box = #spmd.box<<[8]>, <0, 0, offset = <tp: [0, 4]>, size = <4>>>, init = 0.0 : f64}
        : tensor<4xf32, #nn.layout<[4]>>
    ```
    (C1), (C2) as spmd.parameter. (C3) no parameter and no other state has its
    name.
  }];
  let arguments = (ins StrAttr:$name, Spmd_BoxAttr:$box, F64Attr:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let extraClassDefinition = [{
    StringAttr $cppClass::getStoredName() { return getNameAttr(); }
  }];
}

def Spmd_IotaOp : Spmd_PartOp<"iota"> {
  let summary = "the numbers of a rank's positions along a dim";
  let description = [{
    ```mlir
    %i = spmd.iota {dim = 0 : i64, positions = #spmd.positions<<tp: [0, 4]> of 7>}
        : () -> tensor<3xi32, #nn.layout<[3]>>
    ```
    (C1) dim is a dim of the result, which has numbers. (C2) the positions of
    the ranks follow one another and fill the dim.
  }];
  let arguments = (ins I64Attr:$dim, Spmd_PositionsAttr:$positions);
  let results = (outs Nn_Tensor:$result);
}

//===-- Elements ----------------------------------------------------------===//

def Spmd_RotaryOp : Spmd_PartOp<"rotary"> {
  let summary = "rotary position embedding of a rank's positions";
  let description = [{
    As nn.rotary, at the `positions` of the whole.
    ```mlir
    %y = spmd.rotary %x {dim = 1 : i64, base = 1.0e4 : f64, style = #nn.rotary_style<half>, inverse = false,
        frequencies = array<f64>, positions = #spmd.positions<<cp: [0, 5]> of 10>}
        : (tensor<2x5x8xf32, #nn.layout<[2] [5] [8]>>) -> tensor<2x5x8xf32, #nn.layout<[2] [5] [8]>>
    ```
    (C1) as nn.rotary. (C2) the positions of the ranks are parts that fill the
    dim, or lie in it.
  }];
  let arguments = (ins Nn_Tensor:$x, I64Attr:$dim, F64Attr:$base,
                       Nn_RotaryStyleAttr:$style, BoolAttr:$inverse,
                       DenseF64ArrayAttr:$frequencies,
                       Spmd_PositionsAttr:$positions);
  let results = (outs Nn_Tensor:$result);
}

def Spmd_DropoutOp : Spmd_PartOp<"dropout"> {
  let summary = "zeroes elements with probability p";
  let description = [{
    As nn.dropout with a step.
    ```mlir
    %y = spmd.dropout %x, %step {p = 0.1 : f64,
        draws = #spmd.draws<13, first = <dp: [0, 72]>, of = <<[6] [24]>, <0, 0, offset = <dp: [0, 3]>, size = <3>>>>}
        : (tensor<3x24xf32, #nn.layout<[3] [24]>>, tensor<i32, #nn.layout<>>) -> tensor<3x24xf32, #nn.layout<[3] [24]>>
    ```
    (C1) x and the result are of the same floats. (C2) step is an i32 without
    dims. (C3) 0 < p < 1. (C4) the box of `draws` is that of x, and its first
    words are as far from each other as the elements are.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_Tensor:$step, F64Attr:$p,
                       Spmd_DrawsAttr:$draws);
  let results = (outs Nn_Tensor:$result);
}

//===-- Lookups -----------------------------------------------------------===//

def Spmd_EmbeddingOp : Spmd_PartOp<"embedding"> {
  let summary = "y[..., :] = table[ids[...], :] of a rank's rows, else zeros";
  let description = [{
    As nn.embedding; `rows` are those of the table.
    ```mlir
    %y = spmd.embedding %t, %ids {rows = #spmd.positions<<tp: [0, 4]> of 7>}
        : (tensor<4x8xf32, #nn.layout<[4] [8]>>, tensor<5xi32, #nn.layout<[5]>>) -> tensor<5x8xf32, #nn.layout<[5] [8]>>
    ```
    (C1) as nn.embedding. (C2) the rows of the ranks follow one another and fill
    the table.
  }];
  let arguments = (ins Nn_Tensor:$table, Nn_Tensor:$ids,
                       Spmd_PositionsAttr:$rows);
  let results = (outs Nn_Tensor:$result);
}

def Spmd_EmbeddingGradOp : Spmd_PartOp<"embedding_grad"> {
  let summary = "a rank's rows of the gradient of an embedding's table";
  let description = [{
    As nn.embedding_grad; `rows` are those of the result.
    ```mlir
    %t = spmd.embedding_grad %ids, %dy {rows = #spmd.positions<<tp: [0, 4]> of 7>}
        : (tensor<5xi32, #nn.layout<[5]>>, tensor<5x8xf32, #nn.layout<[5] [8]>>) -> tensor<4x8xf32, #nn.layout<[4] [8]>>
    ```
    (C1) as nn.embedding_grad. (C2) as spmd.embedding.
  }];
  let arguments = (ins Nn_Tensor:$ids, Nn_Tensor:$dy, Spmd_PositionsAttr:$rows);
  let results = (outs Nn_Tensor:$result);
}

//===-- Poolings ----------------------------------------------------------===//

// Numbers by spatial dim, all of them of the whole: `positions` are those of x,
// which may begin in the border, `windows` those of y.
defvar Spmd_poolArguments = (ins Nn_PoolKindAttr:$kind, DenseI64ArrayAttr:$taps,
                                 DenseI64ArrayAttr:$strides,
                                 DenseI64ArrayAttr:$dilations,
                                 DenseI64ArrayAttr:$lows,
                                 DenseI64ArrayAttr:$highs,
                                 BoolAttr:$counts_border,
                                 Spmd_PositionsArrayAttr:$positions,
                                 Spmd_PositionsArrayAttr:$windows);

def Spmd_PoolOp : Spmd_PartOp<"pool"> {
  let summary = "a rank's results of nn.pool, of its positions";
  let description = [{
    As nn.pool; what lies outside of the extent of `positions` is no value.
    ```mlir
    %y = spmd.pool %x {kind = #nn.pool_kind<max>, taps = array<i64: 3>, strides = array<i64: 1>, dilations = array<i64: 1>,
        lows = array<i64: 1>, highs = array<i64: 1>, counts_border = true,
        positions = [#spmd.positions<<h: [-1, 3]> of 8>], windows = [#spmd.positions<<h: [0, 4]> of 8>]}
        : (tensor<2x2x6xf32, #nn.layout<[2] [2] [6]>>) -> tensor<2x2x4xf32, #nn.layout<[2] [2] [4]>>
    ```
    (C1) x and y are floats (y numbers, of kind max_index) of 3 to 5 dims that
    agree in the first two. (C2) one of each list for each other dim; taps,
    strides and dilations are at least 1, lows and highs at least 0. (C3) every
    rank of the class has the positions that its windows read of the extent.
    (C4) there are as many results as windows fit.
  }];
  let arguments = !con((ins Nn_Tensor:$x), Spmd_poolArguments);
  let results = (outs Nn_Tensor:$result);
}

def Spmd_PoolGradOp : Spmd_PartOp<"pool_grad"> {
  let summary = "the gradient of spmd.pool's x";
  let description = [{
    (C1) the constraints of spmd.pool, of the result and dy. (C2) a maximum reads
    x, of the type of the result; a mean does not.
  }];
  let arguments = !con((ins Nn_Tensor:$dy, Optional<Nn_Tensor>:$x),
                       Spmd_poolArguments);
  let results = (outs Nn_Tensor:$result);
}

#endif // HOCKET_SPMD_PARTS
