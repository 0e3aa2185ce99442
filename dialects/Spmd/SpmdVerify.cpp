//===- SpmdVerify.cpp - what makes spmd operations well formed ------------===//

#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/ClassRanks.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

namespace {

/// A factor of a layout, by position.
struct FactorPlace {
  int64_t dim, factor;
  bool operator==(const FactorPlace &other) const {
    return dim == other.dim && factor == other.factor;
  }
};

} // namespace

static FailureOr<int64_t> sizeAt(Operation *op, Value value,
                                 FactorPlace place) {
  ArrayRef<nn::DimAttr> dims = nn::layoutOf(value).getDims();
  if (place.dim >= 0 && place.dim < int64_t(dims.size())) {
    ArrayRef<nn::FactorAttr> factors = dims[place.dim].getFactors();
    if (place.factor >= 0 && place.factor < int64_t(factors.size()))
      return factors[place.factor].getSize();
  }
  op->emitOpError() << "cuts factor " << place.dim << "." << place.factor
                    << ", which " << value.getType() << " has not";
  return failure();
}

/// (C1) of every op here: equal element types, and equal factor sizes except
/// the places in `cut`; no placements.
static LogicalResult verifySameBut(Operation *op, Value a, Value b,
                                   ArrayRef<FactorPlace> cut) {
  nn::LayoutAttr from = nn::layoutOf(a), to = nn::layoutOf(b);
  if (!from || !to)
    return op->emitOpError() << "needs tensors with a layout, found "
                             << a.getType() << " and " << b.getType();
  if (from.isPlaced() || to.isPlaced())
    return op->emitOpError() << "works on local tensors, found a placement in "
                             << (from.isPlaced() ? from : to);
  bool same = getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
              from.getDims().size() == to.getDims().size();
  for (int64_t d = 0, e = from.getDims().size(); same && d < e; ++d) {
    ArrayRef<nn::FactorAttr> x = from.getDims()[d].getFactors();
    ArrayRef<nn::FactorAttr> y = to.getDims()[d].getFactors();
    same = x.size() == y.size();
    for (int64_t f = 0, n = x.size(); same && f < n; ++f)
      same = llvm::is_contained(cut, FactorPlace{d, f}) ||
             x[f].getSize() == y[f].getSize();
  }
  if (same)
    return success();
  return op->emitOpError() << "expects equal element types and factor sizes"
                           << (cut.empty() ? ""
                                           : " except the factor that is cut")
                           << ", found " << a.getType() << " and "
                           << b.getType();
}

/// Axes exist and are listed once; `members` is their number of coordinates,
/// or -1 where the module names no mesh.
static LogicalResult verifyAxes(Operation *op, ArrayAttr axes,
                                int64_t &members) {
  nn::MeshAttr mesh = nn::meshOf(op);
  members = mesh || axes.empty() ? 1 : -1;
  if (axes.empty() && !isa<HaloExchangeOp, HaloReduceOp>(op))
    return op->emitOpError() << "needs at least one mesh axis";
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (llvm::is_contained(axes.getValue().drop_front(index + 1), axis))
      return op->emitOpError() << "lists axis " << axis << " twice";
    if (!mesh)
      continue;
    int64_t size = mesh.getSize(cast<StringAttr>(axis).getValue());
    if (size == 0)
      return op->emitOpError()
             << "names axis " << axis << ", which " << mesh << " has not";
    members *= size;
  }
  return success();
}

static LogicalResult verifyTable(Operation *op, TableAttr table, ArrayAttr axes,
                                 int64_t members) {
  if (table.isConstant())
    return success();
  auto listed = axes.getAsValueRange<StringAttr>();
  auto used = llvm::map_range(table.getAxes(),
                              [](StringAttr axis) { return axis.getValue(); });
  if (!llvm::equal(listed, used))
    return op->emitOpError()
           << "needs tables over its own axes " << axes << ", found " << table;
  int64_t count = table.getValues().size();
  if (members >= 0 && count != members)
    return op->emitOpError() << "needs " << members << " values, one for each "
                             << "member, found " << table;
  return success();
}

/// The same of two, which say how many members there are if the mesh does not.
static LogicalResult verifyTables(Operation *op, TableAttr a, TableAttr b,
                                  ArrayAttr axes, int64_t &members) {
  if (members < 0)
    members = std::max(a.getValues().size(), b.getValues().size());
  return failure(failed(verifyTable(op, a, axes, members)) ||
                 failed(verifyTable(op, b, axes, members)));
}

