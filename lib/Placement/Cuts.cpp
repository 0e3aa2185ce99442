//===- Cuts.cpp - the sizes that a directive cuts in ----------------------===//

#include "Cuts.h"
#include "dialects/Nn/Ordered.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

SmallVector<int64_t> placement::weightedSizes(int64_t extent,
                                              ArrayRef<int64_t> weights) {
  __extension__ using Wide = __int128;
  Wide total = 0;
  for (int64_t weight : weights)
    total += weight;
  SmallVector<int64_t> sizes;
  SmallVector<std::pair<Wide, size_t>> rests;
  int64_t left = extent;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    sizes.push_back(int64_t(Wide(extent) * weight / total));
    rests.push_back({Wide(extent) * weight % total, i});
    left -= sizes.back();
  }
  llvm::stable_sort(rests, [](auto &a, auto &b) { return a.first > b.first; });
  for (int64_t i = 0; i < left; ++i)
    ++sizes[rests[i].second];
  return sizes;
}

SmallVector<int64_t> placement::alignedSizes(int64_t extent, int64_t unit,
                                             int64_t count) {
  SmallVector<int64_t> sizes = nn::evenSizes(extent / unit, count);
  for (int64_t &size : sizes)
    size *= unit;
  sizes.back() += extent % unit;
  return sizes;
}

namespace {
/// How some axes, each inside of those before it, cut.
struct AxesCut {
  SmallVector<unsigned, 2> axes;
  StringRef kind; ///< sizes, weights, aligned or an order; empty: even
  SmallVector<int64_t> values;
  nn::Ordering order = {};
};
} // namespace

/// Values of parts by several axes, as those of their sums by the ones that
/// are left. `sizes` may go on with the parts of axes before: the leading ones.
static SmallVector<int64_t> sumsOver(ArrayRef<int64_t> values, ArrayAttr over,
                                     ArrayRef<StringRef> kept,
                                     nn::MeshAttr mesh) {
  SmallVector<int64_t> sums(values);
  int64_t inner = 1;
  for (Attribute attribute : llvm::reverse(over)) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    int64_t count = mesh.getSize(name);
    if (llvm::is_contained(kept, name)) {
      inner *= count;
      continue;
    }
    SmallVector<int64_t> merged(sums.size() / count, 0);
    for (auto [i, value] : llvm::enumerate(sums))
      merged[i / (inner * count) * inner + i % inner] += value;
    sums = std::move(merged);
  }
  return sums;
}

static nn::Ordering orderingOf(StringRef kind, ArrayRef<int64_t> values) {
  if (kind == "zigzag")
    return {nn::Order::Zigzag, 1};
  if (kind == "striped")
    return {nn::Order::Striped, values.front()};
  return {};
}

/// The cuts of the axes in order; `all` is the mesh with axes of size 1.
static std::vector<AxesCut> readCuts(ArrayAttr cuts, ArrayRef<unsigned> axes,
                                     nn::MeshAttr mesh, nn::MeshAttr all) {
  auto nameOf = [&](unsigned axis) {
    return mesh.getAxes()[axis].getName().getValue();
  };
  auto names = llvm::map_to_vector(axes, nameOf);
  std::vector<AxesCut> read;
  for (size_t i = 0; i < axes.size(); ++i) {
    AxesCut cut{{axes[i]}, "", {}};
    DictionaryAttr stated;
    if (cuts)
      for (auto each : cuts.getAsRange<DictionaryAttr>())
        if (llvm::is_contained(each.getAs<ArrayAttr>("over"),
                               Attribute(mesh.getAxes()[axes[i]].getName())))
          stated = each;
    if (stated) {
      auto over = stated.getAs<ArrayAttr>("over");
      ArrayRef<int64_t> values =
          stated.getAs<DenseI64ArrayAttr>("values").asArrayRef();
      cut.kind = stated.getAs<StringAttr>("kind").getValue();
      bool areOfParts = cut.kind == "sizes" || cut.kind == "weights";
      cut.order = orderingOf(cut.kind, values);
      cut.values = areOfParts ? sumsOver(values, over, names, all)
                              : SmallVector<int64_t>(values);
      while (areOfParts && i + 1 < axes.size() &&
             llvm::is_contained(
                 over, Attribute(mesh.getAxes()[axes[i + 1]].getName())))
        cut.axes.push_back(axes[++i]);
    }
    read.push_back(std::move(cut));
  }
  return read;
}

static std::string listText(ArrayRef<int64_t> values) {
  return "(" +
         llvm::join(
             llvm::map_range(
                 values, [](int64_t value) { return std::to_string(value); }),
             ", ") +
         ")";
}

