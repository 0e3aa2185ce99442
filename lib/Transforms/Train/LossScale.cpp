//===- LossScale.cpp - gradients of a scaled loss, steps left out ---------===//
//
// As PyTorch's GradScaler. Narrow gradients would vanish, so the loss is
// multiplied before the backward and the gradients divided after it. Where the
// norm of all gradients is no number, some narrow value was too large: the step
// changes nothing, and the scale is halved. After enough good steps in a row it
// is doubled. The norm is the same on all ranks, so all of them agree.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Train.h"
#include <limits>

using namespace mlir;
using namespace hocket;
using namespace hocket::training;

static constexpr double kGoodSteps = 2000;

Value StepBuilder::stateOfStep(StringRef name) {
  for (auto state : func.getBody().front().getOps<nn::StateOp>())
    if (state.getName() == name)
      return state;
  auto layout = nn::LayoutAttr::get(builder.getContext(), {}, {}, {});
  return nn::StateOp::create(builder, at,
                             nn::tensorOf(builder.getF32Type(), layout), name,
                             APFloat(0.0));
}

Value StepBuilder::choose(Value condition, Value a, Value b) {
  return make<nn::WhereOp>(withoutPlacement(a), condition, a, b);
}

/// The norm of the gradients themselves.
Value StepBuilder::unscale(Value norm) {
  auto written = recipe.getAs<DictionaryAttr>(kLossScale);
  if (!written)
    return norm;
  nameNext(kLossScale);
  isDynamic = written.getAs<BoolAttr>("dynamic").getValue();
  scale = isDynamic
              ? stateOfStep(kLossScale)
              : scalar(written.getAs<FloatAttr>("first").getValueAsDouble(),
                       builder.getF32Type());
  Value inverse =
      binary(nn::BinaryKind::Div, scalar(1, builder.getF32Type()), scale);
  norm = binary(nn::BinaryKind::Mul, norm, inverse);
  isGood = binary(nn::BinaryKind::Le, norm,
                  double(std::numeric_limits<float>::max()));
  for (Trained &trained : list) {
    nameNext((trained.path.getValue() + ".update").str());
    trained.gradient = binary(nn::BinaryKind::Mul, trained.gradient, inverse);
  }
  return norm;
}

/// What `name` holds after a step that may be left out.
Value StepBuilder::unlessLeftOut(Value next, Value stored) {
  return isGood ? choose(isGood, next, stored) : next;
}

/// How often the optimizer has changed parameters before this step, as f64.
Value StepBuilder::updatesBefore(Value step) {
  if (!isGood)
    return step;
  Value updates = stateOfStep("updates");
  assign("updates", binary(nn::BinaryKind::Add, updates, 1.0), updates);
  return rounded(updates, builder.getF64Type());
}

void StepBuilder::updateScale() {
  if (!isDynamic)
    return;
  nameNext(kLossScale);
  Value steps = stateOfStep("loss_scale_steps");
  Value next = binary(nn::BinaryKind::Add, steps, 1.0);
  Value isLong = binary(nn::BinaryKind::Le,
                        scalar(kGoodSteps, builder.getF32Type()), next);
  Value zero = scalar(0, builder.getF32Type());
  Value grown = choose(isLong, binary(nn::BinaryKind::Mul, scale, 2.0), scale);
  Value least = binary(nn::BinaryKind::Maximum,
                       binary(nn::BinaryKind::Mul, scale, 0.5), 1.0);
  assigned.push_back(
      {builder.getStringAttr(kLossScale), choose(isGood, grown, least)});
  assigned.push_back({builder.getStringAttr("loss_scale_steps"),
                      choose(isGood, choose(isLong, zero, next), zero)});
}
