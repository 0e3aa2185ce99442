//===- Relayout.cpp - layouts with some axes moved ------------------------===//

#include "Relayout.h"
#include "dialects/Nn/Shape.h"

using namespace mlir;
using namespace hocket;

nn::LayoutAttr placement::wholeOver(nn::LayoutAttr layout,
                                    ArrayRef<StringAttr> axes) {
  SmallVector<nn::SplitAttr> splits;
  SmallVector<nn::PartialAttr> partials;
  nn::SplitAttr left;
  for (nn::SplitAttr split : layout.getSplits()) {
    if (llvm::is_contained(axes, split.getAxis())) {
      left = split;
      continue;
    }
    // Sizes of parts of what is whole now say nothing.
    bool isInside = left && left.getDim() == split.getDim() &&
                    left.getFactor() == split.getFactor();
    splits.push_back(
        isInside ? nn::SplitAttr::get(layout.getContext(), split.getAxis(),
                                      split.getDim(), split.getFactor())
                 : split);
  }
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

nn::LayoutAttr placement::cutBy(nn::LayoutAttr layout,
                                ArrayRef<nn::SplitAttr> added) {
  SmallVector<nn::SplitAttr> splits(layout.getSplits());
  splits.append(added.begin(), added.end());
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

Value placement::withFactorsOf(OpBuilder &builder, Location loc, Value value,
                               nn::LayoutAttr target) {
  MLIRContext *context = value.getContext();
  SmallVector<nn::DimAttr> source;
  SmallVector<Attribute> order;
  int64_t next = 0;
  for (auto [from, to] :
       llvm::zip_equal(nn::layoutOf(value).getDims(), target.getDims())) {
    auto refined = nn::refineFactors(from.getFactors(), to.getFactors());
    source.push_back(succeeded(refined) ? nn::DimAttr::get(context, *refined)
                                        : from);
    SmallVector<int64_t> numbers;
    for (size_t i = 0; i < source.back().getFactors().size(); ++i)
      numbers.push_back(next++);
    order.push_back(builder.getI64ArrayAttr(numbers));
  }
  auto type = nn::withLayout(cast<RankedTensorType>(value.getType()),
                             target.withoutPlacement());
  return nn::RearrangeOp::create(builder, loc, type, value,
                                 nn::LayoutAttr::get(context, source),
                                 builder.getArrayAttr(order));
}

nn::LayoutAttr placement::recut(nn::LayoutAttr layout,
                                ArrayRef<nn::SplitAttr> splits) {
  SmallVector<nn::SplitAttr> made(layout.getSplits());
  for (nn::SplitAttr &split : made)
    for (nn::SplitAttr other : splits)
      if (other.getAxis() == split.getAxis())
        split = other;
  return layout.withPlacement(made, layout.getPartials());
}

bool placement::haveSameParts(nn::LayoutAttr a, nn::LayoutAttr b) {
  return a.getPartials() == b.getPartials() &&
         llvm::equal(a.getSplits(), b.getSplits(),
                     [](nn::SplitAttr x, nn::SplitAttr y) {
                       return x.getAxis() == y.getAxis() &&
                              x.getDim() == y.getDim() &&
                              x.getFactor() == y.getFactor() &&
                              x.getSizes() == y.getSizes() &&
                              nn::orderOf(x) == nn::orderOf(y);
                     });
}

bool placement::haveOtherOrders(nn::LayoutAttr layout,
                                ArrayRef<nn::SplitAttr> splits) {
  return llvm::any_of(splits, [&](nn::SplitAttr split) {
    nn::SplitAttr own = layout.splitOver(split.getAxis());
    return own && nn::orderOf(own) != nn::orderOf(split);
  });
}
