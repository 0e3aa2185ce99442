//===- NnHook.td - a user's own function ----------------------------------===//

#ifndef HOCKET_NN_HOOK
#define HOCKET_NN_HOOK

include "dialects/Nn/NnOpBase.td"

def Nn_HookOp : Nn_Op<"hook", [Pure,
    DeclareOpInterfaceMethods<Nn_PlacedOp>,
    DeclareOpInterfaceMethods<Nn_DifferentiableOp>,
    InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "what a user's own function computes";
  let description = [{
    `hook` is what its declaration says: `name`, which is also the symbol,
    `file` for a CPU, `cuda` for GPUs or both, `inputs` and `results`, for each its `element` and the names of its
    `dims`, `split`, the dims of which a rank may hold a part, and `derivative`,
    the same of the function that computes the gradients of all inputs that are
    floats, from the inputs and the gradients of the results.

    (C1) as many operands as `inputs`, of their element types and numbers of
    dims. (C2) dims of one name have one size. (C3) each dim of a result is one
    of an operand.
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$xs, DictionaryAttr:$hook);
  let results = (outs Variadic<Nn_Tensor>:$results);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getHookName() {
      return getHook().getAs<::mlir::StringAttr>("name").getValue();
    }
  }];
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
      return haveSameShapes(a, b);
    }
  }];
}

#endif // HOCKET_NN_HOOK
