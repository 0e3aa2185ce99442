//===- Recompute.cpp - recompute, save: what the backward keeps -----------===//

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

/// Where the call of a module begins that ends with this value of its path: at
/// the first value at or under the path since the call before.
using CallBegins = llvm::DenseMap<Operation *, Operation *>;

static CallBegins findCalls(nn::FuncOp func) {
  CallBegins begins;
  llvm::StringMap<Operation *> open; // by path, of what has not ended
  for (auto value : func.getBody().front().getOps<nn::ValueOp>()) {
    StringRef path = value.getPath();
    open.try_emplace("", value); // of the model
    for (size_t end = path.find('.'); end != StringRef::npos;
         end = path.find('.', end + 1))
      open.try_emplace(path.take_front(end), value);
    auto begin = open.try_emplace(path, value).first;
    begins[value] = begin->second;
    open.erase(begin);
  }
  return begins;
}

namespace {

/// Marks what one call of a module computes, or what computes a binding, as
/// the part of that index. What another part has already stays there.
class Part {
public:
  explicit Part(int64_t index) : index(index) {}

  /// A module is inlined in one run of operations, from `first`, the first
  /// value of its own, to its result.
  void addModule(Operation *first, nn::ValueOp result) {
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
    if (isa<nn::ParameterOp, nn::ReturnOp>(op))
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
  if (recomputed.empty())
    return;
  llvm::stable_sort(recomputed, [](const auto &a, const auto &b) {
    return a.second->depth < b.second->depth;
  });
  Builder builder(func.getContext());
  SmallVector<Attribute> parts;
  CallBegins calls = findCalls(func);
  for (auto &[directive, node] : recomputed)
    for (nn::ValueOp value : node->values) {
      Part part(parts.size());
      if (value.getRole() == nn::ValueRole::Result)
        part.addModule(calls.lookup(value), value);
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
      if (gather.getKind() != RedistributeKind::AllGather ||
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
