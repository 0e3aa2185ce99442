//===- Ring.cpp - keys and values that travel -----------------------------===//

#include "dialects/Nn/Ring.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

template <class OpTy> static RingMask maskOf(OpTy op) {
  RingMask mask{op.getBefore(), op.getAfter()};
  if (op.getCausal())
    mask.after = 0;
  return mask;
}

RingMask RingMask::of(AttentionOp op) { return maskOf(op); }
RingMask RingMask::of(AttentionGradOp op) { return maskOf(op); }

bool RingMask::sees(Interval queries, Interval keys) const {
  if (queries.size == 0 || keys.size == 0)
    return false;
  int64_t last = queries.offset + queries.size - 1;
  return (!before || keys.offset + keys.size > queries.offset - *before) &&
         (!after || keys.offset <= last + *after);
}

SmallVector<RingHop> nn::ringHops(const RingMask &mask,
                                  ArrayRef<Interval> parts) {
  SmallVector<RingHop> hops;
  int64_t members = parts.size();
  for (int64_t distance = 1; distance < members; ++distance) {
    RingHop hop{distance, {}};
    for (int64_t member = 0; member < members; ++member)
      hop.receives.push_back(mask.sees(
          parts[member], parts[(member + members - distance) % members]));
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
  SmallVector<Interval> parts;
  int64_t offset = 0;
  for (int64_t size :
       partSizes(keys.getDims()[2].getSize(), keys.splitsOf(2, 0), mesh)) {
    parts.push_back({offset, size});
    offset += size;
  }
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
        received[member] +=
            parts[(member + members - hop.distance) % members].size;
  }
  for (int64_t keys : received)
    traffic.keys = std::max(traffic.keys, keys);
  return traffic;
}
