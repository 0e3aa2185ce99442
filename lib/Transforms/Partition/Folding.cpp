//===- Folding.cpp - redistributions that cost nothing of their own -------===//

#include "Folding.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The operations that use a value, through the names it has.
static void collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    if (auto named = dyn_cast<nn::ValueOp>(user))
      collectUsers(named.getResult(), users);
    else
      users.push_back(user);
  }
}

/// All users if each is a redistribution of that kind, else none.
static SmallVector<nn::RedistributeOp> usersOfKind(ArrayRef<Value> values,
                                                   nn::RedistributeKind kind) {
  SmallVector<Operation *> users;
  for (Value value : values)
    collectUsers(value, users);
  SmallVector<nn::RedistributeOp> result;
  for (Operation *user : users) {
    auto op = dyn_cast<nn::RedistributeOp>(user);
    if (!op || op.getKind() != kind)
      return {};
    result.push_back(op);
  }
  return result;
}

static AxisList axesOf(nn::RedistributeOp op) {
  AxisList axes;
  for (Attribute axis : op.getAxes())
    axes.push_back(cast<StringAttr>(axis));
  return axes;
}

Folding::Folding(nn::FuncOp func, const Shares &shares) {
  Block &body = func.getBody().front();
  llvm::DenseSet<StringAttr> assigned = nn::assignedNames(body);
  for (Operation &op : body) {
    if (auto parameter = dyn_cast<nn::ParameterOp>(op)) {
      // What is assigned is stored as its type says.
      if (assigned.contains(parameter.getPathAttr()))
        loads[parameter] = {parameter.getType(), {}};
      else
        foldIntoLoad(parameter, shares);
    }
    if (auto move = dyn_cast<nn::RedistributeOp>(op))
      if (move.getKind() == nn::RedistributeKind::AllReduce)
        foldIntoScatter(move);
  }
}

void Folding::foldIntoLoad(nn::ParameterOp parameter, const Shares &shares) {
  Load load{cast<RankedTensorType>(parameter.getResult().getType()), {}};
  SmallVector<Value> values = {parameter.getResult()};
  auto advance = [&](ArrayRef<nn::RedistributeOp> ops) {
    nn::RedistributeOp first = ops.front();
    load.type = cast<RankedTensorType>(first.getResult().getType());
    values.clear();
    for (nn::RedistributeOp op : ops) {
      folded.insert(op);
      values.push_back(op.getResult());
    }
  };
  auto haveOneType = [](ArrayRef<nn::RedistributeOp> ops) {
    return llvm::all_equal(llvm::map_range(
        ops, [](nn::RedistributeOp op) { return op.getResult().getType(); }));
  };
  while (true) {
    SmallVector<nn::RedistributeOp> ops =
        usersOfKind(values, nn::RedistributeKind::Slice);
    if (ops.empty() || !haveOneType(ops))
      break;
    advance(ops);
  }
  SmallVector<nn::RedistributeOp> masks =
      usersOfKind(values, nn::RedistributeKind::Mask);
  if (!masks.empty() && haveOneType(masks)) {
    advance(masks);
    load.onlyFirstOf = shares.inMeshOrder(axesOf(masks.front()));
  }
  loads[parameter] = load;
}

void Folding::foldIntoScatter(nn::RedistributeOp allReduce) {
  if (allReduce.getHook())
    return; // an all_reduce is what it does
  SmallVector<nn::RedistributeOp> slices =
      usersOfKind({allReduce.getResult()}, nn::RedistributeKind::Slice);
  if (slices.size() != 1)
    return;
  AxisList reduced = axesOf(allReduce), sliced = axesOf(slices.front());
  if (llvm::DenseSet<StringAttr>(reduced.begin(), reduced.end()) !=
      llvm::DenseSet<StringAttr>(sliced.begin(), sliced.end()))
    return;
  folded.insert(allReduce);
  scatters[slices.front()] = allReduce;
}

Load Folding::loadOf(nn::ParameterOp parameter) const {
  return loads.lookup(parameter);
}

Move Folding::moveOf(nn::RedistributeOp op) const {
  Move move{op.getKind(), nn::layoutOf(op.getX()), nn::layoutOf(op.getResult()),
            op.getAxes()};
  if (nn::RedistributeOp allReduce = scatters.lookup(op)) {
    move.kind = nn::RedistributeKind::ReduceScatter;
    move.from = nn::layoutOf(allReduce.getX());
  }
  return move;
}
