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

#endif // HOCKET_NN_INTERFACES
