//===- SpmdEnums.td - the kinds of a rank's operations --------------------===//

#ifndef HOCKET_SPMD_ENUMS
#define HOCKET_SPMD_ENUMS

include "mlir/IR/EnumAttr.td"

// Neighbours read what they miss, or each member sends every other one a part,
// which may be empty.
def Spmd_HaloStrategy
    : I32EnumAttr<"HaloStrategy", "what moves the margins", [
    I32EnumAttrCase<"Neighbors", 0, "neighbors">,
    I32EnumAttrCase<"AllToAll", 1, "all_to_all">]> {
  let cppNamespace = "::hocket::spmd";
  let genSpecializedAttr = 0;
}

#endif // HOCKET_SPMD_ENUMS
