//===- Involved.cpp - the lines that have a part in a problem -------------===//

#include "Diagnosis.h"
#include "Locations.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// More lines than these have hardly a part in it.
static constexpr size_t kMostLines = 5;
static constexpr unsigned kDeepest = 3;

/// What an `axis` clause may name of a layout, each factor once.
static std::vector<std::string> dimNames(nn::LayoutAttr layout) {
  std::vector<std::string> names;
  for (auto [d, dim] : llvm::enumerate(layout.getDims()))
    for (unsigned f = 0; f < dim.getFactors().size(); ++f)
      if (dim.getFactors()[f].getSize() > 1)
        if (std::string name = axisName(layout, {unsigned(d), f});
            !name.empty())
          names.push_back(name);
  return names;
}

static std::string foundAt(nn::LayoutAttr layout, StringRef axis) {
  if (layout.partialOver(axis))
    return "partial";
  nn::SplitAttr split = layout.splitOver(axis);
  return split ? axisName(layout, {unsigned(split.getDim()),
                                   unsigned(split.getFactor())})
               : "whole";
}

void Diagnosis::involveLine(Problem &problem, Operation *directive, Value value,
                            unsigned axis) const {
  if (!directive) // taken as given, after an error
    return;
  Location line = definitionLine(directive->getLoc());
  bool isKnown = llvm::any_of(
      problem.lines, [&](const Involved &other) { return other.line == line; });
  if (isKnown || problem.lines.size() >= kMostLines)
    return;
  nn::LayoutAttr layout = nn::layoutOf(value);
  problem.lines.push_back({line,
                           dimNames(layout),
                           foundAt(layout, axisText(axis, mesh)),
                           {},
                           {},
                           {}});
}

void Diagnosis::involve(Problem &problem, Value value, unsigned axis,
                        unsigned depth) const {
  Value first = origins.chainOf(value, axis).front();
  const Origin &root = origins.of(first, axis);
  switch (root.kind) {
  case Origin::Kind::None:
  case Origin::Kind::Through:
    return;
  case Origin::Kind::Fact:
    return involveLine(problem, root.directive, first, axis);
  case Origin::Kind::Sync:
    involveLine(problem, root.directive, root.from, axis);
    [[fallthrough]];
  case Origin::Kind::Repaired:
    if (depth < kDeepest && root.from)
      involve(problem, root.from, axis, depth + 1);
    return;
  case Origin::Kind::Contracted:
    for (Value operand : root.op->getOperands())
      if (depth < kDeepest)
        involve(problem, operand, axis, depth + 1);
    return;
  }
}
