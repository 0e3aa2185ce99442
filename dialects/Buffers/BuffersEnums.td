//===- BuffersEnums.td - what buffers are there for -----------------------===//

#ifndef HOCKET_BUFFERS_ENUMS
#define HOCKET_BUFFERS_ENUMS

include "mlir/IR/EnumAttr.td"

def Buffers_Region : I32EnumAttr<"Region", "what a buffer is there for", [
    I32EnumAttrCase<"Arena", 0, "arena">,
    I32EnumAttrCase<"Weights", 1, "weights">,
    I32EnumAttrCase<"Output", 2, "output">]> {
  let cppNamespace = "::hocket::buffers";
  let genSpecializedAttr = 0;
}

#endif // HOCKET_BUFFERS_ENUMS
