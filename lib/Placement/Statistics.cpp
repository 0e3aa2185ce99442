//===- Statistics.cpp - reductions that `statistics` completes ------------===//
//
// A norm or softmax over a split dim reduces inside itself. A sum, mean or
// maximum is an operation of its own: where a licence covers it and its result
// would be partial over a licensed axis, it is all_reduced on the spot. So
// loss functions end whole, whatever of their operands is split.
//
//===----------------------------------------------------------------------===//

#include "Locations.h"
#include "Placer.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

static nn::LayoutAttr withoutPartials(nn::LayoutAttr layout,
                                      ArrayRef<StringRef> axes) {
  SmallVector<nn::PartialAttr> kept;
  for (nn::PartialAttr partial : layout.getPartials())
    if (!llvm::is_contained(axes, partial.getAxis().getValue()))
      kept.push_back(partial);
  return layout.withPlacement(layout.getSplits(), kept);
}

Operation *Placer::licenceOf(Operation *op, unsigned axis) {
  std::string path = modelPath(op);
  for (Licence &licence : licences)
    if (llvm::is_contained(licence.axes, axis) && licence.covers(path))
      return licence.directive;
  return nullptr;
}

void Placer::completeReduction(nn::ReduceOp op) {
  Value value = op.getResult();
  for (nn::Reduction reduction :
       {nn::Reduction::Sum, nn::Reduction::Max, nn::Reduction::Min}) {
    SmallVector<unsigned> axes;
    SmallVector<StringRef> names;
    for (nn::PartialAttr partial : nn::layoutOf(value).getPartials()) {
      unsigned axis = mesh.getIndex(partial.getAxis().getValue());
      if (partial.getReduction() == reduction &&
          isLicensed(op, axis, /*takes=*/true)) {
        axes.push_back(axis);
        names.push_back(partial.getAxis().getValue());
      }
    }
    if (axes.empty())
      continue;
    llvm::sort(axes);
    Operation *directive = licenceOf(op, axes.front());
    Location loc =
        directive ? madeBy(op->getLoc(), directive->getLoc()) : op->getLoc();
    Value whole =
        redistribute(value, RedistributeKind::AllReduce, axes,
                     withoutPartials(nn::layoutOf(value), names), loc);
    value.replaceAllUsesExcept(whole, whole.getDefiningOp());
    for (unsigned axis = 0; axis < mesh.getAxes().size(); ++axis) {
      Origin origin;
      bool isMoved = llvm::is_contained(axes, axis);
      origin.kind = isMoved ? Origin::Kind::Sync : Origin::Kind::Through;
      origin.directive = isMoved ? licenceOf(op, axis) : nullptr;
      origin.op = whole.getDefiningOp();
      origin.from = value;
      origins.set(whole, axis, origin);
    }
    value = whole;
  }
}
