//===- NnInterfaces.td - what every nn operation states about itself ------===//

#ifndef HOCKET_NN_INTERFACES
#define HOCKET_NN_INTERFACES

include "mlir/IR/OpBase.td"

def Nn_PlacedOp : OpInterface<"PlacedOp"> {
  let cppNamespace = "::hocket::nn";
  let description = [{
    The placement rule of an operation, stated once and used by inference, by
    partitioning and by the differentiation: see PlacementRule.h.
  }];
  let methods = [
    InterfaceMethod<"the rule over the factors of the (whole) operand types",
                    "::hocket::nn::PlacementRule", "getPlacementRule">
  ];
}

def Nn_DifferentiableOp : OpInterface<"DifferentiableOp"> {
  let cppNamespace = "::hocket::nn";
  let description = [{
    The derivative of an operation, as whole-tensor operations: see Derivative.h.
  }];
  let methods = [
    InterfaceMethod<"gives the gradients of the operands that are wanted",
                    "void", "differentiate",
                    (ins "::hocket::nn::Derivative &":$d)>
  ];
}

#endif // HOCKET_NN_INTERFACES
