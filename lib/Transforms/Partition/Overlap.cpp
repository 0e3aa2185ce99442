//===- Overlap.cpp - convolutions that compute while margins travel -------===//
//
// A convolution starts its exchange, computes the rows whose windows lie in
// what the rank owns, waits, and computes those at the border. The transpose
// computes the margins first and starts to send them back, computes the rest,
// and waits for what others send. All rows are computed where they lie in the
// whole.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

namespace {
/// [begin, end) of the dim that is slid over.
struct Rows {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
} // namespace

/// One convolution, or transpose, along the dim whose margins travel.
struct Windows::Overlap {
  nn::WindowedOp op;
  const WindowedDim &slid;
  size_t number; // of slid among the dims
  Value operand;
  RankedTensorType type;            // of the result, with all margins
  SmallVector<int64_t> lows, highs; // that the operation itself adds, by dim
  SmallVector<Value> parts = {};    // of the result

  int64_t dim() const { return slid.dim; }
  int64_t extentOf(Type of) const {
    return nn::layoutOf(of).getDims()[slid.dim].getSize();
  }
};

bool partitioning::isOverlapped(const WindowedDim &slid, bool attaches) {
  return slid.overlaps && slid.isExtended && !slid.isInner &&
         !slid.axes.empty() && !isLocal(slid, attaches);
}

WindowedDims partitioning::inOrder(ArrayRef<WindowedDim> dims) {
  WindowedDims list(dims);
  std::stable_partition(list.begin(), list.end(), [&](const WindowedDim &slid) {
    return !isOverlapped(slid, /*attaches=*/true);
  });
  return list;
}

/// held.offset - own.offset of the ranks of the class.
SmallVector<int64_t> Windows::shiftsHere(const WindowedDim &slid) const {
  nn::MeshAttr mesh = shares.getMesh();
  return llvm::map_to_vector(rankClass.ranks, [&](int64_t rank) {
    return shiftOf(slid).at(mesh, spmd::coordinatesOf(mesh, rank));
  });
}

/// Adds the result of `size` positions of `from`, which begin at an offset each
/// member: `rows` of the result.
LogicalResult Windows::addPart(Overlap &overlap, Value from,
                               ArrayRef<int64_t> offsets, int64_t size,
                               int64_t rows, bool isFirst) {
  const WindowedDim &slid = overlap.slid;
  AxisList axes = offsets.size() == 1 ? AxisList() : slid.axes;
  Value slice = spmd::SliceOp::create(
      builder, loc, withSize(from.getType(), slid.dim, size), from, slid.dim,
      /*factor=*/0,
      spmd::TableAttr::simplified(builder.getContext(), axes, offsets));
  Operation *copy = cloneWindowed(overlap.op);
  copy->setOperand(0, slice);
  copy->getResult(0).setType(withSize(overlap.type, slid.dim, rows));
  cast<nn::WindowedOp>(copy).setPadding(overlap.lows, overlap.highs);
  FailureOr<Operation *> part = operations.adapt(*overlap.op, *copy);
  if (failed(part))
    return failure();
  overlap.parts.insert(isFirst ? overlap.parts.begin() : overlap.parts.end(),
                       (*part)->getResult(0));
  return success();
}

/// Its parts one after another.
Value Windows::joined(const Overlap &overlap) {
  if (overlap.parts.size() == 1)
    return overlap.parts.front();
  return nn::ConcatOp::create(builder, loc, overlap.type, overlap.parts,
                              overlap.slid.dim);
}

LogicalResult Windows::convolveInside(Overlap &overlap) {
  const WindowedDim &slid = overlap.slid;
  int64_t span = slid.window.span(), stride = slid.window.stride;
  int64_t all = overlap.extentOf(overlap.type);
  auto add = [&](Value from, Rows rows, ArrayRef<int64_t> offsets) {
    return addPart(overlap, from, offsets, (rows.size() - 1) * stride + span,
                   rows.size(), /*isFirst=*/rows.begin == 0);
  };
  Rows inside{0, 0};
  Value &held = extended[wayOf(overlap.operand, slid, slid.dim)];
  if (!held) {
    Rows rows{0, all};
    for (int64_t shift : shiftsHere(slid)) {
      int64_t room = here(slid.own.size) - shift - span;
      rows.begin = std::max(rows.begin, llvm::divideCeilSigned(-shift, stride));
      rows.end = std::min(rows.end, llvm::divideFloorSigned(room, stride) + 1);
    }
    margins.start(overlap.operand, slid);
    if (rows.size() > 0) {
      inside = rows;
      // Of other classes no place is read, but each has to be one.
      SmallVector<int64_t> offsets;
      for (int64_t shift : shiftOf(slid).valuesFor(slid.members))
        offsets.push_back(std::max<int64_t>(rows.begin * stride + shift, 0));
      if (failed(add(overlap.operand, inside, offsets)))
        return failure();
    }
    Margins own{overlap.operand, slid.dim};
    margins.moveMargins(own, slid, /*attaches=*/true, /*isStarted=*/true);
    held = own.value;
  }
  if (all == 0)
    return addPart(overlap, held, {0}, here(slid.held.size), 0, true);
  // The latter ones come last, whether or not there are others.
  if (inside.begin > 0 && failed(add(held, {0, inside.begin}, {0})))
    return failure();
  Rows rest{inside.end, all};
  return rest.size() > 0 ? add(held, rest, {rest.begin * stride}) : success();
}

namespace {
/// Windows that reach positions, and what these reach beyond them.
struct Reaching {
  int64_t begin, count, low, high;
};
} // namespace

/// Of `count` windows, the first of which begins at 0.
static Reaching reachingOf(const nn::Window &window, Rows positions,
                           int64_t count) {
  int64_t span = window.span(), stride = window.stride;
  int64_t begin = llvm::divideCeilSigned(positions.begin - span + 1, stride);
  begin = std::clamp<int64_t>(std::min(begin, positions.begin / stride), 0,
                              count - 1);
  int64_t last =
      std::clamp<int64_t>((positions.end - 1) / stride, begin, count - 1);
  while (last + 1 < count && last * stride + span < positions.end)
    ++last; // strides that leave positions out
  return {begin, last + 1 - begin, positions.begin - begin * stride,
          last * stride + span - positions.end};
}

/// Adds rows of the result; of no windows there is nothing to send.
LogicalResult Windows::addPositions(Overlap &overlap, int64_t begin,
                                    int64_t end) {
  if (begin == end)
    return success();
  const WindowedDim &slid = overlap.slid;
  Reaching reaching = reachingOf(slid.window, {begin, end},
                                 overlap.extentOf(overlap.operand.getType()));
  overlap.lows[overlap.number] = reaching.low;
  overlap.highs[overlap.number] = reaching.high;
  return addPart(overlap, overlap.operand, {reaching.begin}, reaching.count,
                 end - begin, /*isFirst=*/false);
}

LogicalResult Windows::sendMarginsFirst(Overlap &overlap) {
  const WindowedDim &slid = overlap.slid;
  int64_t held = here(slid.held.size);
  if (overlap.extentOf(overlap.operand.getType()) == 0) {
    if (failed(addPart(overlap, overlap.operand, {0}, 0, held, true)))
      return failure();
    margins.start({}, slid);
    return success();
  }
  // What some rank of the class does not own is a margin.
  Rows own{0, held};
  for (int64_t shift : shiftsHere(slid)) {
    own.begin = std::clamp(-shift, own.begin, held);
    own.end = std::clamp(here(slid.own.size) - shift, int64_t(0), own.end);
  }
  if (own.begin >= own.end)
    own = {held, held};
  if (failed(addPositions(overlap, 0, own.begin)) ||
      failed(addPositions(overlap, own.end, held)))
    return failure();
  margins.start(overlap.parts, slid);
  size_t margins = overlap.parts.size();
  if (failed(addPositions(overlap, own.begin, own.end)))
    return failure();
  // The middle stands behind what comes before it.
  if (overlap.parts.size() > margins && (margins == 2 || own.begin == 0))
    std::rotate(overlap.parts.begin() + (own.begin > 0),
                overlap.parts.end() - 1, overlap.parts.end());
  return success();
}

FailureOr<bool> Windows::lowerOverlapped(nn::WindowedOp op,
                                         ArrayRef<WindowedDim> dims) {
  bool attaches = isa<nn::ConvOp>(op.getOperation());
  if (!attaches && !isa<nn::ConvTransposeOp>(op.getOperation()))
    return false;
  // Of several dims the last one; the others are waited for.
  size_t number = dims.size();
  while (number > 0 && !isOverlapped(dims[number - 1], attaches))
    --number;
  if (number-- == 0)
    return false;
  RankedTensorType type = localOf(op->getResult(0));
  Overlap overlap{op, dims[number], number, {}, type, {}, {}};
  WindowedDims others(dims);
  others.erase(others.begin() + number);
  std::tie(overlap.lows, overlap.highs) = paddingsOf(dims);
  for (const WindowedDim &slid : dims)
    if (!attaches && slid.isExtended)
      overlap.type = withSize(overlap.type, slid.dim, here(slid.held.size));
  if (attaches) {
    overlap.operand = extend(op, others).lookup(op->getOperand(0));
    if (failed(convolveInside(overlap)))
      return failure();
    mapping.map(op->getResult(0), joined(overlap));
    return true;
  }
  overlap.operand = local(op->getOperand(0));
  if (failed(sendMarginsFirst(overlap)))
    return failure();
  Margins own{joined(overlap), overlap.slid.dim};
  margins.moveMargins(own, overlap.slid, /*attaches=*/false,
                      /*isStarted=*/true);
  for (const WindowedDim &slid : llvm::reverse(others)) {
    own.dim = slid.dim;
    if (slid.isExtended)
      margins.moveMargins(own, slid, /*attaches=*/false);
  }
  mapping.map(op->getResult(0), own.value);
  return true;
}