/// (C2): the members' shares follow one another and fill `whole`; `own` is one
/// of them.
static LogicalResult verifyCut(Operation *op, TableAttr offsets,
                               TableAttr sizes, ArrayAttr axes, int64_t members,
                               int64_t whole, int64_t own) {
  if (failed(verifyTables(op, offsets, sizes, axes, members)))
    return failure();
  // One value stands for all. There may be a million, after every pass.
  ArrayRef<int64_t> begins = offsets.getValues(), counts = sizes.getValues();
  size_t beginStep = !offsets.isConstant(), countStep = !sizes.isConstant();
  int64_t end = 0;
  bool ownFound = false;
  for (int64_t i = 0; i < members; ++i) {
    int64_t begin = begins[i * beginStep], count = counts[i * countStep];
    if (begin != end || count < 0)
      return op->emitOpError()
             << "expects shares one after another, member " << i
             << " begins at " << begin << " instead of " << end;
    end += count;
    ownFound |= count == own;
  }
  if (end != whole)
    return op->emitOpError() << "shares add up to " << end << " of " << whole;
  if (!ownFound)
    return op->emitOpError()
           << "no member has a share of " << own << " in " << sizes;
  return success();
}

/// (C2) of an all_to_all: the members' shares cover `whole`, and may overlap;
/// `own` is one of them.
static LogicalResult verifyCover(Operation *op, CutAttr cut, ArrayAttr axes,
                                 int64_t members, int64_t whole, int64_t own) {
  if (failed(verifyTables(op, cut.getOffset(), cut.getSize(), axes, members)))
    return failure();
  SmallVector<int64_t> begins = cut.getOffset().valuesFor(members),
                       sizes = cut.getSize().valuesFor(members);
  SmallVector<std::pair<int64_t, int64_t>> shares;
  bool ownFound = false;
  for (auto [member, begin] : llvm::enumerate(begins)) {
    int64_t size = sizes[member];
    shares.push_back({begin, size});
    if (begin < 0 || size < 0 || begin + size > whole)
      return op->emitOpError()
             << "member " << member << " has [" << begin << ", " << begin + size
             << ") of [0, " << whole << ")";
    ownFound |= size == own;
  }
  if (!ownFound)
    return op->emitOpError()
           << "no member has a share of " << own << " in " << cut.getSize();
  llvm::sort(shares);
  int64_t end = 0;
  for (auto [begin, size] : shares) {
    if (size > 0 && begin > end)
      break;
    end = std::max(end, begin + size);
  }
  if (end < whole)
    return op->emitOpError() << "leaves a gap: no member has position " << end
                             << " of [0, " << whole << ")";
  return success();
}

/// One factor is whole in one value and cut in the other.
static LogicalResult verifyShare(Operation *op, Value whole, Value part,
                                 FactorPlace place, ArrayAttr axes,
                                 int64_t members, TableAttr offsets,
                                 TableAttr sizes) {
  FailureOr<int64_t> size = sizeAt(op, whole, place);
  FailureOr<int64_t> own = sizeAt(op, part, place);
  if (failed(size) || failed(own))
    return failure();
  return verifyCut(op, offsets, sizes, axes, members, *size, *own);
}

//===-- Collectives -------------------------------------------------------===//

LogicalResult AllReduceOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)))
    return failure();
  return verifySameBut(*this, getX(), getResult(), {});
}

/// As many results as operands, of one element type.
static LogicalResult verifyMany(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << "needs as many results as operands, found "
                             << op->getNumOperands() << " operands and "
                             << op->getNumResults() << " results";
  Value first = op->getOperand(0);
  for (Value x : op->getOperands())
    if (getElementTypeOrSelf(x) != getElementTypeOrSelf(first))
      return op->emitOpError() << "expects one element type, found "
                               << first.getType() << " and " << x.getType();
  return success();
}

static LogicalResult verifyCutCount(Operation *op, ArrayAttr cuts) {
  if (cuts.size() == op->getNumOperands())
    return success();
  return op->emitOpError() << "needs a cut for each of its "
                           << op->getNumOperands() << " operands, found "
                           << cuts.size();
}

/// As verifyMany, each with its cut.
static LogicalResult verifyManyCut(Operation *op, ArrayAttr axes,
                                   ArrayAttr cuts, bool scatters) {
  int64_t members;
  if (failed(verifyAxes(op, axes, members)) || failed(verifyMany(op)) ||
      failed(verifyCutCount(op, cuts)))
    return failure();
  for (auto [x, result, attribute] :
       llvm::zip(op->getOperands(), op->getResults(), cuts)) {
    auto cut = cast<CutAttr>(attribute);
    FactorPlace place{cut.getDim(), cut.getFactor()};
    if (failed(verifySameBut(op, x, result, {place})) ||
        failed(verifyShare(op, scatters ? x : result, scatters ? result : x,
                           place, axes, members, cut.getOffset(),
                           cut.getSize())))
      return failure();
  }
  return success();
}

