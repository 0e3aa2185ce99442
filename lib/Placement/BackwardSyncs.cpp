//===- BackwardSyncs.cpp - sync at bwd_pre and bwd_post -------------------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/BackwardSync.h"
#include "dialects/Nn/Values.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readBackwardSync(sched::SyncOp sync) {
  auto axes = readAxes(sync, sync.getOver());
  if (!axes)
    return;
  // The gradient of what a module is given comes after its backward.
  StringRef moment = sync.getMoment() == "bwd_post" ? "fwd_pre" : "fwd_post";
  for (PathNode *node : resolve(sync, sync.getPattern())) {
    std::string why;
    for (Value value : sitesOf(*node, moment, why))
      if (value.getDefiningOp<nn::ValueOp>() && !axes->empty())
        backwardSites.push_back({sync, node->path, value, *axes});
      else if (isa<BlockArgument>(value))
        why = "'" + node->path +
              "' is an input: its gradient is reduced where the backward ends";
    if (!why.empty())
      problems.addAt(sync, why, node->path)
          .note("bwd_post is the gradient of what a module is given, bwd_pre "
                "that of its result or of a binding");
  }
}

/// Everything that the module computes between its arguments and its result.
void Placer::delayInside(StringRef path, ArrayAttr axes) {
  func.walk([&](Operation *op) {
    std::string at = modelPath(op);
    StringRef rest = at;
    bool isInside =
        rest.consume_front(path) && (rest.empty() || rest.front() == '.');
    if (!isInside || isa<nn::ValueOp, nn::ParameterOp, nn::ReturnOp>(op))
      return;
    SmallVector<Attribute> all;
    if (auto known = op->getAttrOfType<ArrayAttr>(nn::kDelayed))
      llvm::append_range(all, known);
    llvm::append_range(all, axes);
    op->setAttr(nn::kDelayed, ArrayAttr::get(op->getContext(), all));
  });
}

void Placer::markBackwardSyncs() {
  Builder builder(module.getContext());
  for (BackwardSite &site : backwardSites) {
    sched::SyncOp sync = site.directive;
    Operation *op = site.value.getDefiningOp();
    SmallVector<StringRef> names;
    for (unsigned axis : site.axes)
      names.push_back(mesh.getAxes()[axis].getName().getValue());
    ArrayAttr axes = builder.getStrArrayAttr(names);
    SmallVector<NamedAttribute> fields{
        builder.getNamedAttr(
            "kind",
            builder.getStringAttr(stringifyRedistributeKind(sync.getKind()))),
        builder.getNamedAttr("point", sync.getMomentAttr()),
        builder.getNamedAttr("axes", axes),
        builder.getNamedAttr("line",
                             LocationAttr(scheduleLine(sync->getLoc())))};
    if (sync.getAxis()) {
      auto factor = readFactor(sync, *sync.getAxis(), nn::layoutOf(site.value),
                               site.path);
      if (!factor)
        return;
      fields.push_back(
          builder.getNamedAttr("dim", builder.getI64IntegerAttr(factor->dim)));
      fields.push_back(builder.getNamedAttr(
          "factor", builder.getI64IntegerAttr(factor->factor)));
    }
    SmallVector<Attribute> all;
    if (auto known = op->getAttrOfType<ArrayAttr>(nn::kBackwardSyncs))
      llvm::append_range(all, known);
    all.push_back(builder.getDictionaryAttr(fields));
    op->setAttr(nn::kBackwardSyncs, builder.getArrayAttr(all));
    auto named = cast<nn::ValueOp>(op);
    if (named.getRole() == nn::ValueRole::Argument)
      delayInside(named.getPath().rsplit('.').first, axes);
  }
}
