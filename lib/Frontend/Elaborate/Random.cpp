//===- Random.cpp - what draws random numbers in training -----------------===//

#include "Elaborator.h"
#include "dialects/Nn/Elementwise.h"
#include "hocket/Random/Philox.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// The last input of a function that trains: which step this is.
bool Elaborator::addStep(const FunctionItem &function,
                         llvm::SmallVectorImpl<mlir::Type> &inputs) {
  for (const FunctionArg &argument : function.args)
    if (argument.name.text == "step") {
      error(argument.name.range, "training adds an input 'step', but '" +
                                     function.name.text +
                                     "' has one of that name")
          .note("give it another name");
      return false;
    }
  inputs.push_back(nn::tensorOf(builder.getI32Type(),
                                nn::LayoutAttr::get(context, {}, {}, {})));
  return true;
}

/// Calls are counted in the order of the model, which no schedule changes.
mlir::IntegerAttr Elaborator::nextStream(const std::string &path) {
  unsigned call = draws[path]++;
  std::string name = call ? path + "#" + std::to_string(call) : path;
  return builder.getI64IntegerAttr(int64_t(runtime::hashPath(name)));
}

mlir::Value Elaborator::emitDropout(mlir::Value x, double p,
                                    const std::string &path,
                                    SourceRange range) {
  llvm::SmallVector<mlir::Value, 2> operands = {x};
  llvm::SmallVector<mlir::NamedAttribute, 2> attributes = {
      named("p", builder.getF64FloatAttr(p))};
  if (isTraining && p > 0) {
    operands.push_back(step);
    attributes.push_back(named("stream", nextStream(path)));
  }
  return emit<nn::DropoutOp>(range, operands, attributes);
}
