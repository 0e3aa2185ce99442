//===- Func.h - functions of a program, and what ends them -----*- C++ -*-===//

#ifndef HOCKET_NN_FUNC_H
#define HOCKET_NN_FUNC_H

#include "dialects/Nn/Nn.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace hocket::nn {

/// On an argument of a function, and on a result of a class of ranks: the name
/// of the input or output.
inline constexpr llvm::StringLiteral kName = "nn.name";

/// It, or null.
mlir::StringAttr argumentName(mlir::FunctionOpInterface func, unsigned number);
mlir::StringAttr resultName(mlir::FunctionOpInterface func, unsigned number);

/// The argument or result, as "argument 2", lacks the attribute, or has one of
/// another kind.
mlir::LogicalResult lacks(mlir::Operation *op, const llvm::Twine &what,
                          llvm::StringRef attribute);

mlir::LogicalResult verifyArgumentNames(mlir::FunctionOpInterface func);

/// Of nn.func and spmd.func.
template <class ConcreteType>
class ProgramFunction
    : public mlir::OpTrait::TraitBase<ConcreteType, ProgramFunction> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyArgumentNames(mlir::cast<mlir::FunctionOpInterface>(op));
  }
};

template <class OpTy>
mlir::ParseResult parseFunction(mlir::OpAsmParser &parser,
                                mlir::OperationState &result) {
  namespace functions = mlir::function_interface_impl;
  auto typeOf = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> inputs,
                   llvm::ArrayRef<mlir::Type> results, functions::VariadicFlag,
                   std::string &) -> mlir::Type {
    return builder.getFunctionType(inputs, results);
  };
  return functions::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                    OpTy::getFunctionTypeAttrName(result.name),
                                    typeOf,
                                    OpTy::getArgAttrsAttrName(result.name),
                                    OpTy::getResAttrsAttrName(result.name));
}

template <class OpTy>
void printFunction(mlir::OpAsmPrinter &printer, OpTy func) {
  mlir::function_interface_impl::printFunctionOp(
      printer, func, /*isVariadic=*/false, func.getFunctionTypeAttrName(),
      func.getArgAttrsAttrName(), func.getResAttrsAttrName());
}

} // namespace hocket::nn

#define GET_OP_CLASSES
#include "dialects/Nn/NnFunc.h.inc"

#endif // HOCKET_NN_FUNC_H
