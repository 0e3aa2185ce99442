//===- ScheduleHalo.cpp - halos, and attention over a split sequence ------===//

#include "ScheduleEmitter.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

bool ScheduleEmitter::emitHalo(const HaloStmt &stmt, Place &place) {
  const HaloOptions &options = stmt.options;
  auto pattern = absolute(stmt.pattern, place);
  auto over = axes(stmt.axes, place);
  if (!pattern || !over)
    return false;
  std::vector<mlir::NamedAttribute> attributes{
      text("pattern", *pattern), text("axis", stmt.dim.text),
      builder.getNamedAttr("over", *over)};
  std::vector<int64_t> stated;
  if (options.reach)
    for (const ExprPtr &value : options.reach->values) {
      auto number = elaborator.evaluateInt(*value, *place.scope);
      if (!number)
        return false;
      if (*number < 0) {
        elaborator.error(value->range,
                         "a reach of " + std::to_string(*number) +
                             "; expected how many positions beyond its part a "
                             "rank reads, or auto");
        return false;
      }
      stated.push_back(*number);
    }
  if (stated.size() == 1) // to both sides
    stated.push_back(stated.front());
  if (!stated.empty())
    attributes.push_back(
        builder.getNamedAttr("reach", builder.getDenseI64ArrayAttr(stated)));
  if (options.strategy)
    attributes.push_back(text("strategy", getSpelling(*options.strategy)));
  if (options.layers) {
    auto layers = elaborator.evaluateInt(*options.layers, *place.scope);
    if (!layers)
      return false;
    if (*layers < 1) {
      elaborator.error(options.layers->range,
                       "layers " + std::to_string(*layers) +
                           "; expected for how many operations with windows "
                           "margins are exchanged at once, 1 or more");
      return false;
    }
    attributes.push_back(
        builder.getNamedAttr("layers", builder.getI64IntegerAttr(*layers)));
  }
  flag(attributes, "overlaps", options.overlap.has_value());
  flag(attributes, "isOptional", place.isOptional);
  write<sched::HaloOp>(location(stmt.pattern.range, place), attributes);
  return true;
}

/// What is exchanged is one value of each match.
bool ScheduleEmitter::checkFrom(const AttentionStmt::Part &part) {
  std::string written = "'from " + part.from->str() + "'";
  if (part.strategy != AttentionStrategy::Sequence) {
    elaborator
        .error(part.from->range, written +
                                     " says what a halo exchanges, and using " +
                                     getSpelling(part.strategy) + " has none")
        .note("leave out " + written + ", or write using sequence");
    return false;
  }
  if (!part.from->isPlain() || part.from->isSelf()) {
    elaborator
        .error(part.from->range,
               written + ", expected the path of one module or value")
        .note("it goes on from each match of the pattern: using sequence over "
              "domain from lin_qkv");
    return false;
  }
  return true;
}

bool ScheduleEmitter::emitAttention(const AttentionStmt &stmt, Place &place) {
  auto pattern = absolute(stmt.pattern, place);
  if (!pattern)
    return false;
  for (const AttentionStmt::Part &part : stmt.parts) {
    if (part.from && !checkFrom(part))
      return false;
    auto over = axes(part.axes, place);
    if (!over)
      return false;
    std::vector<mlir::NamedAttribute> attributes{
        text("pattern", *pattern), text("strategy", getSpelling(part.strategy)),
        builder.getNamedAttr("over", *over)};
    if (part.from)
      attributes.push_back(text("from", part.from->str()));
    flag(attributes, "isOptional", place.isOptional);
    write<sched::AttentionOp>(location(stmt.pattern.range, place), attributes);
  }
  return true;
}
