//===- NnFuncBase.td - what functions of a program are made of ------------===//

#ifndef HOCKET_NN_FUNC_BASE
#define HOCKET_NN_FUNC_BASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"

// Every argument has its name in `nn.name`, and nn.return ends the body.
def Nn_ProgramFunction : NativeOpTrait<"ProgramFunction"> {
  let cppNamespace = "::hocket::nn";
}

// Written as func.func is, with what it needs besides in `attributes`.
class Nn_FunctionOp<Dialect dialect>
    : Op<dialect, "func", [IsolatedFromAbove, FunctionOpInterface,
                           Nn_ProgramFunction]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::hocket::nn::parseFunction<$cppClass>(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::hocket::nn::printFunction(printer, *this);
    }
  }];
}

#endif // HOCKET_NN_FUNC_BASE
