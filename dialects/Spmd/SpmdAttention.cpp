//===- SpmdAttention.cpp - what makes a rank's attention well formed ------===//

#include "dialects/Nn/BlockLayouts.h"
#include "dialects/Nn/Ops/AttentionRule.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Spmd/ClassRanks.h"
#include "hocket/Plan/Neighborhood.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

static int64_t sizeOf(Value value, int64_t dim) {
  return nn::layoutOf(value).getDims()[dim].getSize();
}

/// The heads of k and v that those of q read are on every rank.
template <class OpTy> static LogicalResult verifyHeads(OpTy op) {
  int64_t heads = sizeOf(op.getQ(), 1), kvHeads = sizeOf(op.getK(), 1);
  int64_t group = op.getGroup();
  if (group < 1 ||
      op.getHeads().getExtent() != group * op.getKvHeads().getExtent())
    return op.emitOpError() << "has " << op.getHeads().getExtent()
                            << " query heads in groups of " << group << ", for "
                            << op.getKvHeads().getExtent() << " kv heads";
  if (failed(verifyOneRun(op, "heads", op.getHeads())) ||
      failed(verifyOneRun(op, "kv heads", op.getKvHeads())) ||
      failed(verifyPart(op, "heads", op.getHeads(), heads)) ||
      failed(verifyInside(op, "kv heads", op.getKvHeads(), kvHeads)))
    return failure();
  return forEachRank(
      op, {op.getHeads().getBegin(), op.getKvHeads().getBegin()},
      [&](ArrayRef<int64_t> begins) -> LogicalResult {
        int64_t first = begins[0] / group;
        int64_t last = (begins[0] + heads - 1) / group;
        if (heads == 0 || (first >= begins[1] && last < begins[1] + kvHeads))
          return success();
        return op.emitOpError() << "reads kv heads [" << first << ", "
                                << last + 1 << "), and has [" << begins[1]
                                << ", " << begins[1] + kvHeads << ")";
      });
}

static LogicalResult verifyKeys(Operation *op, int64_t first, int64_t end,
                                int64_t begin, int64_t held) {
  if (first >= end || (first >= begin && end <= begin + held))
    return success();
  return op->emitOpError() << "reads keys [" << first << ", " << end
                           << "), and has [" << begin << ", " << begin + held
                           << ")";
}

//===-- Attention ---------------------------------------------------------===//

/// (C3), (C4).
template <class OpTy> static LogicalResult verifyPositions(OpTy op) {
  bool isLimited = op.getCausal() || op.getBefore() || op.getAfter() ||
                   !op.getBlockLayout().empty();
  if (isLimited != bool(op.getQueries()))
    return op.emitOpError() << "needs the positions of its queries if and only "
                               "if they do not see all keys";
  if (failed(verifyOneRun(op, "keys", op.getKeys())))
    return failure();
  int64_t held = sizeOf(op.getK(), 2), count = sizeOf(op.getQ(), 2);
  int64_t keys = op.getKeys().getExtent();
  if (op.getIsTerm()) { // (C7)
    if (failed(verifyInside(op, "keys", op.getKeys(), held)))
      return failure();
    return isLimited ? verifyInside(op, "queries", *op.getQueries(), count)
                     : success();
  }
  if (!isLimited)
    return forEachRank(op, op.getKeys().getBegin(),
                       [&](ArrayRef<int64_t> begin) {
                         return verifyKeys(op, 0, keys, begin[0], held);
                       });
  if (failed(verifyInside(op, "queries", *op.getQueries(), count)) ||
      failed(verifyOneRun(op, "queries", *op.getQueries())))
    return failure();
  int64_t later = keys - op.getQueries()->getExtent();
  int64_t after = op.getCausal() ? 0 : op.getAfter().value_or(keys);
  return forEachRank(
      op, {op.getQueries()->getBegin(), op.getKeys().getBegin()},
      [&](ArrayRef<int64_t> begins) {
        int64_t first = begins[0] + later;
        int64_t end = std::min(first + count + after, keys);
        first = op.getBefore()
                    ? std::max<int64_t>(first - int64_t(*op.getBefore()), 0)
                    : 0;
        // Without a window the keys are whole, whatever a query sees of them.
        if (!op.getBefore())
          end = keys;
        return count == 0 ? success()
                          : verifyKeys(op, first, end, begins[1], held);
      });
}

/// (C8).
template <class OpTy> static LogicalResult verifyLayout(OpTy op) {
  if (op.getBlockLayout().empty())
    return success();
  return nn::verifyBlockLayout(op.getLoc(), op.getBlockLayoutAttr(),
                               {op.getHeads().getExtent(),
                                op.getQueries()->getExtent(),
                                op.getKeys().getExtent()});
}

