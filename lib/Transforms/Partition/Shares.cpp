//===- Shares.cpp - which part of a factor each coordinate holds ----------===//

#include "Shares.h"
#include "dialects/Nn/Ordered.h"
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

SmallVector<nn::SplitAttr> Shares::splitsOf(nn::LayoutAttr layout, int64_t dim,
                                            int64_t factor) const {
  return llvm::filter_to_vector(
      layout.splitsOf(dim, factor), [&](nn::SplitAttr split) {
        return mesh.getSize(split.getAxis().getValue()) > 1;
      });
}

AxisList Shares::axesOf(nn::LayoutAttr layout, int64_t dim,
                        int64_t factor) const {
  AxisList axes;
  for (nn::SplitAttr split : splitsOf(layout, dim, factor))
    axes.push_back(split.getAxis());
  return axes;
}

AxisList Shares::axesOf(nn::LayoutAttr layout, int64_t dim) const {
  AxisList axes;
  for (nn::SplitAttr split : layout.getSplits())
    if (split.getDim() == dim)
      axes.push_back(split.getAxis());
  return inMeshOrder(axes);
}

static int64_t sizeOf(nn::LayoutAttr layout, int64_t dim, int64_t factor) {
  return layout.getDims()[dim].getFactors()[factor].getSize();
}

/// What splits cut an extent alike is cut alike, whichever factor it is.
static ArrayAttr withoutPlace(ArrayRef<nn::SplitAttr> splits,
                              MLIRContext *context) {
  SmallVector<Attribute> cuts;
  for (nn::SplitAttr split : splits)
    cuts.push_back(nn::SplitAttr::get(
        context, split.getAxis(), 0, 0, split.getSizes(), /*bounds=*/{},
        /*denominator=*/1, split.getOrder(), split.getBlock()));
  return ArrayAttr::get(context, cuts);
}

/// Tables by the axes of the splits, of parts that begin at 0.
static Share tablesOf(ArrayRef<nn::SplitAttr> splits, ArrayRef<int64_t> parts,
                      MLIRContext *context) {
  AxisList axes;
  for (nn::SplitAttr split : splits)
    axes.push_back(split.getAxis());
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (int64_t part : parts) {
    offsets.push_back(end);
    end += part;
  }
  return {spmd::TableAttr::simplified(context, axes, offsets),
          spmd::TableAttr::simplified(context, axes, parts)};
}

/// What the first split says of where elements stand: it makes `parts` of which
/// each is cut in as many by those inside of it.
static spmd::RunsAttr runsOf(ArrayRef<nn::SplitAttr> splits, int64_t extent,
                             ArrayRef<int64_t> parts, nn::MeshAttr mesh) {
  if (splits.empty() || !splits.front().isOrdered())
    return {};
  MLIRContext *context = mesh.getContext();
  AxisList axes;
  for (nn::SplitAttr split : splits)
    axes.push_back(split.getAxis());
  int64_t outer = mesh.getSize(splits.front().getAxis());
  int64_t inside = parts.size() / outer;
  SmallVector<int64_t> begins, firsts, lengths, everys;
  for (int64_t member = 0, begin = 0; member < outer; ++member) {
    nn::Runs runs =
        nn::orderedRuns(extent, outer, member, nn::orderOf(splits.front()));
    begins.append(inside, begin);
    firsts.append(inside, runs.first);
    lengths.append(inside, runs.length);
    everys.append(inside, runs.every);
    begin += llvm::sum_of(parts.slice(member * inside, inside));
  }
  auto table = [&](ArrayRef<int64_t> values) {
    return spmd::TableAttr::simplified(context, axes, values);
  };
  return spmd::RunsAttr::get(context, table(begins), table(firsts),
                             table(lengths), table(everys));
}

