//===- Kept.cpp - recompute, save: what the backward keeps ----------------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readRecompute(sched::RecomputeOp recompute) {
  for (PathNode *node : resolve(recompute, recompute.getPattern())) {
    if (node->values.empty()) {
      problems
          .addAt(recompute, "'" + node->path + "' computes nothing", node->path)
          .note("recompute takes modules and bindings of a forward");
      return;
    }
    recomputed.emplace_back(recompute, node);
  }
}

void Placer::readSave(sched::SaveOp save) {
  for (PathNode *node : resolve(save, save.getPattern()))
    saved.emplace_back(save, node);
}

namespace {

/// Marks what one call of a module computes, or what computes a binding, as
/// the part of that index. What another part has already stays there.
class Part {
public:
  explicit Part(int64_t index) : index(index) {}

  /// A module is inlined in one run of operations, from the first value of
  /// its own to its result.
  void addModule(nn::ValueOp result) {
    StringRef path = result.getPath();
    Operation *first = result;
    for (Operation *op = result->getPrevNode(); op; op = op->getPrevNode()) {
      auto value = dyn_cast<nn::ValueOp>(op);
      if (!value)
        continue;
      if (value.getPath() == path) // an earlier call
        break;
      if (isAtOrUnder(value.getPath(), path))
        first = op;
    }
    for (Operation *op = first; op != result; op = op->getNextNode())
      mark(op);
    mark(result);
    addSyncs(result);
  }

  /// A binding, and what computes it from values with names.
  void addBinding(nn::ValueOp binding) {
    SmallVector<Operation *> pending{binding};
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      if (!mark(op))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *from = operand.getDefiningOp())
          if (!isa<nn::ValueOp, nn::ParameterOp>(from))
            pending.push_back(from);
    }
    addSyncs(binding);
  }

  bool isEmpty() const { return !hasAny; }
  /// A part that some of it belonged to already, if any.
  std::optional<int64_t> getOther() const { return other; }

private:
  void addSyncs(nn::ValueOp value) {
    for (Operation *user : value->getUsers())
      if (isa<nn::RedistributeOp>(user))
        mark(user);
  }

  bool mark(Operation *op) {
    if (isa<nn::ParameterOp, func::ReturnOp>(op))
      return false;
    if (auto known = op->getAttrOfType<IntegerAttr>(nn::kRecompute)) {
      if (known.getInt() != index)
        other = known.getInt();
      return false;
    }
    op->setAttr(nn::kRecompute, Builder(op).getI64IntegerAttr(index));
    return hasAny = true;
  }

  int64_t index;
  bool hasAny = false;
  std::optional<int64_t> other;
};

} // namespace

/// Outer modules first: what is inside one is computed again with it.
void Placer::markRecomputed() {
  llvm::stable_sort(recomputed, [](const auto &a, const auto &b) {
    return a.second->depth < b.second->depth;
  });
  Builder builder(func.getContext());
  SmallVector<Attribute> parts;
  for (auto &[directive, node] : recomputed)
    for (nn::ValueOp value : node->values) {
      Part part(parts.size());
      if (value.getRole() == nn::ValueRole::Result)
        part.addModule(value);
      else
        part.addBinding(value);
      if (part.isEmpty() && part.getOther()) {
        auto outer = cast<DictionaryAttr>(parts[*part.getOther()]);
        problems
            .addAt(directive,
                   "recompute of '" + node->path + "' changes nothing: '" +
                       outer.getAs<StringAttr>("path").str() +
                       "' is computed again already",
                   node->path)
            .note(scheduleLine(outer.getAs<LocationAttr>("line")),
                  "computed again by this line")
            .note("leave out one of the two lines");
        continue;
      }
      parts.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("path", builder.getStringAttr(node->path)),
           builder.getNamedAttr("pattern", directive.getPatternAttr()),
           builder.getNamedAttr("line", LocationAttr(directive->getLoc()))}));
    }
  if (!parts.empty())
    func->setAttr(nn::kRecomputed, builder.getArrayAttr(parts));
}

void Placer::markKept() {
  markRecomputed();
  for (auto &request : saved) {
    sched::SaveOp directive = request.first;
    PathNode *node = request.second;
    bool any = false;
    func.walk([&](nn::RedistributeOp gather) {
      if (gather.getKind() != "all_gather" ||
          !isAtOrUnder(modelPath(gather), node->path))
        return;
      any = true;
      if (directive.getForm() == "gathered")
        gather->setAttr(nn::kGathered, UnitAttr::get(func.getContext()));
    });
    if (!any)
      problems
          .addAt(directive,
                 "nothing is gathered at or under '" + node->path + "'",
                 node->path)
          .note("save says how the backward keeps what an all_gather made; "
                "leave the line out");
  }
}
