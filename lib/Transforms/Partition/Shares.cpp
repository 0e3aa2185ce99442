//===- Shares.cpp - which part of a factor each coordinate holds ----------===//

#include "Shares.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

AxisList Shares::live(ArrayRef<StringAttr> axes) const {
  AxisList result;
  for (StringAttr axis : axes)
    if (mesh.getSize(axis.getValue()) > 1)
      result.push_back(axis);
  return result;
}

AxisList Shares::inMeshOrder(ArrayRef<StringAttr> axes) const {
  AxisList result = live(axes);
  llvm::sort(result, [&](StringAttr a, StringAttr b) {
    return mesh.getIndex(a.getValue()) < mesh.getIndex(b.getValue());
  });
  return result;
}

AxisList Shares::axesOf(nn::LayoutAttr layout, int64_t dim,
                        int64_t factor) const {
  AxisList axes;
  for (nn::SplitAttr split : layout.splitsOf(dim, factor))
    axes.push_back(split.getAxis());
  return live(axes);
}

AxisList Shares::axesOf(nn::LayoutAttr layout, int64_t dim) const {
  AxisList axes;
  for (nn::SplitAttr split : layout.getSplits())
    if (split.getDim() == dim)
      axes.push_back(split.getAxis());
  return inMeshOrder(axes);
}

Share Shares::of(int64_t extent, ArrayRef<StringAttr> axes) {
  MLIRContext *context = mesh.getContext();
  AxisList cutting = live(axes);
  SmallVector<Attribute> attributes(cutting.begin(), cutting.end());
  auto [it, isNew] =
      known.try_emplace({extent, ArrayAttr::get(context, attributes)});
  if (!isNew)
    return it->second;
  SmallVector<nn::Interval> parts = {{0, extent}};
  for (StringAttr axis : cutting) {
    int64_t count = mesh.getSize(axis.getValue());
    SmallVector<nn::Interval> finer;
    for (nn::Interval part : parts)
      for (int64_t i = 0; i < count; ++i) {
        nn::Interval inner = nn::cut(part.size, count, i);
        finer.push_back({part.offset + inner.offset, inner.size});
      }
    parts = std::move(finer);
  }
  SmallVector<int64_t> offsets, sizes;
  for (nn::Interval part : parts) {
    offsets.push_back(part.offset);
    sizes.push_back(part.size);
  }
  it->second = {spmd::TableAttr::simplified(context, cutting, offsets),
                spmd::TableAttr::simplified(context, cutting, sizes)};
  return it->second;
}

FailureOr<spmd::TableAttr> Shares::offsetOf(nn::LayoutAttr layout,
                                            int64_t dim) {
  ArrayRef<nn::FactorAttr> factors = layout.getDims()[dim].getFactors();
  auto offset = spmd::TableAttr::constant(mesh.getContext(), 0);
  bool isMajor = true;
  for (int64_t f = 0, e = factors.size(); f < e; ++f) {
    if (factors[f].getSize() == 1)
      continue;
    AxisList axes = axesOf(layout, dim, f);
    if (!axes.empty() && !isMajor)
      return failure();
    if (!axes.empty()) {
      int64_t rest = 1;
      for (nn::FactorAttr minor : factors.drop_front(f + 1))
        rest *= minor.getSize();
      offset = scaled(of(factors[f].getSize(), axes).offset, rest, 0);
    }
    isMajor = false;
  }
  return offset;
}

spmd::BoxAttr Shares::boxOf(nn::LayoutAttr layout) {
  MLIRContext *context = mesh.getContext();
  SmallVector<spmd::CutAttr> cuts;
  for (int64_t d = 0, rank = layout.getDims().size(); d < rank; ++d) {
    ArrayRef<nn::FactorAttr> factors = layout.getDims()[d].getFactors();
    for (int64_t f = 0, e = factors.size(); f < e; ++f) {
      AxisList axes = axesOf(layout, d, f);
      if (axes.empty())
        continue;
      Share share = of(factors[f].getSize(), axes);
      cuts.push_back(
          spmd::CutAttr::get(context, d, f, share.offset, share.size));
    }
  }
  return spmd::BoxAttr::get(context, layout.withoutPlacement(), cuts);
}

spmd::TableAttr Shares::firstElement(spmd::BoxAttr box) const {
  // By factors from the minor one: how many elements a step of it skips.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> strides;
  int64_t stride = 1;
  ArrayRef<nn::DimAttr> dims = box.getLayout().getDims();
  for (int64_t d = dims.size(); d-- > 0;)
    for (int64_t f = dims[d].getFactors().size(); f-- > 0;) {
      strides[{d, f}] = stride;
      stride *= dims[d].getFactors()[f].getSize();
    }
  AxisList axes;
  for (spmd::CutAttr cut : box.getCuts())
    for (StringAttr axis : cut.getOffset().getAxes())
      axes.push_back(axis); // of one cut each
  axes = inMeshOrder(axes);
  SmallVector<Attribute> names(axes.begin(), axes.end());
  int64_t members =
      spmd::memberCount(mesh, ArrayAttr::get(mesh.getContext(), names));
  SmallVector<int64_t> firsts;
  for (int64_t member = 0; member < members; ++member) {
    SmallVector<int64_t> at(mesh.getAxes().size(), 0);
    int64_t rest = member, first = 0;
    for (StringAttr axis : llvm::reverse(axes)) {
      at[mesh.getIndex(axis.getValue())] = rest % mesh.getSize(axis.getValue());
      rest /= mesh.getSize(axis.getValue());
    }
    for (spmd::CutAttr cut : box.getCuts())
      first += cut.getOffset().at(mesh, at) *
               strides.lookup({cut.getDim(), cut.getFactor()});
    firsts.push_back(first);
  }
  return spmd::TableAttr::simplified(mesh.getContext(), axes, firsts);
}

spmd::TableAttr partitioning::scaled(spmd::TableAttr table, int64_t scale,
                                     int64_t constant) {
  SmallVector<int64_t> values;
  for (int64_t value : table.getValues())
    values.push_back(scale * value + constant);
  return spmd::TableAttr::get(table.getContext(), table.getAxes(), values);
}