Share Shares::of(nn::LayoutAttr layout, int64_t dim, int64_t factor) {
  MLIRContext *context = mesh.getContext();
  SmallVector<nn::SplitAttr> splits = splitsOf(layout, dim, factor);
  int64_t extent = sizeOf(layout, dim, factor);
  auto [it, isNew] = known.try_emplace({extent, withoutPlace(splits, context)});
  if (isNew) {
    SmallVector<int64_t> parts = nn::partSizes(extent, splits, mesh);
    it->second = tablesOf(splits, parts, context);
    it->second.runs = runsOf(splits, extent, parts, mesh);
  }
  return it->second;
}

Share Shares::held(nn::LayoutAttr layout, int64_t dim, int64_t factor) {
  nn::HeldAttr said = layout.heldOf(dim, factor);
  if (!said)
    return of(layout, dim, factor);
  MLIRContext *context = mesh.getContext();
  AxisList axes = axesOf(layout, dim, factor);
  SmallVector<int64_t> offsets, sizes;
  for (nn::Interval part : nn::heldParts(layout, dim, factor, mesh)) {
    offsets.push_back(part.offset);
    sizes.push_back(part.size);
  }
  return {spmd::TableAttr::simplified(context, axes, offsets),
          spmd::TableAttr::simplified(context, axes, sizes),
          /*runs=*/{}, said.getRows()};
}

Share Shares::inside(nn::LayoutAttr layout, int64_t dim, int64_t factor,
                     size_t inner, ArrayRef<int64_t> coordinates) {
  MLIRContext *context = mesh.getContext();
  SmallVector<nn::SplitAttr> splits = splitsOf(layout, dim, factor);
  auto outer = ArrayRef(splits).drop_back(inner);
  int64_t part = 0, extent = sizeOf(layout, dim, factor);
  for (nn::SplitAttr split : outer) {
    int64_t axis = mesh.getIndex(split.getAxis().getValue());
    part = part * mesh.getAxes()[axis].getSize() + coordinates[axis];
  }
  if (layout.heldOf(dim, factor))
    return heldInside(nn::heldParts(layout, dim, factor, mesh),
                      nn::partSizes(extent, splits, mesh),
                      ArrayRef(splits).take_back(inner), part);
  auto [it, isNew] = knownInside.try_emplace(
      {extent, withoutPlace(splits, context).getAsOpaquePointer(), inner,
       part});
  if (isNew) {
    SmallVector<int64_t> parts = nn::partSizes(extent, splits, mesh);
    size_t count = 1;
    for (nn::SplitAttr split : ArrayRef(splits).take_back(inner))
      count *= mesh.getSize(split.getAxis().getValue());
    it->second = tablesOf(ArrayRef(splits).take_back(inner),
                          ArrayRef(parts).slice(part * count, count), context);
  }
  return it->second;
}

Share Shares::heldInside(ArrayRef<nn::Interval> held, ArrayRef<int64_t> parts,
                         ArrayRef<nn::SplitAttr> inner, int64_t outer) const {
  AxisList axes;
  size_t count = 1;
  for (nn::SplitAttr split : inner) {
    axes.push_back(split.getAxis());
    count *= mesh.getSize(split.getAxis().getValue());
  }
  int64_t begin = llvm::sum_of(parts.take_front(outer * count));
  SmallVector<int64_t> offsets, sizes;
  for (size_t member = outer * count; member < (outer + 1) * count; ++member) {
    offsets.push_back(held[member].offset - begin);
    sizes.push_back(held[member].size);
  }
  MLIRContext *context = mesh.getContext();
  return {spmd::TableAttr::simplified(context, axes, offsets),
          spmd::TableAttr::simplified(context, axes, sizes)};
}

FailureOr<spmd::TableAttr> Shares::offsetOf(nn::LayoutAttr layout,
                                            int64_t dim) {
  FailureOr<Place> place = placeOf(layout, dim);
  if (failed(place) || place->runs)
    return failure();
  return place->offset;
}

