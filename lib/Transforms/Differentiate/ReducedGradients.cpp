//===- ReducedGradients.cpp - gradients that a schedule line reduces ------===//

#include "Backward.h"
#include "dialects/Nn/BackwardSync.h"
#include "dialects/Nn/Origin.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::differentiation;

static std::string describeOn(nn::LayoutAttr layout, StringRef axis) {
  return layout.splitOver(axis) ? "split over " + axis.str()
                                : "whole on " + axis.str();
}

/// "all_reduce at 'h.0.attn.x'": what of the backward made the value so.
static std::string madeBy(Value value) {
  auto moved = value.getDefiningOp<nn::RedistributeOp>();
  if (!moved)
    return "";
  nn::Origin origin = nn::originOf(moved.getLoc());
  StringRef path = origin.path;
  path.consume_back(".grad");
  std::string text = nn::stringifyRedistributeKind(moved.getKind()).str() +
                     " at '" + path.str() + "'";
  return origin.schedule.empty() ? text : text + " (" + origin.schedule + ")";
}

/// What is stated must fit how the value, and so its gradient, is split. False
/// after an error.
static bool isHeldAsStated(nn::ValueOp op, DictionaryAttr line,
                           StringRef axis) {
  nn::LayoutAttr value = nn::layoutOf(op.getResult());
  nn::SplitAttr split = value.splitOver(axis);
  auto dim = line.getAs<IntegerAttr>("dim");
  if (!split ||
      (dim && dim.getInt() == split.getDim() &&
       line.getAs<IntegerAttr>("factor").getInt() == split.getFactor()))
    return true;
  StringRef factor = value.getDims()[split.getDim()]
                         .getFactors()[split.getFactor()]
                         .getName()
                         .getValue();
  std::string by =
      factor.empty() ? "dim " + std::to_string(split.getDim()) : factor.str();
  InFlightDiagnostic error =
      emitError(Location(cast<LocationAttr>(line.get("line"))))
      << line.getAs<StringAttr>("kind").getValue() << " at '" << op.getPath()
      << "' " << line.getAs<StringAttr>("point").getValue()
      << " would sum the gradient once more: the value is split by " << by
      << " over " << axis << ", so the backward scatters the sum there already";
  error.attachNote() << "leave this line out; `hocket plan --grad` shows the "
                        "reduce_scatter";
  return false;
}

/// The gradient of a named value, reduced as its lines say. False after an
/// error.
bool Backward::reduceAsStated(nn::ValueOp op, ArrayAttr lines) {
  Value gradient = takeSum(op.getResult())->value;
  for (auto line : lines.getAsRange<DictionaryAttr>()) {
    auto axes = line.getAs<ArrayAttr>("axes");
    StringRef kind = line.getAs<StringAttr>("kind").getValue();
    Location where(cast<LocationAttr>(line.get("line")));
    nn::LayoutAttr layout = nn::layoutOf(gradient);
    SmallVector<nn::PartialAttr> partials(layout.getPartials());
    SmallVector<nn::SplitAttr> splits(layout.getSplits());
    for (StringRef axis : axes.getAsValueRange<StringAttr>()) {
      if (layout.partialOver(axis) && !isHeldAsStated(op, line, axis))
        return false;
      if (layout.partialOver(axis)) {
        llvm::erase_if(partials, [&](nn::PartialAttr partial) {
          return partial.getAxis() == axis;
        });
        if (kind == "reduce_scatter")
          splits.push_back(nn::SplitAttr::get(
              op.getContext(), StringAttr::get(op.getContext(), axis),
              line.getAs<IntegerAttr>("dim").getInt(),
              line.getAs<IntegerAttr>("factor").getInt()));
        continue;
      }
      InFlightDiagnostic error =
          emitError(where) << kind << " at '" << op.getPath() << "' "
                           << line.getAs<StringAttr>("point").getValue()
                           << " needs a gradient that is a partial sum over "
                           << axis << ", and gets one that is "
                           << describeOn(layout, axis);
      if (std::string made = madeBy(gradient); !made.empty())
        error.attachNote() << "the backward has it so from the " << made;
      error.attachNote() << "leave this line out, or name the place where the "
                            "gradient is a sum; `hocket plan --grad` shows "
                            "what the backward moves";
      return false;
    }
    auto loc = FusedLoc::get(op.getContext(), {at, where});
    gradient = placer.redistribute(ops, loc, gradient,
                                   layout.withPlacement(splits, partials));
  }
  contributions[op.getResult()].push_back({gradient});
  stated.insert(op);
  return true;
}

/// Lines at values that no gradient reaches.
bool Backward::reportUnreached(ArrayRef<Operation *> forward) {
  for (Operation *op : forward) {
    auto lines = op->getAttrOfType<ArrayAttr>(nn::kBackwardSyncs);
    if (!lines || stated.contains(op))
      continue;
    for (auto line : lines.getAsRange<DictionaryAttr>())
      emitError(Location(cast<LocationAttr>(line.get("line"))))
          << line.getAs<StringAttr>("kind").getValue() << " at '"
          << cast<nn::ValueOp>(op).getPath() << "' "
          << line.getAs<StringAttr>("point").getValue()
          << " has no effect: no gradient comes there";
    return true;
  }
  return false;
}

/// The layout with the sums that the value's lines leave for later.
nn::LayoutAttr differentiation::withDelayed(nn::LayoutAttr layout, Value value,
                                            Value sum) {
  Operation *op = value.getDefiningOp();
  auto axes = op ? op->getAttrOfType<ArrayAttr>(nn::kDelayed) : ArrayAttr();
  if (!axes)
    return layout;
  SmallVector<nn::PartialAttr> partials(layout.getPartials());
  for (StringRef axis : axes.getAsValueRange<StringAttr>())
    if (nn::PartialAttr partial = nn::layoutOf(sum).partialOver(axis))
      if (!layout.splitOver(axis) && !layout.partialOver(axis))
        partials.push_back(partial);
  return layout.withPlacement(layout.getSplits(), partials);
}
