//===- Update.cpp - optimizers, element by element ------------------------===//
//
// The arithmetic is PyTorch's, so that a run can be held against one there. All
// of an update is element-wise, so that it becomes one kernel a parameter. What
// is the same for all elements (rate, bias correction) is computed in float64,
// once a step, and rounded once, to the type of the elements.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Values.h"
#include <cmath>

using namespace mlir;
using namespace hocket;
using namespace hocket::training;

/// A tensor that lives beside the parameter, placed as it is, or, where fsdp
/// stores the parameter whole, split.
Value StepBuilder::stateOf(const Trained &trained, StringRef what) {
  OpBuilder top(trained.parameter);
  nn::ParameterOp parameter = trained.parameter;
  std::string name = (what + "." + trained.path.getValue()).str();
  RankedTensorType type = parameter.getType();
  if (auto split = parameter->getAttrOfType<nn::LayoutAttr>(nn::kShard))
    type = nn::withLayout(type, split);
  return nn::StateOp::create(top, parameter.getLoc(), type, name, APFloat(0.0));
}

StepBuilder::AdamWScalars StepBuilder::adamWScalars(Value step, Value rate) {
  Type element = builder.getF64Type();
  Value count = binary(nn::BinaryKind::Add, updatesBefore(step), 1.0);
  SmallVector<Value> shares; // 1 - beta^t
  for (auto beta : recipe.getAs<ArrayAttr>("betas").getAsRange<FloatAttr>()) {
    Value power = binary(nn::BinaryKind::Pow,
                         scalar(beta.getValueAsDouble(), element), count);
    shares.push_back(binary(nn::BinaryKind::Sub, scalar(1, element), power));
  }
  Value kept;
  if (double decay = numberOf("decay")) {
    Value taken = binary(nn::BinaryKind::Mul, rate, decay);
    kept = binary(nn::BinaryKind::Sub, scalar(1, element), taken);
  }
  // Braces: from the first to the last.
  Value root = unary(nn::UnaryKind::Sqrt, shares[1]);
  return {binary(nn::BinaryKind::Div, rate, shares[0]),
          binary(nn::BinaryKind::Div, scalar(1, element), root), kept};
}

/// AdamW (Loshchilov and Hutter, arXiv 1711.05101), decay decoupled and eps
/// outside of the root.
void StepBuilder::updateAdamW(const Trained &trained,
                              const AdamWScalars &scalars) {
  auto betas = recipe.getAs<ArrayAttr>("betas");
  double first = cast<FloatAttr>(betas[0]).getValueAsDouble();
  double second = cast<FloatAttr>(betas[1]).getValueAsDouble();
  Value p = nn::ParameterOp(trained.parameter), g = trained.gradient;
  Value firstState = stateOf(trained, "exp_avg");
  Value secondState = stateOf(trained, "exp_avg_sq");
  Value added = binary(nn::BinaryKind::Mul, g, 1 - first);
  Value kept = binary(nn::BinaryKind::Mul, firstState, first);
  Value mean = binary(nn::BinaryKind::Add, kept, added);
  added = binary(nn::BinaryKind::Mul, binary(nn::BinaryKind::Mul, g, g),
                 1 - second);
  kept = binary(nn::BinaryKind::Mul, secondState, second);
  Value square = binary(nn::BinaryKind::Add, kept, added);
  Value root = scaled(unary(nn::UnaryKind::Sqrt, square), scalars.rootFactor);
  Value move = binary(nn::BinaryKind::Div, mean,
                      binary(nn::BinaryKind::Add, root, numberOf("eps")));
  bool decays = scalars.kept && !isListed("undecayed", trained.path);
  move = scaled(move, scalars.stepSize);
  Value decayed = decays ? scaled(p, scalars.kept) : p;
  Value next = binary(nn::BinaryKind::Sub, decayed, move);
  StringRef path = trained.path.getValue();
  assign(path, next, p);
  assign(("exp_avg." + path).str(), mean, firstState);
  assign(("exp_avg_sq." + path).str(), square, secondState);
}

void StepBuilder::updateSgd(const Trained &trained, Value rate) {
  double momentum = numberOf("momentum");
  double decay = isListed("undecayed", trained.path) ? 0 : numberOf("decay");
  Value p = nn::ParameterOp(trained.parameter), g = trained.gradient;
  StringRef path = trained.path.getValue();
  if (decay != 0)
    g = binary(nn::BinaryKind::Add, g, binary(nn::BinaryKind::Mul, p, decay));
  Value move = g, kept, state;
  if (momentum != 0) {
    state = stateOf(trained, "momentum");
    // It begins at 0, so after the first step it is that step's gradient.
    kept = binary(nn::BinaryKind::Add,
                  binary(nn::BinaryKind::Mul, state, momentum), g);
    move = kept;
    if (recipe.getAs<BoolAttr>("nesterov").getValue())
      move = binary(nn::BinaryKind::Add, g,
                    binary(nn::BinaryKind::Mul, kept, momentum));
  }
  assign(path, binary(nn::BinaryKind::Sub, p, scaled(move, rate)), p);
  if (kept)
    assign(("momentum." + path).str(), kept, state);
}

void StepBuilder::updateAll(Value step, Value rate) {
  bool isAdamW = recipe.getAs<StringAttr>("optimizer").getValue() == "adamw";
  AdamWScalars scalars;
  nameNext("lr");
  if (isAdamW)
    scalars = adamWScalars(step, rate);
  for (const Trained &trained : list) {
    nameNext((trained.path.getValue() + ".update").str());
    if (isAdamW)
      updateAdamW(trained, scalars);
    else
      updateSgd(trained, rate);
  }
}

void StepBuilder::updateBuffers() {
  ArrayAttr paths = func.getBuffers();
  llvm::StringMap<nn::ParameterOp> buffers;
  for (auto parameter : func.getBody().front().getOps<nn::ParameterOp>())
    buffers[parameter.getPath()] = parameter;
  size_t own = terminator->getNumOperands() - paths.size();
  SmallVector<Value> next(terminator->getOperands().drop_front(own));
  for (auto [path, value] :
       llvm::zip_equal(paths.getAsRange<StringAttr>(), next)) {
    nameNext((path.getValue() + ".update").str());
    assign(path.getValue(), value, buffers.lookup(path.getValue()));
  }
  terminator->eraseOperands(own, paths.size());
  auto names = func.getOutputs().getValue();
  func.setOutputsAttr(builder.getArrayAttr(names.take_front(own)));
  func.setBuffersAttr(builder.getArrayAttr({}));
}
