//===- AttentionLines.cpp - how an attention over a split sequence is computed
//===//
//
// `attention PATH using ...` stands for the moves that a user would write at
// the operands and the result of an attention whose sequence is split:
//   heads       all_to_all to a split by heads, and back (DeepSpeed-Ulysses,
//               arXiv 2309.14509); each rank gets the kv heads that its query
//               heads read (KeyHeads.h)
//   all_gather  keys and values whole on every rank
//   sequence    a halo of keys and values, where the mask is a window
//   ring        keys and values stay split, and the attention itself fetches
//               the parts of others one after another (dialects/Nn/Ring.h)
//
//===----------------------------------------------------------------------===//

#include "KeyHeads.h"
#include "Locations.h"
#include "Placer.h"
#include "Relayout.h"
#include "dialects/Nn/MaskOperands.h"
#include "dialects/Nn/Neighborhood.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Ring.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::placement;

void Placer::readAttention(sched::AttentionOp attention) {
  auto axes = readAxes(attention, attention.getOver());
  std::vector<PathNode *> nodes = resolve(attention, attention.getPattern());
  bool isHalo = attention.getStrategy() == "sequence";
  if (!axes || (axes->empty() && !isHalo) || nodes.empty())
    return;
  Licence licence{attention, {}, *axes, {}};
  for (PathNode *node : nodes)
    licence.paths.push_back(node->path);
  (isHalo ? halos : strategies).push_back(std::move(licence));
}

/// One operand or result of an attention, moved over the axes to where `target`
/// has it.
Value Placer::moveAttended(Value value, const Licence &strategy,
                           ArrayRef<unsigned> axes, RedistributeKind kind,
                           nn::LayoutAttr target) {
  Location model =
      value.getDefiningOp() ? value.getDefiningOp()->getLoc() : value.getLoc();
  Value moved =
      redistribute(value, kind, axes, target,
                   madeBy(model, strategy.directive->getLoc()), std::nullopt);
  for (unsigned other = 0; other < mesh.getAxes().size(); ++other) {
    Origin origin;
    bool isMoved = llvm::is_contained(axes, other);
    origin.kind = isMoved ? Origin::Kind::Sync : Origin::Kind::Through;
    origin.directive = isMoved ? strategy.directive : nullptr;
    origin.op = moved.getDefiningOp();
    origin.from = value;
    origins.set(moved, other, origin);
  }
  return moved;
}

bool placement::isAttention(Operation *op) {
  return isa<nn::AttentionOp, nn::NeighborhoodAttentionOp>(op);
}

/// Whether positions are counted by this dim of q, k, v or the result, of
/// [batch, heads, positions..., head dim].
static bool isPosition(Value value, nn::SplitAttr split) {
  int64_t rank = nn::layoutOf(value).getDims().size();
  return split && split.getDim() >= 2 && split.getDim() < rank - 1;
}

/// The strategies that move an attention, each over the axes that cut positions
/// of its queries, innermost first: what is nested leaves first, and axes that
/// one line names leave in one exchange.
SmallVector<AttentionMove> Placer::movesOf(Operation *op) {
  SmallVector<AttentionMove> moves;
  std::string path = modelPath(op);
  Value q = op->getOperand(0);
  nn::SplitAttr inner;
  for (nn::SplitAttr split : llvm::reverse(nn::layoutOf(q).getSplits())) {
    bool isNested = inner && inner.getDim() == split.getDim() &&
                    inner.getFactor() == split.getFactor();
    inner = {};
    unsigned axis = mesh.getIndex(split.getAxis());
    for (Licence &strategy : strategies) {
      if (!strategy.covers(path) || !isPosition(q, split) ||
          !llvm::is_contained(strategy.axes, axis))
        continue;
      if (!isNested || moves.back().strategy != &strategy)
        moves.push_back({&strategy, {}, {}});
      moves.back().axes.insert(moves.back().axes.begin(), axis);
      moves.back().before.insert(moves.back().before.begin(), split);
      inner = split;
      // Else it counts if queries stay as they are.
      if (!autoReshard || moves.back().isByHeads())
        strategy.used.insert(axis);
      break;
    }
  }
  return moves;
}

