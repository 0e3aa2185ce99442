//===- SpmdInterfaces.td - what every collective states about itself ------===//

#ifndef HOCKET_SPMD_INTERFACES
#define HOCKET_SPMD_INTERFACES

include "mlir/IR/OpBase.td"

def Spmd_Collective : OpInterface<"CollectiveOp"> {
  let cppNamespace = "::hocket::spmd";
  let description = [{
    A collective among the ranks that differ only on some mesh axes.
  }];
  let methods = [
    InterfaceMethod<"the mesh axes, major first", "::mlir::ArrayAttr",
                    "getAxes">,
    InterfaceMethod<"it is the id-th collective of the program", "uint64_t",
                    "getId">,
    InterfaceMethod<"this rank's operand", "::mlir::Value", "getSource", (ins),
                    [{}], [{ return $_op.getX(); }]>,
    InterfaceMethod<"this rank's result", "::mlir::Value", "getDestination",
                    (ins), [{}], [{ return $_op.getResult(); }]>,
    InterfaceMethod<"all_reduce, halo, ...", "::llvm::StringRef",
                    "getKind", (ins), [{}], [{
      return $_op.getOperation()->getName().stripDialect();
    }]>,
    InterfaceMethod<"the user's own function that moves it, or null",
                    "::mlir::DictionaryAttr", "getHookAttr", (ins), [{}],
                    [{ return {}; }]>,
    InterfaceMethod<[{
      how many elements member `me` of `members` receives from its peers; an
      all_reduce counts as a reduce_scatter of even chunks and their all_gather
    }], "int64_t", "getReceivedElements", (ins "int64_t":$me,
                                               "int64_t":$members)>
  ];
  let verify = [{
    auto collective = ::llvm::cast<CollectiveOp>($_op);
    return ::hocket::nn::verifyMoveHook($_op, collective.getHookAttr(),
                                        collective.getKind());
  }];
}

#endif // HOCKET_SPMD_INTERFACES
