//===- RunByRun.cpp - operations on positions in several runs -------------===//
//
// A rank whose queries are several runs of the sequence (zigzag, striped)
// computes one attention for each, and its gradients of keys and values are the
// sums of theirs:
//
//   %y = spmd.attention %q, %k, %v {queries = ... runs ...}
//   -->
//   %q0 = slice %q, %q1 = slice %q
//   %y0 = spmd.attention %q0, %k, %v {queries = first run}
//   %y1 = spmd.attention %q1, %k, %v {queries = second run}
//   %y = concat %y0, %y1
//
// And so does a rotary embedding.
//
//===----------------------------------------------------------------------===//

#include "RunByRun.h"
#include "WindowedDims.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Shape.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The dim of q, the result and its gradient, and of lse, that counts queries.
static constexpr int64_t kQueries = 2;

namespace {

/// Elements [start, start + size) that a rank has of a dim, which lie together
/// from `position` on.
struct Run {
  int64_t start, size;
  spmd::TableAttr position;
};

/// The runs in which ranks of a class have a dim.
class RunsOfClass {
public:
  RunsOfClass(Shares &shares, ArrayRef<int64_t> coordinates,
              spmd::TableAttr offset, spmd::RunsAttr runs)
      : shares(shares), mesh(shares.getMesh()), coordinates(coordinates),
        offset(offset), runs(runs) {}

  /// Of `size` elements; of none one run of none.
  SmallVector<Run> of(int64_t size) const;
  /// a + scale * b, by the axes of both.
  spmd::TableAttr sumOf(spmd::TableAttr a, spmd::TableAttr b,
                        int64_t scale) const;

private:
  using AtRank = llvm::function_ref<int64_t(ArrayRef<int64_t>)>;

  spmd::TableAttr positionOf(int64_t number) const;
  spmd::TableAttr tableOf(ArrayRef<spmd::TableAttr> over, AtRank value) const;

  Shares &shares;
  nn::MeshAttr mesh;
  ArrayRef<int64_t> coordinates;
  spmd::TableAttr offset; ///< in the order
  spmd::RunsAttr runs;
};

} // namespace

/// A number by the axes of these tables.
spmd::TableAttr RunsOfClass::tableOf(ArrayRef<spmd::TableAttr> over,
                                     AtRank value) const {
  AxisList axes;
  for (spmd::TableAttr table : over)
    for (StringAttr axis : table.getAxes())
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  axes = shares.inMeshOrder(axes);
  int64_t members = 1;
  for (StringAttr axis : axes)
    members *= mesh.getSize(axis);
  SmallVector<int64_t> values;
  for (int64_t member = 0; member < members; ++member) {
    SmallVector<int64_t> at(mesh.getAxes().size(), 0);
    int64_t rest = member;
    for (StringAttr axis : llvm::reverse(axes)) {
      at[mesh.getIndex(axis)] = rest % mesh.getSize(axis);
      rest /= mesh.getSize(axis);
    }
    values.push_back(value(at));
  }
  return spmd::TableAttr::simplified(mesh.getContext(), axes, values);
}

/// Where element `number` of the rank's is.
spmd::TableAttr RunsOfClass::positionOf(int64_t number) const {
  return tableOf(
      {offset, runs.getBegin(), runs.getFirst(), runs.getLength(),
       runs.getEvery()},
      [&](ArrayRef<int64_t> at) {
        int64_t i = number + offset.at(mesh, at) - runs.getBegin().at(mesh, at);
        int64_t length = runs.getLength().at(mesh, at);
        return runs.getFirst().at(mesh, at) +
               i / length * runs.getEvery().at(mesh, at) + i % length;
      });
}

spmd::TableAttr RunsOfClass::sumOf(spmd::TableAttr a, spmd::TableAttr b,
                                   int64_t scale) const {
  return tableOf({a, b}, [&](ArrayRef<int64_t> at) {
    return a.at(mesh, at) + scale * b.at(mesh, at);
  });
}

SmallVector<Run> RunsOfClass::of(int64_t size) const {
  int64_t length = runs.getLength().at(mesh, coordinates);
  int64_t ahead =
      offset.at(mesh, coordinates) - runs.getBegin().at(mesh, coordinates);
  SmallVector<Run> list;
  for (int64_t start = 0; start < size; start += list.back().size) {
    int64_t left = length - (start + ahead) % length;
    list.push_back({start, std::min(left, size - start), positionOf(start)});
  }
  if (list.empty())
    list.push_back({0, 0, spmd::TableAttr::constant(mesh.getContext(), 0)});
  return list;
}

