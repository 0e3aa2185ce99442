//===- Hooks.cpp - calls of a user's own functions ------------------------===//

#include "ClassPlanner.h"
#include "dialects/Nn/Hook.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

std::string ClassPlanner::hookNamed(DictionaryAttr hook) {
  std::string name = hook.getAs<StringAttr>("name").str();
  std::string file = hook.getAs<StringAttr>("file").str();
  compiler.addHook({name, file});
  if (tables.kernelSources)
    tables.kernelSources->addHook(name, file);
  return name;
}

/// A hook sees dims, not factors: a tensor whose dims are no single runs of
/// memory is copied first.
LogicalResult ClassPlanner::planHook(nn::HookOp op) {
  plan::Hook hook;
  hook.name = hookNamed(op.getHook());
  for (Value x : op.getXs())
    hook.inputs.push_back(byDims(*op, x).view());
  for (Value result : op.getResults()) {
    values[result] = allocate(result.getType(), {});
    hook.outputs.push_back(
        reshaped(values[result], nn::layoutOf(result).getShape())->view());
  }
  emit(*op, hook);
  return success();
}