std::string placement::cutsText(ArrayAttr cuts) {
  std::string text;
  if (!cuts)
    return text;
  for (auto cut : cuts.getAsRange<DictionaryAttr>()) {
    StringRef kind = cut.getAs<StringAttr>("kind").getValue();
    ArrayRef<int64_t> values =
        cut.getAs<DenseI64ArrayAttr>("values").asArrayRef();
    text += " " + kind.str();
    if (kind == "aligned" || (kind == "striped" && values.front() != 1))
      text += " " + std::to_string(values.front());
    else if (kind == "sizes" || kind == "weights")
      text += " " + listText(values);
  }
  return text;
}

std::string placement::overText(ArrayRef<std::string> axes, ArrayAttr cuts) {
  bool isByAxis = axes.size() > 1 && cuts;
  for (Attribute cut : isByAxis ? cuts.getValue() : ArrayRef<Attribute>())
    isByAxis &= cast<DictionaryAttr>(cut).getAs<ArrayAttr>("over").size() == 1;
  SmallVector<std::string> texts(axes);
  for (std::string &text : texts)
    for (Attribute cut : isByAxis ? cuts.getValue() : ArrayRef<Attribute>()) {
      auto over = cast<DictionaryAttr>(cut).getAs<ArrayAttr>("over");
      if (cast<StringAttr>(over[0]).getValue() == text)
        text += cutsText(ArrayAttr::get(cuts.getContext(), cut));
    }
  std::string list = llvm::join(texts, ", ");
  return (axes.size() == 1 ? list : "(" + list + ")") +
         (isByAxis ? "" : cutsText(cuts));
}

std::string placement::overText(ArrayRef<unsigned> axes, ArrayAttr cuts,
                                nn::MeshAttr mesh) {
  return overText(
      SmallVector<std::string>(llvm::map_range(
          axes,
          [&](unsigned axis) { return mesh.getAxes()[axis].getName().str(); })),
      cuts);
}

ArrayAttr LineCuts::of(nn::LayoutAttr layout,
                       ArrayRef<nn::SplitAttr> splits) const {
  bool areEven =
      llvm::all_of(splits, [](nn::SplitAttr split) { return split.isEven(); });
  if (areEven)
    return {};
  Builder builder(layout.getContext());
  SmallVector<StringRef> names;
  for (nn::SplitAttr split : splits)
    names.push_back(split.getAxis().getValue());
  nn::SplitAttr any = splits.front();
  if (nn::Ordering order = nn::orderOf(any); order.isOrdered())
    return builder.getArrayAttr(builder.getDictionaryAttr(
        {builder.getNamedAttr("over", builder.getStrArrayAttr(names.front())),
         builder.getNamedAttr(
             "kind", builder.getStringAttr(nn::stringifyOrder(order.kind))),
         builder.getNamedAttr("values",
                              builder.getDenseI64ArrayAttr(order.block))}));
  nn::FactorAttr factor =
      layout.getDims()[any.getDim()].getFactors()[any.getFactor()];
  SmallVector<int64_t> sizes = nn::partSizes(
      factor.getSize(), layout.splitsOf(any.getDim(), any.getFactor()), mesh);
  return builder.getArrayAttr(builder.getDictionaryAttr(
      {builder.getNamedAttr("over", builder.getStrArrayAttr(names)),
       builder.getNamedAttr("kind", builder.getStringAttr("sizes")),
       builder.getNamedAttr("values", builder.getDenseI64ArrayAttr(sizes))}));
}

/// Stated sizes are those of each part, or of all.
static bool checkSizesCount(Problems &problems, const CutPlace &place,
                            ArrayRef<int64_t> values, int64_t parts,
                            int64_t count) {
  int64_t stated = values.size();
  if (stated == count || stated == parts * count)
    return true;
  problems
      .addAt(place.directive,
             "sizes " + listText(values) + " of '" + place.path.str() +
                 "' are " + std::to_string(stated) + ", expected " +
                 std::to_string(count) + " or " +
                 std::to_string(parts * count) + ": one for each part of " +
                 place.factor,
             place.path.str())
      .note("list the sizes that each part is cut in, or those of all parts");
  return false;
}

/// What one axis makes in an order; it is the first one that cuts the factor.
static std::optional<nn::PartSizes>
orderedSizesOf(Problems &problems, const CutPlace &place, nn::Ordering order,
               const nn::PartSizes &parts, int64_t count) {
  if (parts.count() == 1)
    return nn::orderedSizes(parts.sum(), count, order);
  problems
      .addAt(place.directive,
             "not supported yet: '" + place.path.str() + "' has " +
                 place.factor + " in " + order.text() +
                 " order inside of another axis",
             place.path.str())
      .note("write the axis of the order first, as in over (r " + order.text() +
            ", u)");
  return std::nullopt;
}

