//===- Ring.cpp - keys and values that travel -----------------------------===//

#include "dialects/Nn/Ring.h"
#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Ordered.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

template <class OpTy> static RingMask maskOf(OpTy op) {
  RingMask mask{op.getBefore(), op.getAfter()};
  if (op.getCausal())
    mask.after = 0;
  mask.layout = blockLayoutOf(op.getBlockLayoutAttr());
  mask.heads = layoutOf(op.getQ()).getDims()[1].getSize();
  mask.extent = layoutOf(op.getK()).getDims()[2].getSize();
  return mask;
}

RingMask RingMask::of(AttentionOp op) { return maskOf(op); }
RingMask RingMask::of(AttentionGradOp op) { return maskOf(op); }

bool RingMask::sees(ArrayRef<Interval> queries, ArrayRef<Interval> keys) const {
  return llvm::any_of(queries, [&](Interval rows) {
    int64_t last = rows.offset + rows.size - 1;
    return llvm::any_of(keys, [&](Interval columns) {
      return (!before ||
              columns.offset + columns.size > rows.offset - *before) &&
             (!after || columns.offset <= last + *after);
    });
  });
}

SmallVector<RunList> nn::runsOfParts(int64_t extent, ArrayRef<SplitAttr> splits,
                                     MeshAttr mesh) {
  SmallVector<int64_t> sizes = partSizes(extent, splits, mesh);
  Ordering order = splits.empty() ? Ordering() : orderOf(splits.front());
  int64_t outer =
      order.isOrdered() ? mesh.getSize(splits.front().getAxis()) : 1;
  int64_t inner = int64_t(sizes.size()) / outer;
  SmallVector<RunList> parts;
  int64_t begin = 0;
  for (auto [number, size] : llvm::enumerate(sizes)) {
    RunList &runs = parts.emplace_back();
    if (order.isOrdered() && int64_t(number) % inner == 0)
      begin = 0; // in what the order gives the outer part
    Runs places = order.isOrdered()
                      ? orderedRuns(extent, outer, number / inner, order)
                      : Runs{0, std::max<int64_t>(extent, 1), 0};
    for (int64_t left = size; left > 0; left -= runs.back().size) {
      int64_t at = begin + size - left;
      runs.push_back(
          {places.at(at), std::min(left, places.length - at % places.length)});
    }
    begin += size;
  }
  return parts;
}

SmallVector<RunList> nn::runsOfDim(LayoutAttr layout, int64_t dim,
                                   MeshAttr mesh) {
  DimAttr whole = layout.getDims()[dim];
  int64_t major = whole.getFactors().front().getSize();
  SmallVector<RunList> parts =
      runsOfParts(major, layout.splitsOf(dim, 0), mesh);
  int64_t rest = major == 0 ? 0 : whole.getSize() / major;
  for (RunList &runs : parts)
    for (Interval &run : runs)
      run = {run.offset * rest, run.size * rest};
  return parts;
}

/// What of some runs lies in [begin, end).
static RunList within(ArrayRef<Interval> runs, int64_t begin, int64_t end) {
  RunList found;
  for (Interval run : runs) {
    int64_t first = std::max(run.offset, begin),
            last = std::min(run.offset + run.size, end);
    if (first < last)
      found.push_back({first, last - first});
  }
  return found;
}

namespace {

/// By member, of whose keys its queries see any.
using Sights = std::vector<llvm::SmallVector<bool>>;

/// Goes over the rows of a layout once, whoever has them.
class SightsOfLayout {
public:
  SightsOfLayout(const RingMask &mask, ArrayRef<RunList> parts)
      : mask(mask), parts(parts),
        sights(parts.size(), SmallVector<bool>(parts.size(), false)) {}

  Sights find() {
    int64_t block = mask.layout->block, blocks = mask.extent / block;
    for (int64_t head = 0; head < (mask.layout->perHead ? mask.heads : 1);
         ++head)
      for (int64_t row = 0; row < blocks; ++row)
        addRow(row, plan::visitedBlocks(*mask.layout, blocks, head, row));
    return std::move(sights);
  }

private:
  void addRow(int64_t row, ArrayRef<plan::BlockRun> visited) {
    int64_t block = mask.layout->block;
    for (auto [member, part] : llvm::enumerate(parts)) {
      RunList queries = within(part, row * block, (row + 1) * block);
      if (queries.empty())
        continue;
      for (auto [other, keys] : llvm::enumerate(parts))
        for (plan::BlockRun run : visited)
          if (!sights[member][other])
            sights[member][other] = mask.sees(
                queries, within(keys, run.begin * block, run.end * block));
    }
  }

  const RingMask &mask;
  ArrayRef<RunList> parts;
  Sights sights;
};

} // namespace

static Sights sightsOf(const RingMask &mask, ArrayRef<RunList> parts) {
  if (mask.layout)
    return SightsOfLayout(mask, parts).find();
  Sights sights;
  for (const RunList &queries : parts)
    sights.push_back(llvm::map_to_vector(
        parts, [&](const RunList &keys) { return mask.sees(queries, keys); }));
  return sights;
}

SmallVector<RingHop> nn::ringHops(const RingMask &mask,
                                  ArrayRef<RunList> parts) {
  SmallVector<RingHop> hops;
  int64_t members = parts.size();
  Sights sights = sightsOf(mask, parts);
  for (int64_t distance = 1; distance < members; ++distance) {
    RingHop hop{distance, {}};
    for (int64_t member = 0; member < members; ++member)
      hop.receives.push_back(
          sights[member][(member + members - distance) % members]);
    if (llvm::is_contained(hop.receives, true))
      hops.push_back(std::move(hop));
  }
  return hops;
}

static ArrayAttr ringOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, ArrayAttr>(op)
      .Case<AttentionOp, AttentionGradOp>(
          [](auto attention) { return attention.getRingAttr(); })
      .Default([](Operation *) { return ArrayAttr(); });
}

bool nn::isRingOver(Operation *op, StringRef axis) {
  ArrayAttr ring = ringOf(op);
  return ring && llvm::is_contained(
                     ring, Attribute(StringAttr::get(op->getContext(), axis)));
}

RingTraffic nn::ringTraffic(Operation *op, MeshAttr mesh) {
  if (!ringOf(op))
    return {};
  LayoutAttr keys = layoutOf(op->getOperand(1));
  SmallVector<RunList> parts = runsOfDim(keys, /*dim=*/2, mesh);
  RingMask mask = llvm::TypeSwitch<Operation *, RingMask>(op)
                      .Case<AttentionOp, AttentionGradOp>(
                          [](auto attention) { return maskOf(attention); });
  RingTraffic traffic;
  int64_t members = parts.size();
  SmallVector<int64_t> received(members, 0);
  for (const RingHop &hop : ringHops(mask, parts)) {
    ++traffic.hops;
    for (int64_t member = 0; member < members; ++member)
      if (hop.receives[member])
        for (Interval run : parts[(member + members - hop.distance) % members])
          received[member] += run.size;
  }
  for (int64_t keys : received)
    traffic.keys = std::max(traffic.keys, keys);
  return traffic;
}