/// Whether the axes are the innermost ones of what they cut of `value`, and may
/// leave it; else an error.
bool Placer::mayLeave(Operation *op, Value value, const AttentionMove &move,
                      ArrayRef<unsigned> axes) {
  std::string axis = axisText(axes.front(), mesh);
  std::string inner;
  for (StringAttr nested : nestedFrom(nn::layoutOf(value), axis))
    if (!llvm::is_contained(axes, unsigned(mesh.getIndex(nested))))
      inner = nested.str();
  if (inner.empty())
    return true;
  std::string path = modelPath(op);
  std::string both = "(" + axis + ", " + inner + ")";
  std::string strategy =
      cast<sched::AttentionOp>(move.strategy->directive).getStrategy().str();
  problems
      .addAt(move.strategy->directive,
             "attention in '" + path + "' cannot leave its sequence split by " +
                 inner + " and not by " + axis + ", inside of which " + inner +
                 " cuts it",
             path)
      .note(inner +
            " leaves it first, or both leave it together: write using "
            "heads over " +
            inner + ", " + (strategy == "heads" ? "ring" : strategy) +
            " over " + axis + ", or using " + strategy + " over " + both)
      .lines.front()
      .over = {both};
  return false;
}

/// Of parts that are several runs of the sequence each pair of runs of queries
/// and keys is a call. Stripes of one position would make the square of a
/// part's length.
constexpr int64_t kMostRingCalls = 4096;

/// The calls of the rank with the most.
static int64_t ringCalls(int64_t extent, ArrayRef<nn::SplitAttr> splits,
                         nn::MeshAttr mesh) {
  size_t most = 0, all = 0;
  for (const nn::RunList &runs : nn::runsOfParts(extent, splits, mesh)) {
    most = std::max(most, runs.size());
    all += runs.size();
  }
  return int64_t(most * all);
}

namespace {
/// Why there is no ring, and what to write instead; empty if there is one.
struct NoRing {
  std::string why, instead;
  bool isTried = true; ///< `instead`, where proposals are made
};
} // namespace

static NoRing whyNoRing(Operation *op, ArrayRef<StringRef> axes,
                        nn::MeshAttr mesh) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  if (!attention)
    return {"its mask is a neighborhood, whose keys lie next to its queries",
            "write using sequence"};
  auto lengthOf = [](Value value) {
    return nn::layoutOf(value).getDims()[2].getSize();
  };
  int64_t queries = lengthOf(attention.getQ()),
          keys = lengthOf(attention.getK());
  if (queries != keys)
    return {"it has " + std::to_string(queries) + " queries and " +
                std::to_string(keys) + " keys, which are cut in other places",
            "write using all_gather, or using heads"};
  nn::LayoutAttr layout = nn::layoutOf(attention.getQ());
  int64_t extent = layout.getDims()[2].getFactors().front().getSize();
  SmallVector<nn::SplitAttr> splits = layout.splitsOf(2, 0);
  llvm::erase_if(splits, [&](nn::SplitAttr split) {
    return !llvm::is_contained(axes, split.getAxis().getValue());
  });
  int64_t calls = ringCalls(extent, splits, mesh), block = 1;
  if (calls <= kMostRingCalls)
    return {};
  int64_t parts = mesh.getSize(splits.front().getAxis());
  while (llvm::divideCeil(extent, block) *
             llvm::divideCeil(extent, parts * block) >
         uint64_t(kMostRingCalls))
    block *= 2;
  return {"each pair of runs of queries and keys is a call, " +
              std::to_string(calls) + " on a rank, where at most " +
              std::to_string(kMostRingCalls) + " are made",
          "write zigzag, or striped " + std::to_string(block),
          /*isTried=*/false};
}

/// Tells the operation over which axes its keys and values travel. False after
/// a reported error.
bool Placer::takeRing(Operation *op, ArrayRef<AttentionMove> moves) {
  SmallVector<StringRef> axes;
  const Licence *line = nullptr;
  for (const AttentionMove &move : moves)
    if (move.isRing()) {
      line = line ? line : move.strategy;
      for (unsigned axis : move.axes)
        axes.push_back(mesh.getAxes()[axis].getName().getValue());
    }
  if (!line)
    return true;
  if (NoRing none = whyNoRing(op, axes, mesh); !none.why.empty()) {
    std::string path = modelPath(op);
    Problem &problem =
        problems.addAt(line->directive,
                       "attention in '" + path + "' has no ring over " +
                           llvm::join(axes, ", ") + ": " + none.why,
                       path);
    if (none.isTried)
      problem.advise(none.instead);
    else
      problem.note(none.instead);
    return false;
  }
  auto attention = cast<nn::AttentionOp>(op);
  if (attention.getRing())
    return true;
  op->setLoc(madeBy(op->getLoc(), line->directive->getLoc()));
  attention.setRingAttr(Builder(op).getStrArrayAttr(axes));
  return true;
}