LogicalResult AllReduceManyOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)) ||
      failed(verifyMany(*this)))
    return failure();
  for (auto [x, result] : llvm::zip(getXs(), getResults()))
    if (failed(verifySameBut(*this, x, result, {})))
      return failure();
  return success();
}

LogicalResult ReduceScatterManyOp::verify() {
  return verifyManyCut(*this, getAxes(), getCuts(), /*scatters=*/true);
}

LogicalResult AllGatherManyOp::verify() {
  return verifyManyCut(*this, getAxes(), getCuts(), /*scatters=*/false);
}

LogicalResult ReduceScatterOp::verify() {
  int64_t members;
  FactorPlace place{int64_t(getDim()), int64_t(getFactor())};
  if (failed(verifyAxes(*this, getAxes(), members)) ||
      failed(verifySameBut(*this, getX(), getResult(), {place})))
    return failure();
  return verifyShare(*this, getX(), getResult(), place, getAxes(), members,
                     getOffsets(), getSizes());
}

LogicalResult AllGatherOp::verify() {
  int64_t members;
  FactorPlace place{int64_t(getDim()), int64_t(getFactor())};
  if (failed(verifyAxes(*this, getAxes(), members)) ||
      failed(verifySameBut(*this, getX(), getResult(), {place})))
    return failure();
  return verifyShare(*this, getResult(), getX(), place, getAxes(), members,
                     getOffsets(), getSizes());
}

CutAttr AllToAllOp::getCut() {
  return CutAttr::get(getContext(), getDim(), getFactor(), getOffsets(),
                      getSizes());
}

CutAttr AllToAllOp::getToCut() {
  return CutAttr::get(getContext(), getToDim(), getToFactor(), getToOffsets(),
                      getToSizes());
}

/// What was split as `from` says becomes split as `to` says.
static LogicalResult verifyTurn(Operation *op, Value x, Value result,
                                ArrayAttr axes, int64_t members, CutAttr from,
                                CutAttr to) {
  FactorPlace place{from.getDim(), from.getFactor()};
  FactorPlace toPlace{to.getDim(), to.getFactor()};
  if (place == toPlace)
    return op->emitOpError() << "from and to are the same factor " << place.dim
                             << "." << place.factor;
  if (failed(verifySameBut(op, x, result, {place, toPlace})))
    return failure();
  auto verify = [&](Value whole, Value part, FactorPlace at, CutAttr cut) {
    FailureOr<int64_t> size = sizeAt(op, whole, at), own = sizeAt(op, part, at);
    return failure(failed(size) || failed(own) ||
                   failed(verifyCover(op, cut, axes, members, *size, *own)));
  };
  return failure(failed(verify(result, x, place, from)) ||
                 failed(verify(x, result, toPlace, to)));
}

LogicalResult AllToAllOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)))
    return failure();
  return verifyTurn(*this, getX(), getResult(), getAxes(), members, getCut(),
                    getToCut());
}

LogicalResult AllToAllManyOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)) ||
      failed(verifyMany(*this)) || failed(verifyCutCount(*this, getCuts())) ||
      failed(verifyCutCount(*this, getToCuts())))
    return failure();
  for (auto [x, result, from, to] :
       llvm::zip(getXs(), getResults(), getCuts().getAsRange<CutAttr>(),
                 getToCuts().getAsRange<CutAttr>()))
    if (failed(verifyTurn(*this, x, result, getAxes(), members, from, to)))
      return failure();
  return success();
}

/// What the members hold lies where the border has something to show.
template <class OpTy>
static LogicalResult verifyHeld(OpTy op, int64_t members, int64_t own) {
  TableAttr offsets = op.getHeldOffsets(), sizes = op.getHeldSizes();
  if (failed(verifyTables(op, offsets, sizes, op.getAxes(), members)))
    return failure();
  plan::Border border = op.getBorder().getValue();
  SmallVector<int64_t> begins = offsets.valuesFor(members);
  SmallVector<int64_t> counts = sizes.valuesFor(members);
  int64_t extent = op.getExtent();
  for (int64_t i = 0; i < members; ++i) {
    int64_t end = begins[i] + counts[i];
    if (counts[i] < 0)
      return op.emitOpError()
             << "member " << i << " holds " << counts[i] << " positions";
    if (!plan::reaches(border, begins[i], end, extent))
      return op.emitOpError()
             << "member " << i << " holds [" << begins[i] << ", " << end
             << "), of [0, " << extent << ") a border of "
             << nn::stringifyBorder(border) << " shows no more than "
             << plan::reachOf(border, extent) << " beyond an end";
  }
  if (auto rows = op.getRows();
      rows && (int64_t(rows->size()) != members ||
               !llvm::all_of(*rows, llvm::IsaPred<DenseI64ArrayAttr>) ||
               !haloOf(op, members).areRowsValid()))
    return op.emitOpError() << "rows of a member are not rising, not of [0, "
                            << extent << "), or without what it owns";
  if (!llvm::is_contained(counts, own))
    return op.emitOpError() << "no member holds " << own << " in " << sizes;
  return success();
}

