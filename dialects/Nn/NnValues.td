//===- NnValues.td - paths, placements, and where values come from -------===//

#ifndef HOCKET_NN_VALUES
#define HOCKET_NN_VALUES

include "dialects/Nn/NnOpBase.td"

def Nn_ValueOp : Nn_PlainOp<"value"> {
  let summary = "a value under a path of the model: the identity";
  let description = [{
    Marks where a path lives: the argument `x` of module `h.0.attn` as its body
    sees it (`h.0.attn.x`), the result of a module as its caller sees it
    (`h.0.attn`), a binding (`h.0.attn.q`). Syncs attach here. The result type
    carries the dim names of the scope that the path belongs to.

    (C1) operand and result have the same element type and factor sizes.
  }];
  let arguments = (ins Nn_Tensor:$x, StrAttr:$path,
                       Nn_ValueRoleAttr:$role);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$role $path $x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_RedistributeOp : Nn_Op<"redistribute", [Pure]> {
  let summary = "the same value under another placement";
  let description = [{
    What a sync becomes once placed; on whole tensors the identity. `kind` is
    one of `all_reduce` (P -> R), `reduce_scatter` (P -> S), `all_gather`
    (S -> R), `all_to_all` (S -> S of another factor, perhaps as copies, and of
    terms their sums), `repartition` (S -> S in other parts), `slice` (R -> S),
    `broadcast` (R -> R, the bytes of one rank), `mask` (R -> P(sum): counted
    on coordinate 0 only). The types say from what to what.

    (C1) operand and result have the same element type and factor sizes.
    (C2) the placements differ on `axes` as `kind` says and nowhere else.
    (C3) where several axes split one factor, those in `axes` are the inner
    ones: gathering an outer one would move the parts of the inner ones too.
    (C4) `hook`, the declaration of a user's own function that moves the value
    instead of an all_reduce, a reduce_scatter or an all_gather, says its name,
    its file and, as `collective`, which of these it does.
  }];
  let arguments = (ins Nn_Tensor:$x, Nn_RedistributeKindAttr:$kind,
                       StrArrayAttr:$axes,
                       OptionalAttr<I64Attr>:$root,
                       OptionalAttr<DictionaryAttr>:$hook);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    `` $kind $x `over` $axes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Nn_ParameterOp : Nn_Op<"parameter", [Pure,
    DeclareOpInterfaceMethods<Nn_StoredOp>]> {
  let summary = "a parameter, by its path in the state dict";
  let description = [{
    `init` says what it holds where training begins without weights.
  }];
  let arguments = (ins StrAttr:$path, OptionalAttr<Nn_InitAttr>:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$path attr-dict `:` type($result)";
  let extraClassDefinition = [{
    StringAttr $cppClass::getStoredName() { return getPathAttr(); }
  }];
}

def Nn_StateOp : Nn_Op<"state", [Pure,
    DeclareOpInterfaceMethods<Nn_StoredOp>]> {
  let summary = "a tensor that lives from step to step, by its name";
  let description = [{
    Beside the parameters: what an optimizer keeps. It holds `init` before the
    first step, then what the step before has assigned to it.
    (C1) no parameter and no other state has its name.
  }];
  let arguments = (ins StrAttr:$name, F64Attr:$init);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let extraClassDefinition = [{
    StringAttr $cppClass::getStoredName() { return getNameAttr(); }
    LogicalResult $cppClass::verify() { return verifyStoredName(*this); }
  }];
  let hasVerifier = 1;
}

def Nn_AssignOp : Nn_Op<"assign", [MemoryEffects<[MemWrite]>]> {
  let summary = "what a parameter or state holds after the step";
  let description = [{
    Reads of the name in this step give what it held before.
    (C1) a parameter or state of the function has the name. (C2) x has its
    element type, factor sizes and placement. (C3) a name is assigned once.
    (C4) only assignments and the terminator follow.
  }];
  let arguments = (ins StrAttr:$name, Nn_Tensor:$x);
  let assemblyFormat = "$name $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Nn_FillOp : Nn_PlainOp<"fill"> {
  let summary = "a tensor of one value";
  let arguments = (ins F64Attr:$value);
  let results = (outs Nn_Tensor:$result);
}

def Nn_IotaOp : Nn_PlainOp<"iota"> {
  let summary = "0, 1, 2, ... along a dim";
  let description = [{
    Placed where it is used, or, with `like`, as that tensor is.
    (C1) dim is a dim of the result. (C2) the result has numbers. (C3) `like`
    has the result's dim sizes.
  }];
  let arguments = (ins Optional<Nn_Tensor>:$like, I64Attr:$dim);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
}

#endif // HOCKET_NN_VALUES
