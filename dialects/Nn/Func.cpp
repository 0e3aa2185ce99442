//===- Func.cpp - what makes functions of a program well formed -----------===//

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Held.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult nn::lacks(Operation *op, const Twine &what, StringRef attribute) {
  return op->emitOpError() << "lacks the attribute '" << attribute << "' of "
                           << what << ", or has it of another kind";
}

StringAttr nn::argumentName(FunctionOpInterface func, unsigned number) {
  return func.getArgAttrOfType<StringAttr>(number, kName);
}

StringAttr nn::resultName(FunctionOpInterface func, unsigned number) {
  return func.getResultAttrOfType<StringAttr>(number, kName);
}

LogicalResult nn::verifyArgumentNames(FunctionOpInterface func) {
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (!argumentName(func, i))
      return lacks(func, "argument " + Twine(i), kName);
  return success();
}

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  build(builder, state, name, type, builder.getArrayAttr({}),
        builder.getArrayAttr({}), /*arg_attrs=*/nullptr,
        /*res_attrs=*/nullptr);
}

/// Gradients are added behind them.
static LogicalResult verifyBuffers(FuncOp func) {
  SmallVector<StringRef> names(func.getOutputs().getAsValueRange<StringAttr>());
  while (!names.empty() && names.back().ends_with(".grad"))
    names.pop_back();
  size_t count = func.getBuffers().size();
  if (count > names.size())
    return func.emitOpError()
           << "names " << count << " buffers of " << names.size() << " outputs";
  for (auto [path, next] :
       llvm::zip_equal(func.getBuffers().getAsValueRange<StringAttr>(),
                       ArrayRef(names).take_back(count)))
    if (!next.ends_with(".next") || next.drop_back(5) != path)
      return func.emitOpError()
             << "returns '" << next << "' where the next value of the buffer '"
             << path << "' belongs";
  return success();
}

LogicalResult FuncOp::verify() {
  if (getOutputs().size() != getNumResults()) // (C2)
    return emitOpError() << "has 'outputs' that name " << getOutputs().size()
                         << " results of " << getNumResults();
  return verifyBuffers(*this); // (C3)
}

LogicalResult FuncOp::verifyRegions() {
  for (Operation &op : getBody().getOps())
    if (failed(verifyHeld(&op))) // (C4)
      return failure();
  return success();
}

LogicalResult ReturnOp::verify() {
  auto func = dyn_cast_or_null<FunctionOpInterface>((*this)->getParentOp());
  if (!func || !func->hasTrait<ProgramFunction>()) // (C1)
    return emitOpError() << "ends neither an nn.func nor an spmd.func";
  if (TypeRange(getValues()) == TypeRange(func.getResultTypes())) // (C2)
    return success();
  return emitOpError() << "returns (" << getValues().getTypes()
                       << ") from a function of (" << func.getResultTypes()
                       << ")";
}