//===-- Slices ------------------------------------------------------------===//

static int64_t sizeOf(Value value, int64_t dim) {
  return nn::layoutOf(value).getDims()[dim].getSize();
}

/// Elements of a dim for each of its major factor.
static int64_t restOf(Value value, int64_t dim) {
  int64_t rest = 1;
  for (nn::FactorAttr minor :
       nn::layoutOf(value).getDims()[dim].getFactors().drop_front())
    rest *= minor.getSize();
  return rest;
}

static RankedTensorType typeOf(Value value, int64_t dim, const Run &run) {
  return withFactorSize(value.getType(), dim, 0, run.size / restOf(value, dim));
}

static Value sliceOf(OpBuilder &builder, Location loc, Value value, int64_t dim,
                     const Run &run) {
  if (run.size == sizeOf(value, dim))
    return value;
  return nn::SliceOp::create(builder, loc, typeOf(value, dim, run), value, dim,
                             run.start, run.size, /*drop=*/false);
}

static Value joined(OpBuilder &builder, Value whole, ArrayRef<Value> parts,
                    int64_t dim) {
  if (parts.size() == 1)
    return parts.front();
  return nn::ConcatOp::create(builder, whole.getLoc(), whole.getType(), parts,
                              dim);
}

//===-- Rotary ------------------------------------------------------------===//

static void rotate(spmd::RotaryOp op, Shares &shares,
                   ArrayRef<int64_t> coordinates) {
  spmd::PositionsAttr positions = op.getPositions();
  if (!positions.getRuns())
    return;
  OpBuilder builder(op);
  int64_t dim = op.getDim();
  RunsOfClass runs(shares, coordinates, positions.getBegin(),
                   positions.getRuns());
  SmallVector<Value> parts;
  for (const Run &run : runs.of(sizeOf(op.getX(), dim))) {
    Value x = sliceOf(builder, op.getLoc(), op.getX(), dim, run);
    IRMapping mapping;
    mapping.map(op.getX(), x);
    auto copy = cast<spmd::RotaryOp>(builder.clone(*op, mapping));
    copy.setPositionsAttr(spmd::PositionsAttr::get(
        op.getContext(), run.position, positions.getExtent()));
    copy.getResult().setType(typeOf(op.getResult(), dim, run));
    parts.push_back(copy.getResult());
  }
  op.getResult().replaceAllUsesWith(
      joined(builder, op.getResult(), parts, dim));
  op.erase();
}

//===-- Attention ---------------------------------------------------------===//

/// The cut of the queries' factor in what weights are drawn for.
static spmd::CutAttr cutOfQueries(spmd::BoxAttr box) {
  for (spmd::CutAttr cut : box.getCuts())
    if (cut.getDim() == kQueries)
      return cut;
  return {};
}

/// Elements of a dim for each of the cut's factor.
static int64_t restOf(spmd::BoxAttr box, spmd::CutAttr cut) {
  int64_t rest = 1;
  ArrayRef<nn::FactorAttr> factors =
      box.getLayout().getDims()[cut.getDim()].getFactors();
  for (nn::FactorAttr minor : factors.drop_front(cut.getFactor() + 1))
    rest *= minor.getSize();
  return rest;
}

/// Where queries in runs are, and it matters where.
template <class OpTy> static std::optional<Place> placeOfQueries(OpTy op) {
  if (std::optional<spmd::PositionsAttr> queries = op.getQueries()) {
    if (queries->getRuns())
      return Place{queries->getBegin(), queries->getRuns()};
  } else if (std::optional<spmd::DrawsAttr> draws = op.getDraws()) {
    spmd::CutAttr cut = cutOfQueries(draws->getBox());
    if (!cut || !cut.getRuns())
      return std::nullopt;
    int64_t rest = restOf(draws->getBox(), cut);
    return Place{scaled(cut.getOffset(), rest, 0), scaled(cut.getRuns(), rest)};
  }
  return std::nullopt;
}

