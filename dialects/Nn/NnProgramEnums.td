//===- NnProgramEnums.td - what a program may be compiled for -------------===//

#ifndef HOCKET_NN_PROGRAM_ENUMS
#define HOCKET_NN_PROGRAM_ENUMS

include "mlir/IR/EnumAttr.td"

def Nn_Gradients : I32EnumAttr<"Gradients", "of what a program computes them", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Parameters", 1, "parameters">,
    I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::hocket::nn";
}

def Nn_Target : I32EnumAttr<"Target", "what runs a program", [
    I32EnumAttrCase<"Cpu", 0, "cpu">,
    I32EnumAttrCase<"Cuda", 1, "cuda">]> {
  let cppNamespace = "::hocket::nn";
}

#endif // HOCKET_NN_PROGRAM_ENUMS
