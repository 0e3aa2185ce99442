//===- FuseLines.cpp - what fuse lines say is one kernel ------------------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Pinned.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

/// The matches of each pattern, one of each making a group.
void Placer::readFuse(sched::FuseOp fuse) {
  std::vector<std::vector<PathNode *>> lists;
  for (StringRef pattern : fuse.getPatterns().getAsValueRange<StringAttr>()) {
    lists.push_back(resolve(fuse, pattern));
    if (lists.back().empty())
      return;
    for (PathNode *node : lists.back())
      if (!node->hasRole(nn::ValueRole::Result) &&
          !node->hasRole(nn::ValueRole::Binding)) {
        problems
            .addAt(fuse, "'" + node->path + "' computes nothing", node->path)
            .note("fuse takes modules and bindings of a forward");
        return;
      }
    if (lists.back().size() != lists.front().size()) {
      problems
          .addAt(fuse,
                 ("'" + pattern + "' matches " + Twine(lists.back().size()) +
                  ", the first pattern " + Twine(lists.front().size()))
                     .str())
          .note("one match of each makes a kernel; write 'at h.* { fuse ... "
                "}', with paths relative to it");
      return;
    }
  }
  for (size_t i = 0; i < lists.front().size(); ++i) {
    PinnedKernel pinned{fuse, {}};
    for (const auto &list : lists)
      pinned.nodes.push_back(list[i]);
    pinnedKernels.push_back(std::move(pinned));
  }
}

static void pin(Operation *op, DictionaryAttr group) {
  SmallVector<Attribute> all;
  if (auto known = op->getAttrOfType<ArrayAttr>(nn::kPinned)) {
    if (llvm::is_contained(known, Attribute(group)))
      return;
    llvm::append_range(all, known);
  }
  all.push_back(group);
  op->setAttr(nn::kPinned, ArrayAttr::get(op->getContext(), all));
}

/// A binding is what computes it from values with names.
static void pinBinding(nn::ValueOp binding, DictionaryAttr group) {
  SmallVector<Operation *> pending{binding.getX().getDefiningOp()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!op || !seen.insert(op).second ||
        isa<nn::ValueOp, nn::ParameterOp, nn::RedistributeOp>(op))
      continue;
    pin(op, group);
    for (Value operand : op->getOperands())
      pending.push_back(operand.getDefiningOp());
  }
}

void Placer::pinKernels() {
  Builder builder(module.getContext());
  for (auto [number, pinned] : llvm::enumerate(pinnedKernels)) {
    sched::FuseOp directive = pinned.directive;
    DictionaryAttr group = builder.getDictionaryAttr(
        {builder.getNamedAttr("number", builder.getI64IntegerAttr(number)),
         builder.getNamedAttr(
             "line", LocationAttr(scheduleLine(directive->getLoc())))});
    for (PathNode *node : pinned.nodes) {
      for (nn::ValueOp value : node->values)
        if (value.getRole() == nn::ValueRole::Binding)
          pinBinding(value, group);
      if (!node->hasRole(nn::ValueRole::Result))
        continue;
      func.walk([&](Operation *op) {
        std::string at = modelPath(op);
        StringRef rest = at;
        if (rest.consume_front(node->path) &&
            (rest.empty() || rest.front() == '.') &&
            !isa<nn::ValueOp, nn::ParameterOp, nn::RedistributeOp>(op))
          pin(op, group);
      });
    }
  }
}