static spmd::DrawsAttr drawsOf(spmd::DrawsAttr draws, const Run &run,
                               const RunsOfClass &runs) {
  spmd::BoxAttr box = draws.getBox();
  SmallVector<spmd::CutAttr> cuts(box.getCuts());
  MLIRContext *context = draws.getContext();
  for (spmd::CutAttr &cut : cuts) {
    if (cut.getDim() != kQueries)
      continue;
    int64_t rest = restOf(box, cut);
    auto units = llvm::map_to_vector(
        run.position.getValues(), [&](int64_t place) { return place / rest; });
    cut = spmd::CutAttr::get(
        context, cut.getDim(), cut.getFactor(),
        spmd::TableAttr::get(context, run.position.getAxes(), units),
        spmd::TableAttr::constant(context, run.size / rest));
  }
  int64_t keys = box.getLayout().getDims().back().getSize();
  return spmd::DrawsAttr::get(
      context, draws.getKey(), runs.sumOf(draws.getFirst(), run.position, keys),
      spmd::BoxAttr::get(context, box.getLayout(), cuts));
}

/// Operands with something for each query, by number: along kQueries or, where
/// they are masks, dim 1.
static SmallVector<unsigned> ofQueries(spmd::AttentionOp) { return {0}; }
static SmallVector<unsigned> ofQueries(spmd::AttentionGradOp) {
  return {0, 3, 4, 5};
}
/// A bias may be one for all queries.
template <class OpTy> static bool hasQueries(OpTy op, unsigned bias) {
  return sizeOf(op->getOperand(bias), kQueries) == sizeOf(op.getQ(), kQueries);
}
static bool isMadeByQuery(spmd::AttentionOp, unsigned) { return true; }
static bool isMadeByQuery(spmd::AttentionGradOp op, unsigned result) {
  auto bias = nn::MaskOperands::biasOf(op);
  return result == 0 || (result == 3 && hasQueries(op, *bias));
}

template <class OpTy>
static OpTy attend(OpBuilder &builder, OpTy op, const Run &run,
                   const RunsOfClass &runs) {
  auto copy = cast<OpTy>(builder.clone(*op));
  builder.setInsertionPoint(copy);
  auto slice = [&](unsigned number, int64_t dim) {
    OpOperand &operand = copy->getOpOperand(number);
    operand.set(sliceOf(builder, op.getLoc(), operand.get(), dim, run));
  };
  for (unsigned number : ofQueries(op))
    slice(number, kQueries);
  if (auto documents = nn::MaskOperands::of(op).queryDocuments)
    slice(*documents, /*dim=*/1);
  if (auto bias = nn::MaskOperands::biasOf(op); bias && hasQueries(op, *bias))
    slice(*bias, kQueries);
  builder.setInsertionPointAfter(copy);
  if (std::optional<spmd::PositionsAttr> queries = op.getQueries())
    copy.setQueriesAttr(spmd::PositionsAttr::get(op.getContext(), run.position,
                                                 queries->getExtent()));
  if (op.getDraws())
    copy.setDrawsAttr(drawsOf(*op.getDraws(), run, runs));
  for (OpResult result : copy->getResults())
    if (isMadeByQuery(op, result.getResultNumber()))
      result.setType(typeOf(result, kQueries, run));
  return copy;
}

template <class OpTy>
static void attend(OpTy op, Shares &shares, ArrayRef<int64_t> coordinates) {
  std::optional<Place> place = placeOfQueries(op);
  if (!place)
    return;
  OpBuilder builder(op);
  RunsOfClass runs(shares, coordinates, place->offset, place->runs);
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (const Run &run : runs.of(sizeOf(op.getQ(), kQueries)))
    for (auto [list, result] :
         llvm::zip(results, attend(builder, op, run, runs)->getResults()))
      list.push_back(result);
  for (auto [number, list] : llvm::enumerate(results)) {
    Value old = op->getResult(number), made = list.front();
    if (isMadeByQuery(op, number))
      made = joined(builder, old, list, kQueries);
    else // terms of a gradient of what several queries read
      for (Value term : ArrayRef(list).drop_front())
        made = nn::BinaryOp::create(builder, op.getLoc(), made, term,
                                    nn::BinaryKind::Add);
    old.replaceAllUsesWith(made);
  }
  op->erase();
}

void partitioning::computeRunByRun(spmd::FuncOp func, Shares &shares,
                                   ArrayRef<int64_t> coordinates) {
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (auto rotary = dyn_cast<spmd::RotaryOp>(op))
      rotate(rotary, shares, coordinates);
    else if (auto attention = dyn_cast<spmd::AttentionOp>(op))
      attend(attention, shares, coordinates);
    else if (auto gradient = dyn_cast<spmd::AttentionGradOp>(op))
      attend(gradient, shares, coordinates);
  }
}
