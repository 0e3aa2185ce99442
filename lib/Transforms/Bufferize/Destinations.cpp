//===- Destinations.cpp - where users want values -------------------------===//

#include "Destinations.h"
#include "Middles.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "hocket/Transforms/Fuse.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::bufferization;

static const Destination kOwn;

Destinations::Destinations(spmd::FuncOp func, const Target &target,
                           const DenseSet<Value> &loadTime,
                           const Epilogues &epilogues)
    : func(func), target(target), loadTime(loadTime), epilogues(epilogues) {
  findStored();
  findDecided();
  for (Operation &op : llvm::reverse(func.getBody().front()))
    for (OpResult result : op.getResults()) {
      Destination chosen = choose(result);
      if (chosen.kind != Destination::Kind::Own)
        destinations[result] = chosen;
    }
}

const Destination &Destinations::of(Value value) const {
  auto found = destinations.find(value);
  return found == destinations.end() ? kOwn : found->second;
}

Destination Destinations::choose(OpResult value) const {
  if (loadTime.contains(value) || isViewOp(value.getOwner()))
    return {};
  for (auto find : {&Destinations::within, &Destinations::stored,
                    &Destinations::part, &Destinations::middle})
    if (auto found = (this->*find)(value))
      return *found;
  return {};
}

//===-- Concatenations ----------------------------------------------------===//

/// The one use of a value, except that others are told of it; null if there are
/// more.
static OpOperand *onlyReader(Value value) {
  OpOperand *reader = nullptr;
  for (OpOperand &use : value.getUses()) {
    if (isa<spmd::StartOp>(use.getOwner()))
      continue;
    if (reader)
      return nullptr;
    reader = &use;
  }
  return reader;
}

std::optional<Destination> Destinations::part(OpResult value) const {
  OpOperand *use = onlyReader(value);
  if (!use || !target.writesParts(value.getOwner()))
    return std::nullopt;
  auto view = dyn_cast<nn::RearrangeOp>(use->getOwner());
  if (view)
    use = onlyReader(view.getResult());
  if (!use || !isa<nn::ConcatOp>(use->getOwner()))
    return std::nullopt;
  Destination part{Destination::Kind::Part, use};
  part.view = view;
  return part;
}

//===-- Margins -----------------------------------------------------------===//

std::optional<Destination> Destinations::middle(OpResult value) const {
  if (!target.writesMiddles(value.getOwner()))
    return std::nullopt;
  OpOperand *read = nullptr;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<spmd::HaloExchangeOp, spmd::PlaceOp>(user)) {
      if (read)
        return std::nullopt; // it can be in one place only
      read = &use;
    } else if (!isa<spmd::StartOp>(user) && !target.readsMiddles(user)) {
      return std::nullopt; // may need a copy of what is no run of memory
    }
  }
  if (!read)
    return std::nullopt;
  if (isa<spmd::PlaceOp>(read->getOwner()))
    return Destination{Destination::Kind::Zeros, read};
  auto exchange = cast<spmd::HaloExchangeOp>(read->getOwner());
  Destination middle{Destination::Kind::Middle, read};
  middle.before = ownedBehind(exchange, func);
  // Margins inside of a dim would leave it without a stride of its own.
  nn::DimAttr dim =
      nn::layoutOf(value)
          .getDims()[exchange.getDims()[read->getOperandNumber()]];
  if (!middle.before || dim.getFactors().size() != 1)
    return std::nullopt;
  return middle;
}

/// The result of a reduction, in the middle of its operand, which nothing else
/// reads.
std::optional<Destination> Destinations::within(OpResult value) const {
  auto reduce = dyn_cast<spmd::HaloReduceOp>(value.getOwner());
  if (!reduce)
    return std::nullopt;
  Value x = reduce.getXs()[value.getResultNumber()];
  Operation *producer = x.getDefiningOp();
  bool isShared = llvm::any_of(x.getUsers(), [&](Operation *user) {
    return user != reduce && !isa<spmd::StartOp>(user);
  });
  if (!producer || isShared || loadTime.contains(x) ||
      !isa<spmd::KernelOp, spmd::HaloReduceOp, nn::ConvTransposeOp,
           spmd::PoolGradOp, nn::ConcatOp, nn::ScatterSumOp>(producer))
    return std::nullopt;
  Destination within{Destination::Kind::Within};
  within.stored = x;
  within.before = ownedBehind(reduce, func);
  return within.before ? std::optional(within) : std::nullopt;
}

//===-- What is stored ----------------------------------------------------===//

void Destinations::findStored() {
  Block &body = func.getBody().front();
  auto assigned = nn::assignedNames(body);
  for (auto parameter : body.getOps<spmd::ParameterOp>())
    if (assigned.contains(parameter.getPathAttr()))
      holders[parameter.getPath()] = parameter.getResult();
  for (auto state : body.getOps<spmd::StateOp>())
    holders[state.getName()] = state.getResult();
}

void Destinations::findDecided() {
  if (nn::assignedNames(func.getBody().front()).empty())
    return;
  auto results = cast<nn::ReturnOp>(func.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(results.getOperands())) {
    auto name = nn::resultName(func, number);
    if (!name || (name.getValue() != "loss" && name.getValue() != "grad_norm"))
      continue;
    Operation *op = value.getDefiningOp();
    while (op && isViewOp(op))
      op = op->getOperand(0).getDefiningOp();
    if (!op || loadTime.contains(value))
      continue;
    op = epilogues.whereItRuns(op);
    if (!decided || decided->isBeforeInBlock(op))
      decided = op;
  }
}

bool Destinations::isLastReader(Value value, Operation *producer, bool isView,
                                bool &reads) const {
  for (Operation *user : value.getUsers()) {
    if (isViewOp(user)) {
      if (!isLastReader(user->getResult(0), producer, true, reads))
        return false;
    } else if (user == producer && !isView) {
      reads = true;
    } else if (!epilogues.whereItRuns(user)->isBeforeInBlock(producer)) {
      return false;
    }
  }
  return true;
}

std::optional<Destination> Destinations::stored(OpResult value) const {
  Operation *producer = epilogues.whereItRuns(value.getOwner());
  // What is written before the operation itself runs is not behind the last
  // reader.
  if (isa<spmd::ParameterOp, spmd::StateOp, nn::ConcatOp, spmd::PlaceOp>(
          producer) ||
      producer->hasAttr("isStarted") || isa<spmd::HaloExchangeOp>(producer))
    return std::nullopt;
  if (decided && !decided->isBeforeInBlock(producer))
    return std::nullopt;
  // What an output is has memory of its own; a kernel may yet be faster so.
  bool isOutput = llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<nn::ReturnOp>(user);
  });
  bool isKernel = isa<spmd::KernelOp>(producer);
  if (isOutput && !isKernel)
    return std::nullopt;
  for (Operation *user : value.getUsers()) {
    auto assign = dyn_cast<nn::AssignOp>(user);
    Value held = assign ? holders.lookup(assign.getName()) : Value();
    Destination stored{Destination::Kind::Stored};
    stored.stored = held;
    if (held &&
        views::factorSizes(nn::layoutOf(held)) ==
            views::factorSizes(nn::layoutOf(value)) &&
        getElementTypeOrSelf(held) == getElementTypeOrSelf(value) &&
        isLastReader(held, producer, /*isView=*/false, stored.isRead) &&
        (isKernel || !stored.isRead))
      return stored;
  }
  return std::nullopt;
}
