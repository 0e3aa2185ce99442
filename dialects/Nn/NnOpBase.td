//===- NnOpBase.td - what the operations of the nn dialect are made of ---===//

#ifndef HOCKET_NN_OP_BASE
#define HOCKET_NN_OP_BASE

include "dialects/Nn/NnAttrs.td"
include "dialects/Nn/NnInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Any op: one placement rule, one derivative; printed as operands, attributes, types.
class Nn_PlainOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Nn_PlacedOp>,
        DeclareOpInterfaceMethods<Nn_DifferentiableOp>], traits)> {
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, results)";
}

// An op whose result type follows from its operands. Types are compared by
// element type and dim sizes: names, factors and placements are not part of
// shape. The constraints are checked where the type is inferred, so that what
// creates an op hears of a mistake in the same words as the verifier.
class Nn_InferredOp<string mnemonic, list<Trait> traits = []>
    : Nn_PlainOp<mnemonic,
                 !listconcat([InferTypeOpAdaptorWithIsCompatible], traits)> {
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
      return haveSameShapes(a, b);
    }
    LogicalResult $cppClass::verify() { return verifyShapes(*this); }
  }];
}

// The definitions of an inferred op that may give `lse` as well.
defvar Nn_withLse = [{
  bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
    return !b.empty() && haveSameShapes(a, b.take_front());
  }
  LogicalResult $cppClass::verify() { return verifyWithLse(*this); }
}];

// A product adds up in f32: of narrower floats its result may be f32 as well,
// without being rounded between.
class Nn_ProductOp<string mnemonic> : Nn_InferredOp<mnemonic> {
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(TypeRange a, TypeRange b) {
      return haveProductShapes(a, b);
    }
    LogicalResult $cppClass::verify() { return verifyShapes(*this); }
  }];
}

#endif // HOCKET_NN_OP_BASE
