//===- NnHeld.td - what ranks hold beside what they own ------------------===//

#ifndef HOCKET_NN_HELD
#define HOCKET_NN_HELD

include "dialects/Nn/NnOpBase.td"

def Nn_ExchangeOp : Nn_PlainOp<"exchange"> {
  let summary = "margins of a dim: copies of what others own, or terms back";
  let description = [{
    On whole tensors the identity. Ranks get of dim `dim` of each value, which
    they own parts of, what the windows of the operations behind it read, of
    `before` and `after` positions beside their own; `back` is the transpose of
    that, which adds the terms that ranks hold of a part where it is owned, in
    the order of ranks. What ranks have then is in the types (`held`, `terms`),
    which are one where that is what they own. `strategy` is what moves them:
    `neighbors`, `all_to_all` or `all_gather`. What is held may lie outside of
    the dim: there it is what `border` shows. With `overlap` a convolution behind
    computes while margins travel, or with `back` one before. Values that one
    operation slides over alike, keys and values, move at once. Of two exchanges
    of one value the windows differ, or they are one.

    (C1) each x and its result differ in what is held of the dim, and in nothing
    else. (C2) the dim has one factor. (C3) x holds of it what it owns, or with
    `back` the result does. (C4) the strategy is one of those. (C5) windows
    read no less than their own positions. (C6) there is a result for each x, and
    an x. (C7) the same is held of all. (C8) what an all_gather moves is waited
    for.
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$xs, I64Attr:$dim, I64Attr:$before,
                       I64Attr:$after, StrAttr:$strategy,
                       Nn_BorderAttr:$border, BoolAttr:$overlap,
                       DefaultValuedAttr<BoolAttr, "false">:$back);
  let results = (outs Variadic<Nn_Tensor>:$made);
  let hasVerifier = 1;
}

def Nn_HoldOp : Nn_Op<"hold", [Pure]> {
  let summary = "another part of what ranks hold, without a message";
  let description = [{
    On whole tensors the identity. A part of the copies that a rank holds, such
    as what it owns; or what it owns among zeros, which are its terms of what
    others own. Both are free: a view, and a copy.

    (C1) operand and result differ in what is held, and in nothing else. (C2)
    copies are a part of copies. (C3) terms are made of what is owned, and hold
    all of it.
  }];
  let arguments = (ins Nn_Tensor:$x);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // HOCKET_NN_HELD