/// Whether each rank has all kv heads that its query heads read, and no others,
/// where both are cut over the axes of what moves by heads.
static bool keysFit(Operation *op, ArrayRef<AttentionMove> moves,
                    nn::MeshAttr mesh) {
  nn::LayoutAttr queries = nn::layoutOf(op->getOperand(0)),
                 keys = nn::layoutOf(op->getOperand(1));
  nn::DimAttr heads = keys.getDims()[1];
  if (heads.getSize() == queries.getDims()[1].getSize())
    return true;
  int64_t ranks = 1;
  for (const AttentionMove &move : moves)
    for (unsigned axis : move.axes)
      ranks *= move.isByHeads() ? mesh.getAxes()[axis].getSize() : 1;
  return llvm::all_of(nn::partSizes(heads.getFactors().front().getSize(),
                                    keys.splitsOf(1, 0), mesh),
                      [&](int64_t size) { return size % ranks == 0; });
}

/// Whether a line may leave ranks with the kv heads that they read, and with
/// these as a part of what several hold: keys and values stand alike, and stay
/// as a line leaves them. A gather of what it is beside moves what is owned
/// only, and so does `auto reshard`, which may gather queries that lie beside.
static bool mayHoldRead(Operation *op, ArrayRef<AttentionMove> moves,
                        bool autoReshard) {
  auto splitsOf = [&](unsigned operand) {
    return nn::layoutOf(op->getOperand(operand)).getSplits();
  };
  bool areKept = llvm::all_of(moves, [](const AttentionMove &move) {
    return move.isByHeads() || move.isRing();
  });
  return !autoReshard && areKept && splitsOf(1) == splitsOf(2);
}

/// Of a bias: whether it is not one for all heads.
static bool hasHeads(Value bias) {
  return nn::layoutOf(bias).getDims()[1].getSize() != 1;
}

SmallVector<AttentionMove> Placer::prepareAttention(Operation *op) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  auto mask = attention ? nn::MaskOperands::of(attention) : nn::MaskOperands();
  auto bias = attention ? nn::MaskOperands::biasOf(attention) : std::nullopt;
  SmallVector<AttentionMove> moves = movesOf(op);
  if (!takeRing(op, moves))
    return {};
  bool keysExchange = keysFit(op, moves, mesh);
  bool holdsRead = mayHoldRead(op, moves, autoReshard);
  // One value may number the documents of queries and of keys: it moves once.
  llvm::SmallDenseMap<std::pair<Value, nn::LayoutAttr>, Value> masks;
  for (OpOperand &operand : op->getOpOperands())
    for (const AttentionMove &move : moves) {
      // Masks go with every head, and are cut by positions only. Documents of
      // queries stay with these, and so does a bias, by heads if it has any.
      unsigned number = operand.getOperandNumber();
      bool isKeys = number == 1 || number == 2;
      bool isMask = mask.isMask(number);
      bool isWhole = mask.isByKey(number) || (isMask && move.isByHeads());
      bool isBias = number == bias;
      bool exchanges =
          move.isByHeads() && (number == 0 || (isKeys && keysExchange) ||
                               (isBias && hasHeads(operand.get())));
      nn::LayoutAttr layout = nn::layoutOf(operand.get());
      SmallVector<unsigned> axes;
      for (nn::SplitAttr split : layout.getSplits()) {
        unsigned axis = mesh.getIndex(split.getAxis());
        bool isMoved = isPosition(operand.get(), split) || isMask;
        bool isRead = exchanges || (isKeys && !move.isRing()) ||
                      (isWhole && split.getDim() == 1) ||
                      (isBias && move.isByHeads());
        if (llvm::is_contained(move.axes, axis) && isMoved && isRead)
          axes.push_back(axis);
      }
      if (axes.empty() || (!move.isByHeads() && number == 0))
        continue;
      if (!mayLeave(op, operand.get(), move, axes))
        return {};
      nn::LayoutAttr target = wholeOver(layout, namesOf(axes, mesh));
      if (exchanges)
        target = cutOver(target, namesOf(axes, mesh), /*dim=*/1, /*factor=*/0);
      else if (isKeys && move.isByHeads() && holdsRead)
        if (auto read = keyHeads(nn::layoutOf(op->getOperand(0)), layout,
                                 namesOf(axes, mesh), mesh)) {
          target = read;
          exchanges = true;
        }
      Value known = isMask ? masks.lookup({operand.get(), target}) : Value();
      Value moved = known
                        ? known
                        : moveAttended(operand.get(), *move.strategy, axes,
                                       exchanges ? RedistributeKind::AllToAll
                                                 : RedistributeKind::AllGather,
                                       target);
      if (isMask)
        masks[{operand.get(), target}] = moved;
      operand.set(moved);
    }
  return moves;
}

/// Of a line that gathers keys for queries which `auto reshard` has gathered
/// too: nothing is left to the line, and what it moved is told as inserted.
void Placer::recordGathered(Operation *op, const AttentionMove &move) {
  for (Value value : op->getOperands()) {
    auto moved = value.getDefiningOp<nn::RedistributeOp>();
    if (!moved || moved.getKind() != RedistributeKind::AllGather ||
        origins.of(value, move.axes.front()).directive !=
            move.strategy->directive)
      continue;
    recordMove(op, moved.getX(), value, RedistributeKind::AllGather, move.axes,
               /*isNamed=*/true);
  }
}