template <class OpTy> static LogicalResult verifyDropped(OpTy op) {
  bool draws = bool(op.getStep());
  if (draws != bool(op.getDraws()) || draws != bool(op.getDropout()))
    return op.emitOpError("needs `dropout` and `draws` if and only if there is "
                          "a step");
  if (!draws)
    return success();
  double p = op.getDropout()->convertToDouble();
  if (!(p > 0 && p < 1))
    return op.emitOpError()
           << "takes a dropout above 0 and below 1, but it is " << p;
  if (!nn::layoutOf(op.getStep()).getDims().empty() ||
      !nn::elementTypeOf(op.getStep()).isInteger(32))
    return op.emitOpError()
           << "takes a step that is an i32 without dims, found "
           << op.getStep().getType();
  BoxAttr box = op.getDraws()->getBox();
  if (box.getLayout().getDims().size() != 4 ||
      box.getLayout().getDims()[3].getSize() != op.getKeys().getExtent())
    return op.emitOpError()
           << "draws for weights of " << op.getKeys().getExtent()
           << " keys, found " << box;
  return verifyDraws(op, *op.getDraws(), op.getQ().getType(), 3,
                     /*isFilled=*/false);
}

template <class OpTy> static FailureOr<Type> verifyAttention(OpTy op) {
  FailureOr<Type> type = nn::attentionResult(
      op.getLoc(), op.getQ(), op.getK(), op.getV(), nn::MaskData::of(op),
      {op.getBefore(), op.getAfter()}); // (C1)
  if (failed(type) ||
      failed(nn::checkBias(op.getLoc(), op.getQ(), op.getBias(),
                           op.getKeys().getExtent())) || // (C9)
      failed(verifyHeads(op)) ||
      failed(verifyPositions(op)) || failed(verifyLayout(op)) ||
      failed(verifyDropped(op)))
    return failure();
  return type;
}

template <class OpTy>
static LogicalResult verifyResult(OpTy op, FailureOr<Type> type) {
  if (failed(type))
    return failure();
  Type result = op.getResult().getType();
  if (!nn::haveSameShapes(*type, result))
    return op.emitOpError() << "gives " << nn::describe(*type)
                            << ", but the result is " << nn::describe(result);
  return nn::verifyLse(op, result, op.getLse());
}

LogicalResult AttentionOp::verify() {
  if (getIsTerm() && !getLse())
    return emitOpError("is a term, and has no lse to merge it by");
  return verifyResult(*this, verifyAttention(*this));
}

LogicalResult AttentionGradOp::verify() {
  FailureOr<Type> type = verifyAttention(*this);
  if (failed(type) || failed(nn::verifySameBlockLayout<AttentionOp>(*this)) ||
      failed(nn::verifyBiasGradient(*this, getBias(), getDbias()))) // (C9)
    return failure();
  return nn::verifyGradients(*this, *type); // (C6)
}

//===-- Neighborhoods -----------------------------------------------------===//

/// (C3), (C4) along one dim.
template <class OpTy>
static LogicalResult verifyNeighborhood(OpTy op, size_t i) {
  auto queries = cast<PositionsAttr>(op.getQueries()[i]);
  auto keys = cast<PositionsAttr>(op.getKeys()[i]);
  int64_t count = sizeOf(op.getQ(), i + 2), held = sizeOf(op.getK(), i + 2);
  plan::Neighborhood window{queries.getExtent(), op.getKernels()[i],
                            op.getStrides()[i], op.getDilations()[i],
                            op.getCausal()[i]};
  if (queries.getExtent() != keys.getExtent() ||
      window.kernel > window.extent / window.dilation)
    return op.emitOpError() << "shows each query " << window.kernel << " keys "
                            << window.dilation << " apart along dim " << i + 2
                            << ", where it has " << queries.getExtent()
                            << " queries and " << keys.getExtent() << " keys";
  if (failed(verifyPart(op, "queries", queries, count)))
    return failure();
  nn::Window all = nn::Window::of(window);
  return forEachRank(
      op, {queries.getBegin(), keys.getBegin()}, [&](ArrayRef<int64_t> begins) {
        if (count == 0)
          return success();
        nn::Interval reads = all.reads({begins[0], count});
        return verifyKeys(op, reads.offset, reads.offset + reads.size,
                          begins[1], held);
      });
}

template <class OpTy> static FailureOr<Type> verifyNeighborhoods(OpTy op) {
  FailureOr<Type> type = nn::neighborhoodResult(
      op.getLoc(), op.getQ(), op.getK(), op.getV(),
      {op.getKernels(), op.getStrides(), op.getDilations(), op.getCausal()},
      /*isPart=*/true); // (C1)
  if (failed(type) || failed(verifyHeads(op)))
    return failure();
  size_t dims = op.getKernels().size();
  if (op.getQueries().size() != dims || op.getKeys().size() != dims)
    return op.emitOpError() << "needs the positions of queries and keys along "
                            << dims << " dims";
  for (size_t i = 0; i < dims; ++i)
    if (failed(verifyNeighborhood(op, i)))
      return failure();
  return type;
}

LogicalResult NeighborhoodAttentionOp::verify() {
  return verifyResult(*this, verifyNeighborhoods(*this));
}

LogicalResult NeighborhoodAttentionGradOp::verify() {
  FailureOr<Type> type = verifyNeighborhoods(*this);
  return failed(type) ? failure() : nn::verifyGradients(*this, *type); // (C5)
}
