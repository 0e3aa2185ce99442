//===- SpmdMemory.td - types of memory that tensors lie in ----------------===//

#ifndef HOCKET_SPMD_MEMORY
#define HOCKET_SPMD_MEMORY

include "mlir/IR/OpBase.td"

def Spmd_MemoryType : TypeInterface<"MemoryType"> {
  let cppNamespace = "::hocket::spmd";
  let description = [{
    An input or output of a class of ranks that is no tensor, but where one
    lies. Types of dialects above this one say so.
  }];
  let methods = [
    InterfaceMethod<"How many elements it is of.", "int64_t", "getElements">
  ];
}

#endif // HOCKET_SPMD_MEMORY