template <class OpTy>
static LogicalResult verifyHalo(OpTy op, ValueRange owned, ValueRange held) {
  int64_t members;
  if (failed(verifyAxes(op, op.getAxes(), members)) || failed(verifyMany(op)))
    return failure();
  size_t count = op.getXs().size();
  if (op.getDims().size() != count || op.getFactors().size() != count)
    return op.emitOpError()
           << "needs a dim and a factor for each of its " << count
           << " operands, found " << op.getDims().size() << " and "
           << op.getFactors().size();
  for (size_t i = 0; i < count; ++i) {
    FactorPlace place{op.getDims()[i], op.getFactors()[i]};
    if (failed(verifySameBut(op, owned[i], held[i], {place})))
      return failure();
    FailureOr<int64_t> own = sizeAt(op, owned[i], place);
    FailureOr<int64_t> with = sizeAt(op, held[i], place);
    if (failed(own) || failed(with) ||
        failed(verifyCut(op, op.getOffsets(), op.getSizes(), op.getAxes(),
                         members, op.getExtent(), *own)) ||
        failed(verifyHeld(op, members, *with)))
      return failure();
  }
  return success();
}

LogicalResult HaloExchangeOp::verify() {
  return verifyHalo(*this, getXs(), getResults());
}

LogicalResult HaloReduceOp::verify() {
  return verifyHalo(*this, getResults(), getXs());
}

LogicalResult StartOp::verify() {
  int64_t members;
  return verifyAxes(*this, getAxes(), members);
}

LogicalResult BroadcastOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)))
    return failure();
  int64_t root = getRoot();
  if (root < 0 || (members >= 0 && root >= members))
    return emitOpError() << "root " << root << " is not one of the " << members
                         << " members";
  return verifySameBut(*this, getX(), getResult(), {});
}

//===-- What depends on where the rank is ---------------------------------===//

/// The part lies in the whole on every rank of the class.
template <class OpTy>
static LogicalResult verifyWindow(OpTy op, Value wholeValue, Value partValue) {
  FactorPlace place{int64_t(op.getDim()), int64_t(op.getFactor())};
  if (failed(verifySameBut(op, wholeValue, partValue, {place})))
    return failure();
  FailureOr<int64_t> whole = sizeAt(op, wholeValue, place);
  FailureOr<int64_t> part = sizeAt(op, partValue, place);
  if (failed(whole) || failed(part))
    return failure();
  auto verifyAt = [&](int64_t offset) -> LogicalResult {
    if (offset >= 0 && offset + *part <= *whole)
      return success();
    return op.emitOpError() << "window [" << offset << ", " << offset + *part
                            << ") is not within [0, " << *whole << ")";
  };
  return forEachRank(op, op.getOffset(), [&](ArrayRef<int64_t> offset) {
    return verifyAt(offset.front());
  });
}

LogicalResult SliceOp::verify() {
  return verifyWindow(*this, getX(), getResult());
}

LogicalResult PlaceOp::verify() {
  return verifyWindow(*this, getResult(), getX());
}

LogicalResult KeepFirstOp::verify() {
  int64_t members;
  if (failed(verifyAxes(*this, getAxes(), members)))
    return failure();
  return verifySameBut(*this, getX(), getResult(), {});
}

//===-- Kernel groups -----------------------------------------------------===//

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "body takes (" << body.getArgumentTypes()
                         << "), the inputs are (" << getInputs().getTypes()
                         << ")";
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getValues().getTypes() != getOutputs().getTypes())
    return emitOpError() << "body yields (" << yield.getValues().getTypes()
                         << "), the results are (" << getOutputs().getTypes()
                         << ")";
  for (Operation &op : body.without_terminator())
    if (isa<CollectiveOp, KernelOp, nn::StoredOp, nn::AssignOp, nn::LinearOp,
            nn::MatMulOp, AttentionOp, AttentionGradOp, NeighborhoodAttentionOp,
            NeighborhoodAttentionGradOp, EmbeddingOp, EmbeddingGradOp, PoolOp,
            PoolGradOp, nn::GatherOp, nn::ScatterSumOp, nn::HookOp>(op))
      return emitOpError() << "cannot hold '" << op.getName() << "'";
  return success();
}
