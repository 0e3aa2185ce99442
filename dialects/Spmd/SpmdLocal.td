//===- SpmdLocal.td - what depends on where the rank is -------------------===//
//
// Included by SpmdOps.td, which defines the classes.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_SPMD_LOCAL
#define HOCKET_SPMD_LOCAL

def Spmd_SliceOp : Spmd_Op<"slice", [Pure]> {
  let summary = "x[factor: offset, size of the result's factor]: a view";
  let description = [{
    ```mlir
    %y = spmd.slice %x {dim = 1 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 24, 48, 72]>}
        : (tensor<4x96xf32, #nn.layout<[4] [96]>>) -> tensor<4x24xf32, #nn.layout<[4] [24]>>
    ```
    (C1) same element type and factor sizes except the cut factor, which is
    not larger in the result. (C2) the window lies in x on every rank of the
    class.
  }];
  let arguments = (ins AnyRankedTensor:$x, I64Attr:$dim, I64Attr:$factor,
                       Spmd_TableAttr:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Spmd_PlaceOp : Spmd_Op<"place", [Pure]> {
  let summary = "zeros, with x at [factor: offset, size of x's factor]";
  let description = [{
    The transpose of spmd.slice.
    ```mlir
    %y = spmd.place %x {dim = 1 : i64, factor = 0 : i64, offset = #spmd.table<tp: [0, 24, 48, 72]>}
        : (tensor<4x24xf32, #nn.layout<[4] [24]>>) -> tensor<4x96xf32, #nn.layout<[4] [96]>>
    ```
    (C1), (C2) as spmd.slice, of the result.
  }];
  let arguments = (ins AnyRankedTensor:$x, I64Attr:$dim, I64Attr:$factor,
                       Spmd_TableAttr:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Spmd_KeepFirstOp : Spmd_Op<"keep_first", [Pure]> {
  let summary = "x where the coordinate on every one of axes is 0, else zeros";
  let description = [{
    How a value that is whole on every rank joins a partial sum once.
    ```mlir
    %y = spmd.keep_first %x over ["tp"]
        : (tensor<4xf32, #nn.layout<[4]>>) -> tensor<4xf32, #nn.layout<[4]>>
    ```
    (C1) operand and result have the same element type and factor sizes.
  }];
  let arguments = (ins AnyRankedTensor:$x, StrArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $x `over` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // HOCKET_SPMD_LOCAL
