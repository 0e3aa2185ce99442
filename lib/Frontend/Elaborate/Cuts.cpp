//===- Cuts.cpp - how a directive says to cut what it splits --------------===//

#include "ScheduleEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// "tp", "(dp, tp)".
static std::string axesText(mlir::ArrayAttr over) {
  std::vector<std::string> names;
  for (auto name : over.getAsRange<mlir::StringAttr>())
    names.push_back(name.str());
  return names.size() == 1 ? names.front()
                           : "(" + llvm::join(names, ", ") + ")";
}

/// Of one axis, and in blocks of something.
bool ScheduleEmitter::checkOrder(const Distribution &distribution,
                                 llvm::ArrayRef<int64_t> values,
                                 mlir::ArrayAttr over) {
  if (values.front() < 1) {
    elaborator.error(distribution.values.front()->range,
                     "stripes are blocks of at least 1, found " +
                         std::to_string(values.front()));
    return false;
  }
  if (over.size() == 1)
    return true;
  std::string word = elaborator.textOf(distribution.range);
  auto first = mlir::cast<mlir::StringAttr>(over[0]).str();
  elaborator
      .error(distribution.range, "not supported yet: '" + word +
                                     "' over several axes, " + axesText(over))
      .note("write it behind the first of them: over (" + first + " " + word +
            axesText(over).substr(1 + first.size()));
  return false;
}

/// What can be told without knowing what is cut.
bool ScheduleEmitter::checkCut(const Distribution &distribution,
                               llvm::ArrayRef<int64_t> values,
                               mlir::ArrayAttr over) {
  if (!distribution.cuts())
    return checkOrder(distribution, values, over);
  if (distribution.kind == Distribution::Kind::Aligned) {
    if (values.front() >= 1)
      return true;
    elaborator.error(distribution.values.front()->range,
                     "parts begin at multiples of a number of at least 1, "
                     "found " +
                         std::to_string(values.front()));
    return false;
  }
  bool areSizes = distribution.kind == Distribution::Kind::Sizes;
  for (auto [i, value] : llvm::enumerate(values))
    if (value < 0) {
      elaborator.error(distribution.values[i]->range,
                       std::string(areSizes ? "the size" : "the weight") +
                           " of a part is not negative, found " +
                           std::to_string(value));
      return false;
    }
  size_t ranks = 1;
  for (auto name : over.getAsRange<mlir::StringAttr>())
    ranks *= mesh.getSize(name.getValue());
  // Sizes may go on with the parts that other axes have made before.
  bool isRight = areSizes ? values.size() % ranks == 0 : values.size() == ranks;
  if (!isRight) {
    std::string ones;
    for (size_t i = 0; i < ranks; ++i)
      ones += i ? ", 1" : "1";
    elaborator
        .error(distribution.range, "expected " + std::to_string(ranks) +
                                       (areSizes ? " sizes" : " weights") +
                                       ", one for each rank of " +
                                       axesText(over) + ", found " +
                                       std::to_string(values.size()))
        .note("equal parts need no sizes; parts in proportion are 'weights (" +
              ones + ")'");
    return false;
  }
  if (areSizes || llvm::any_of(values, [](int64_t value) { return value > 0; }))
    return true;
  elaborator.error(distribution.range,
                   "all weights are 0, so no rank of " + axesText(over) +
                       " would hold anything; one of them has to be positive");
  return false;
}

bool ScheduleEmitter::addCut(std::vector<mlir::Attribute> &cuts,
                             const Distribution &distribution,
                             mlir::ArrayAttr over, const Place &place) {
  llvm::SmallVector<int64_t> values;
  for (const ExprPtr &value : distribution.values) {
    auto number = elaborator.evaluateInt(*value, *place.scope);
    if (!number || !elaborator.isInReach(
                       *number, getSpelling(distribution.kind), value->range))
      return false;
    values.push_back(*number);
  }
  if (!distribution.cuts() && values.empty())
    values.push_back(1); // the block of stripes
  if (!checkCut(distribution, values, over))
    return false;
  std::string kind = getSpelling(distribution.kind);
  cuts.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("over", over), text("kind", kind),
       builder.getNamedAttr("values", builder.getDenseI64ArrayAttr(values))}));
  return true;
}

bool ScheduleEmitter::addCuts(std::vector<mlir::NamedAttribute> &attributes,
                              const AxisList &list,
                              const std::vector<Distribution> &distributions,
                              mlir::ArrayAttr over, const Place &place) {
  std::vector<mlir::Attribute> cuts;
  for (auto [i, use] : llvm::enumerate(list.axes))
    if (use.distribution &&
        !addCut(cuts, *use.distribution, builder.getArrayAttr(over[i]), place))
      return false;
  for (const Distribution &distribution : distributions)
    if (!addCut(cuts, distribution, over, place))
      return false;
  if (!cuts.empty())
    attributes.push_back(
        builder.getNamedAttr("cuts", builder.getArrayAttr(cuts)));
  return true;
}
