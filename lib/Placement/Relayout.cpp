//===- Relayout.cpp - layouts with some axes moved ------------------------===//

#include "Relayout.h"

using namespace mlir;
using namespace hocket;

nn::LayoutAttr placement::wholeOver(nn::LayoutAttr layout,
                                    ArrayRef<StringAttr> axes) {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<nn::PartialAttr> partials;
  for (nn::SplitAttr split : layout.getSplits())
    if (!llvm::is_contained(axes, split.getAxis()))
      splits.push_back(split);
  for (nn::PartialAttr partial : layout.getPartials())
    if (!llvm::is_contained(axes, partial.getAxis()))
      partials.push_back(partial);
  return layout.withPlacement(splits, partials);
}

nn::LayoutAttr placement::cutOver(nn::LayoutAttr layout,
                                  ArrayRef<StringAttr> axes, int64_t dim,
                                  int64_t factor) {
  SmallVector<nn::SplitAttr> splits(layout.getSplits());
  for (StringAttr axis : axes)
    splits.push_back(
        nn::SplitAttr::get(layout.getContext(), axis, dim, factor));
  return layout.withPlacement(splits, layout.getPartials());
}

SmallVector<StringAttr> placement::nestedFrom(nn::LayoutAttr layout,
                                              StringRef axis) {
  SmallVector<StringAttr> axes;
  nn::SplitAttr split = layout.splitOver(axis);
  if (!split)
    return axes;
  for (nn::SplitAttr nested :
       layout.splitsOf(split.getDim(), split.getFactor()))
    if (!axes.empty() || nested == split)
      axes.push_back(nested.getAxis());
  return axes;
}

SmallVector<StringAttr> placement::namesOf(ArrayRef<unsigned> axes,
                                           nn::MeshAttr mesh) {
  return llvm::map_to_vector(
      axes, [&](unsigned axis) { return mesh.getAxes()[axis].getName(); });
}