FailureOr<Place> Shares::placeOf(nn::LayoutAttr layout, int64_t dim) {
  ArrayRef<nn::FactorAttr> factors = layout.getDims()[dim].getFactors();
  Place place{spmd::TableAttr::constant(mesh.getContext(), 0)};
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
      Share share = held(layout, dim, f);
      place.offset = scaled(share.offset, rest, 0);
      if (share.runs)
        place.runs = scaled(share.runs, rest);
    }
    isMajor = false;
  }
  return place;
}

spmd::BoxAttr Shares::boxOf(nn::LayoutAttr layout) {
  MLIRContext *context = mesh.getContext();
  SmallVector<spmd::CutAttr> cuts;
  for (int64_t d = 0, rank = layout.getDims().size(); d < rank; ++d) {
    ArrayRef<nn::FactorAttr> factors = layout.getDims()[d].getFactors();
    for (int64_t f = 0, e = factors.size(); f < e; ++f) {
      if (axesOf(layout, d, f).empty())
        continue;
      Share share = of(layout, d, f);
      cuts.push_back(spmd::CutAttr::get(context, d, f, share.offset, share.size,
                                        share.runs));
    }
  }
  return spmd::BoxAttr::get(context, layout.withoutPlacement(), cuts);
}

spmd::TableAttr Shares::firstElement(spmd::BoxAttr box) {
  auto [it, isNew] = knownFirst.try_emplace(box);
  if (isNew)
    it->second = findFirstElement(box);
  return it->second;
}

spmd::TableAttr Shares::findFirstElement(spmd::BoxAttr box) const {
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
  auto isInterval = [](spmd::CutAttr cut) { return !cut.getRuns(); };
  auto cuts = llvm::filter_to_vector(box.getCuts(), isInterval);
  for (spmd::CutAttr cut : cuts)
    for (StringAttr axis : cut.getOffset().getAxes())
      axes.push_back(axis); // of one cut each
  axes = inMeshOrder(axes);
  // Row-major over the axes, of which each belongs to one cut: a minor axis
  // repeats what the ones before it give.
  SmallVector<int64_t> firsts = {0};
  auto sizeOf = [&](StringAttr axis) { return mesh.getSize(axis.getValue()); };
  SmallVector<int64_t> steps(axes.size(), 1); // of a member along each axis
  for (size_t i = axes.size(); i-- > 1;)
    steps[i - 1] = steps[i] * sizeOf(axes[i]);
  if (!axes.empty())
    firsts.assign(steps[0] * sizeOf(axes[0]), 0);
  for (spmd::CutAttr cut : cuts) {
    spmd::TableAttr offsets = cut.getOffset();
    int64_t pitch = strides.lookup({cut.getDim(), cut.getFactor()});
    SmallVector<std::pair<int64_t, int64_t>> along; // step, size, by axis
    for (StringAttr axis : offsets.getAxes()) {
      size_t i = llvm::find(axes, axis) - axes.begin();
      along.push_back(
          {i < steps.size() ? steps[i] : int64_t(firsts.size()), sizeOf(axis)});
    }
    for (auto [member, first] : llvm::enumerate(firsts)) {
      int64_t index = 0;
      for (auto [step, size] : along)
        index = index * size + int64_t(member) / step % size;
      first += offsets.getValues()[index] * pitch;
    }
  }
  return spmd::TableAttr::simplified(mesh.getContext(), axes, firsts);
}

spmd::RunsAttr partitioning::scaled(spmd::RunsAttr runs, int64_t scale) {
  auto table = [&](spmd::TableAttr table) { return scaled(table, scale, 0); };
  return spmd::RunsAttr::get(runs.getContext(), table(runs.getBegin()),
                             table(runs.getFirst()), table(runs.getLength()),
                             table(runs.getEvery()));
}

spmd::TableAttr partitioning::scaled(spmd::TableAttr table, int64_t scale,
                                     int64_t constant) {
  SmallVector<int64_t> values;
  for (int64_t value : table.getValues())
    values.push_back(scale * value + constant);
  return spmd::TableAttr::get(table.getContext(), table.getAxes(), values);
}
