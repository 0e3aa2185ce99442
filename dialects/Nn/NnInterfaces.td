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

def Nn_StoredOp : OpInterface<"StoredOp"> {
  let cppNamespace = "::hocket::nn";
  let description = [{
    A parameter or state: a tensor that is there before the step, under a name
    by which a step may assign to it.
  }];
  let methods = [
    InterfaceMethod<"the path of a parameter, the name of a state",
                    "::mlir::StringAttr", "getStoredName">
  ];
}

def Nn_WindowedOpInterface : OpInterface<"WindowedOp"> {
  let cppNamespace = "::hocket::nn";
  let description = [{
    An operation that reads windows of positions: some operands or results,
    `getPositions`, have the positions, others, one of which is `getWindowed`,
    something for each window.
  }];
  let methods = [
    InterfaceMethod<"the values whose dims are slid over",
                    "::llvm::SmallVector<::mlir::Value>", "getPositions">,
    InterfaceMethod<"which of its dims is the window's dim `dim`, for one of "
                    "getPositions; the same, where not said otherwise",
                    "int64_t", "getPositionsDim",
                    (ins "::mlir::Value":$positions, "int64_t":$dim), "",
                    "return dim;">,
    InterfaceMethod<"the value that has an element for each window",
                    "::mlir::Value", "getWindowed">,
    InterfaceMethod<"the window of each dim, in order; nothing for those that "
                    "are not slid over",
                    "::llvm::SmallVector<std::optional<::hocket::nn::Window>>",
                    "getWindows">,
    InterfaceMethod<"slides over what it is given as it is, except so many "
                    "zeros before and after each dim; what follows from its "
                    "operands' sizes is set anew",
                    "void", "setPadding",
                    (ins "::llvm::ArrayRef<int64_t>":$lows,
                         "::llvm::ArrayRef<int64_t>":$highs)>,
    InterfaceMethod<"whether it can be told so; what cannot is given all that "
                    "its windows read, zeros too, and is that",
                    "bool", "addsZeros", (ins), "", "return true;">
  ];
}

#endif // HOCKET_NN_INTERFACES
