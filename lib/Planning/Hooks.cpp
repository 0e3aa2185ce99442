//===- Hooks.cpp - calls of a user's own functions ------------------------===//

#include "Instructions.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::planning;

Body planning::instructionOf(nn::HookOp op, Call &call) {
  plan::Hook hook;
  hook.name = op.getHookName().str();
  for (Value x : op.getXs())
    hook.inputs.push_back(call.byDims(x));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    hook.outputs.push_back(call.resultByDims(i));
  return hook;
}