/// Takes the result back from heads to the parts that queries came in.
void Placer::finishAttention(Operation *op, ArrayRef<AttentionMove> moves) {
  Value value = op->getResult(0), q = op->getOperand(0);
  for (const AttentionMove &move : llvm::reverse(moves)) {
    auto isCut = [&](unsigned axis) {
      return isPosition(q, nn::layoutOf(q).splitOver(axisText(axis, mesh)));
    };
    if (autoReshard && !move.isByHeads() && llvm::none_of(move.axes, isCut))
      recordGathered(op, move);
    nn::LayoutAttr layout = nn::layoutOf(value);
    SmallVector<unsigned> axes;
    SmallVector<nn::SplitAttr> before;
    for (auto [axis, split] : llvm::zip(move.axes, move.before)) {
      if (isCut(axis))
        move.strategy->used.insert(axis);
      nn::SplitAttr heads = layout.splitOver(axisText(axis, mesh));
      if (!move.isByHeads() || !heads || heads.getDim() != 1)
        continue;
      axes.push_back(axis);
      before.push_back(split);
    }
    if (axes.empty())
      continue;
    Value moved =
        moveAttended(value, *move.strategy, axes, RedistributeKind::AllToAll,
                     cutBy(wholeOver(layout, namesOf(axes, mesh)), before));
    value.replaceAllUsesExcept(moved, moved.getDefiningOp());
    value = moved;
  }
}

/// Of a sequence that more axes cut than the ring goes over.
static void noteRing(Problem &problem, Operation *op,
                     ArrayRef<Licence> strategies) {
  SmallVector<std::string> axes;
  for (nn::SplitAttr split : nn::layoutOf(op->getOperand(0)).getSplits())
    if (isPosition(op->getOperand(0), split))
      axes.push_back(split.getAxis().str());
  for (const Licence &strategy : strategies) {
    auto line = cast<sched::AttentionOp>(strategy.directive);
    if (line.getStrategy() != "ring" || !strategy.covers(modelPath(op)))
      continue;
    problem
        .note(scheduleLine(line.getLoc()), "this line names the axes of a ring")
        .note("write attention " + line.getPattern().str() +
              " using ring over (" + llvm::join(axes, ", ") + ")");
    return;
  }
}

void placement::noteSequence(Problem &problem, Operation *op, unsigned axis,
                             nn::MeshAttr mesh, ArrayRef<Licence> strategies,
                             ArrayRef<Licence> halos) {
  auto attention = dyn_cast<nn::AttentionOp>(op);
  std::string path = modelPath(op);
  if (attention && attention.getRing()) {
    Value q = attention.getQ();
    bool isInRing = nn::isRingOver(op, axisText(axis, mesh));
    if (!isInRing &&
        isPosition(q, nn::layoutOf(q).splitOver(axisText(axis, mesh))))
      noteRing(problem, op, strategies);
    return;
  }
  for (const Licence &licence : halos) {
    auto line = dyn_cast<sched::AttentionOp>(licence.directive);
    if (!attention || !line || !licence.covers(path) ||
        !llvm::is_contained(licence.axes, axis))
      continue;
    auto lengthOf = [](Value value) {
      return std::to_string(nn::layoutOf(value).getDims()[2].getSize());
    };
    bool isWindow = attention.getBefore() || attention.getAfter();
    problem
        .note(scheduleLine(line.getLoc()),
              "this line moves what windows of keys read, and " +
                  (isWindow ? lengthOf(attention.getQ()) + " queries of " +
                                  lengthOf(attention.getK()) +
                                  " keys have no windows"
                            : "the mask is no window"))
        .note("write attention " + line.getPattern().str() +
              " using heads over " + axisText(axis, mesh) +
              ", or using all_gather");
    return;
  }
}

static StringRef strategyOf(const AttentionMove &move) {
  return cast<sched::AttentionOp>(move.strategy->directive).getStrategy();
}

bool AttentionMove::isByHeads() const { return strategyOf(*this) == "heads"; }
bool AttentionMove::isRing() const { return strategyOf(*this) == "ring"; }

void Placer::checkStrategies() {
  for (const Licence &strategy : strategies)
    for (unsigned axis : strategy.axes)
      if (!strategy.used.count(axis))
        problems
            .addAt(strategy.directive,
                   "attention of " + strategy.pattern() + " over " +
                       axisText(axis, mesh) +
                       " has no effect: the sequence of no query is split "
                       "there",
                   strategy.paths.front())
            .advise("leave this line out");
}
