//===- Overlap.cpp - convolutions that compute while margins travel -------===//
//
// A convolution starts the exchange before it, computes the rows whose windows
// lie in what the rank owns, waits, and computes those at the border. The
// transpose computes the margins first and starts to send them back, computes
// the rest, and waits for what others send. All rows are computed where they
// lie in the whole. An exchange that no convolution is beside is waited for.
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
  WindowedDim slid;         // that the exchange moves, and the window over it
  WindowedDims others, cut; // of the operation: whole ones, and those cut
  size_t number;            // of slid among all of these
  Value operand;
  RankedTensorType type;            // of the result, with all margins
  SmallVector<int64_t> lows, highs; // that the operation itself adds, by dim
  SmallVector<Value> parts = {};    // of the result

  int64_t dim() const { return slid.dim; }
  int64_t extentOf(Type of) const {
    return nn::layoutOf(of).getDims()[slid.dim].getSize();
  }
};

/// The convolution that computes while the exchange moves; null if none does.
static nn::WindowedOp computedBeside(nn::ExchangeOp op) {
  if (!op.getOverlap() || op.getXs().size() != 1)
    return {};
  Value x = op.getXs().front(), made = op.getMade().front();
  if (op.getBack()) {
    Operation *maker = x.getDefiningOp();
    return isa_and_present<nn::ConvTransposeOp>(maker) && x.hasOneUse()
               ? cast<nn::WindowedOp>(maker)
               : nn::WindowedOp();
  }
  Operation *first = nullptr;
  for (Operation *user : made.getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  return isa_and_present<nn::ConvOp>(first) && first->getOperand(0) == made
             ? cast<nn::WindowedOp>(first)
             : nn::WindowedOp();
}

bool Windows::isMovedBeside(nn::ExchangeOp op) {
  return computedBeside(op) &&
         !isLocal(exchangedDim(op, shares), !op.getBack());
}

/// The exchange that moves while the operation computes; null if none does.
nn::ExchangeOp Windows::movedBeside(nn::WindowedOp op) {
  nn::ExchangeOp exchange;
  if (isa<nn::ConvOp>(op.getOperation()))
    exchange = op->getOperand(0).getDefiningOp<nn::ExchangeOp>();
  else if (isa<nn::ConvTransposeOp>(op.getOperation()) &&
           op->getResult(0).hasOneUse())
    exchange = dyn_cast<nn::ExchangeOp>(*op->getResult(0).user_begin());
  return exchange && computedBeside(exchange) == op && isMovedBeside(exchange)
             ? exchange
             : nn::ExchangeOp();
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
  Operation *copy = builder.clone(*overlap.op, mapping);
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

/// What windows read in the other dims, or what these are sent.
Value Windows::moveAll(ArrayRef<WindowedDim> dims, Value x, bool attaches) {
  Margins moved{x, 0};
  for (size_t i = 0; i < dims.size(); ++i) {
    const WindowedDim &other = dims[attaches ? i : dims.size() - 1 - i];
    moved.dim = other.dim;
    margins.moveMargins(moved, other, attaches);
  }
  return moved.value;
}

/// A view of what is within the borders of whole dims, which has these already.
Value Windows::withoutBorders(ArrayRef<WindowedDim> dims, Value x) {
  for (const WindowedDim &whole : llvm::reverse(dims)) {
    Value within = spmd::SliceOp::create(
        builder, loc, withSize(x.getType(), whole.dim, here(whole.own.size)), x,
        whole.dim, /*factor=*/0,
        spmd::TableAttr::constant(builder.getContext(), whole.window.low));
    extended[wayOf(within, whole, whole.dim)] = x;
    x = within;
  }
  return x;
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
  Rows inside{0, 0}, rows{0, all};
  for (int64_t shift : shiftsHere(slid)) {
    int64_t room = here(slid.own.size) - shift - span;
    rows.begin = std::max(rows.begin, llvm::divideCeilSigned(-shift, stride));
    rows.end = std::min(rows.end, llvm::divideFloorSigned(room, stride) + 1);
  }
  Value own = moveAll(overlap.cut, overlap.operand, /*attaches=*/true);
  margins.start(overlap.operand, slid);
  if (rows.size() > 0) {
    inside = rows;
    // Of other classes no place is read, but each has to be one.
    SmallVector<int64_t> offsets;
    for (int64_t shift : shiftOf(slid).valuesFor(slid.members))
      offsets.push_back(std::max<int64_t>(rows.begin * stride + shift, 0));
    if (failed(add(own, inside, offsets)))
      return failure();
  }
  Margins moved{overlap.operand, slid.dim};
  margins.moveMargins(moved, slid, /*attaches=*/true, /*isStarted=*/true);
  mapping.map(overlap.op->getOperand(0),
              withoutBorders(overlap.others, moved.value));
  Value held = moveAll(overlap.cut, moved.value, /*attaches=*/true);
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

FailureOr<bool> Windows::lowerOverlapped(nn::WindowedOp op) {
  nn::ExchangeOp exchange = movedBeside(op);
  if (!exchange)
    return false;
  bool attaches = !exchange.getBack();
  WindowedDims dims = windowedDims(op, shares);
  Overlap overlap{op, movedBy(exchange), {}, {}, 0, {}, {}, {}, {}};
  overlap.type = localOf(op->getResult(0));
  std::tie(overlap.lows, overlap.highs) = paddingsOf(dims);
  for (auto [number, slid] : llvm::enumerate(dims)) {
    if (slid.dim == overlap.slid.dim) {
      overlap.number = number;
      overlap.slid.window = slid.window;
    } else if (slid.isExtended) {
      (slid.axes.empty() ? overlap.others : overlap.cut).push_back(slid);
      if (!attaches)
        overlap.type = withSize(overlap.type, slid.dim, here(slid.held.size));
    }
  }
  if (attaches) {
    overlap.operand = moveAll(overlap.others, local(exchange.getXs().front()),
                              /*attaches=*/true);
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
  own.value = moveAll(overlap.cut, own.value, /*attaches=*/false);
  own.value = moveAll(overlap.others, own.value, /*attaches=*/false);
  mapping.map(exchange.getMade().front(), own.value);
  return true;
}
