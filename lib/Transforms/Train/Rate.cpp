//===- Rate.cpp - learning rates by step ----------------------------------===//
//
// Step t counts from 0. During the warmup the rate is max (t + 1) / warmup;
// after it, constant, or going down from max to min until `steps` along a line
// or half a cosine, and min from then on. All of it is in float64.
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include <cmath>

using namespace mlir;
using namespace hocket;
using namespace hocket::training;

Value StepBuilder::rateAt(Value step) {
  auto schedule = recipe.getAs<DictionaryAttr>("lr");
  StringRef kind = schedule.getAs<StringAttr>("kind").getValue();
  double most = schedule.getAs<FloatAttr>("max").getValueAsDouble();
  double least = schedule.getAs<FloatAttr>("min").getValueAsDouble();
  double warmup = schedule.getAs<IntegerAttr>("warmup").getInt();
  double steps = schedule.getAs<IntegerAttr>("steps").getInt();
  Value rate = scalar(most, builder.getF64Type());
  if (kind != "constant") {
    // How far it has come, from 0 to 1.
    Value way =
        binary(nn::BinaryKind::Mul, binary(nn::BinaryKind::Sub, step, warmup),
               1 / std::max(steps - warmup, 1.0));
    way = binary(nn::BinaryKind::Minimum,
                 binary(nn::BinaryKind::Maximum, way, 0.0), 1.0);
    Value share =
        binary(nn::BinaryKind::Sub, scalar(1, builder.getF64Type()), way);
    if (kind == "cosine")
      share = binary(nn::BinaryKind::Add,
                     binary(nn::BinaryKind::Mul,
                            unary(nn::UnaryKind::Cos,
                                  binary(nn::BinaryKind::Mul, way, M_PI)),
                            0.5),
                     0.5);
    rate = binary(nn::BinaryKind::Add,
                  binary(nn::BinaryKind::Mul, share, most - least), least);
  }
  if (warmup == 0)
    return rate;
  Value rising = binary(nn::BinaryKind::Mul,
                        binary(nn::BinaryKind::Add, step, 1.0), most / warmup);
  Value isWarm = binary(nn::BinaryKind::Lt, step, warmup);
  return make<nn::WhereOp>(cast<RankedTensorType>(rate.getType()), isWarm,
                           rising, rate);
}