/// What the axes make of each of `parts`; nothing after a reported error.
std::optional<nn::PartSizes> LineCuts::sizesOf(const CutPlace &place,
                                               StringRef kind,
                                               ArrayRef<int64_t> values,
                                               const nn::PartSizes &parts,
                                               int64_t count) {
  if (kind.empty())
    return parts.cutEvenly(count);
  if (kind == "zigzag" || kind == "striped")
    return orderedSizesOf(problems, place, orderingOf(kind, values), parts,
                          count);
  if (kind == "sizes" &&
      !checkSizesCount(problems, place, values, parts.count(), count))
    return std::nullopt;
  SmallVector<int64_t> sizes, list = parts.list();
  for (auto [i, part] : llvm::enumerate(list)) {
    if (kind == "weights")
      sizes.append(weightedSizes(part, values));
    else if (kind == "aligned")
      sizes.append(alignedSizes(part, values.front(), count));
    if (kind != "sizes")
      continue;
    bool areOfAll = int64_t(values.size()) != count;
    ArrayRef<int64_t> own = areOfAll ? values.slice(i * count, count) : values;
    if (int64_t sum = llvm::sum_of(own); sum != part) {
      problems
          .addAt(place.directive,
                 "sizes " + listText(own) + " are " + std::to_string(sum) +
                     " together, and '" + place.path.str() + "' has " +
                     std::to_string(part) + " of " + place.factor +
                     (list.size() > 1 ? " in a part of the axes before" : ""),
                 place.path.str())
          .note("even parts are sizes " +
                listText(nn::evenSizes({part}, count)));
      return std::nullopt;
    }
    sizes.append(own.begin(), own.end());
  }
  return nn::PartSizes(sizes);
}

/// As many parts are listed; of more it is said how many are empty.
static constexpr int64_t kListed = 16;

/// Of even parts, of which some ranks get none.
void LineCuts::warnOfIdleRanks(const CutPlace &place,
                               const nn::PartSizes &parts,
                               ArrayRef<unsigned> axes) {
  int64_t extent = parts.sum(), ranks = parts.count(), idle = parts.countOf(0);
  if (!warnings || extent == 0 || idle == 0)
    return;
  std::string path = place.path.str();
  std::string list = ranks > kListed ? "(...)" : listText(parts.list());
  std::string shares =
      ranks > kListed
          ? std::to_string(ranks - idle) + " ranks have a part, " +
                std::to_string(idle) + " have none"
          : "their parts are " + StringRef(list).drop_front().drop_back().str();
  warnings
      ->addAt(place.directive,
              "'" + path + "' has " + std::to_string(extent) + " of " +
                  place.factor + " for " + std::to_string(ranks) +
                  " ranks of " + axesText(axes, mesh) + ": " + shares,
              path)
      .note("ranks without a part are idle; if that is meant, write sizes " +
            list);
}

SmallVector<nn::SplitAttr>
LineCuts::splitsFor(Operation *directive, ArrayAttr cuts, nn::LayoutAttr layout,
                    FactorRef ref, ArrayRef<unsigned> axes, StringRef path) {
  SmallVector<nn::SplitAttr> splits;
  nn::PartSizes parts =
      nn::partsOf(layout.getDims()[ref.dim].getFactors()[ref.factor].getSize(),
                  layout.splitsOf(ref.dim, ref.factor), mesh);
  CutPlace place{directive, path, factorName(layout, ref)};
  bool areStated = false; // parts of none are meant
  for (AxesCut &cut : readCuts(cuts, axes, mesh, all)) {
    areStated |= cut.kind == "sizes" || cut.kind == "weights";
    int64_t count = 1;
    for (unsigned axis : cut.axes)
      count *= mesh.getAxes()[axis].getSize();
    auto sizes = sizesOf(place, cut.kind, cut.values, parts, count);
    if (!sizes) {
      sizes = parts.cutEvenly(count);
      cut.order = {};
    }
    // Of each axis: what those inside of it have together.
    for (unsigned axis : cut.axes) {
      count /= mesh.getAxes()[axis].getSize();
      nn::PartSizes own = sizes->grouped(count);
      nn::Bounds bounds;
      if (cut.order.isOrdered())
        bounds.order = cut.order;
      else if (!cut.kind.empty())
        bounds = nn::Bounds::of(own.list());
      splits.push_back(nn::splitOf(mesh.getAxes()[axis].getName(), ref.dim,
                                   ref.factor, parts, own, bounds));
      parts = std::move(own);
    }
  }
  if (!areStated)
    warnOfIdleRanks(place, parts, axes);
  return splits;
}
