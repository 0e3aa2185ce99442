//===- SpmdReceived.cpp - what a rank receives in each collective ---------===//
//
// The same counts as plan::receivedBytes and the runtime's counters; a test
// compares them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Shape.h"
#include "dialects/Spmd/Spmd.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::spmd;

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static int64_t receivedInAllReduce(Value x, int64_t me, int64_t members) {
  int64_t total = elementsOf(x);
  int64_t own = total * (me + 1) / members - total * me / members;
  return (members - 1) * own + (total - own);
}

int64_t AllReduceOp::getReceivedElements(int64_t me, int64_t members) {
  return receivedInAllReduce(getX(), me, members);
}

int64_t AllReduceManyOp::getReceivedElements(int64_t me, int64_t members) {
  int64_t received = 0;
  for (Value x : getXs())
    received += receivedInAllReduce(x, me, members);
  return received;
}

Value AllReduceManyOp::getSource() { return getXs().front(); }
Value AllReduceManyOp::getDestination() { return getResults().front(); }
StringRef AllReduceManyOp::getKind() {
  return AllReduceOp::getOperationName().split('.').second;
}

int64_t ReduceScatterManyOp::getReceivedElements(int64_t, int64_t members) {
  int64_t received = 0;
  for (Value result : getResults())
    received += (members - 1) * elementsOf(result);
  return received;
}

Value ReduceScatterManyOp::getSource() { return getXs().front(); }
Value ReduceScatterManyOp::getDestination() { return getResults().front(); }
StringRef ReduceScatterManyOp::getKind() {
  return ReduceScatterOp::getOperationName().split('.').second;
}

int64_t AllGatherManyOp::getReceivedElements(int64_t, int64_t) {
  int64_t received = 0;
  for (auto [x, result] : llvm::zip(getXs(), getResults()))
    received += elementsOf(result) - elementsOf(x);
  return received;
}

Value AllGatherManyOp::getSource() { return getXs().front(); }
Value AllGatherManyOp::getDestination() { return getResults().front(); }
StringRef AllGatherManyOp::getKind() {
  return AllGatherOp::getOperationName().split('.').second;
}

int64_t ReduceScatterOp::getReceivedElements(int64_t, int64_t members) {
  return (members - 1) * elementsOf(getResult());
}

int64_t AllGatherOp::getReceivedElements(int64_t, int64_t) {
  return elementsOf(getResult()) - elementsOf(getX());
}

/// Of a factor that was split, what each of the others has.
static int64_t receivedInAllToAll(Value result, CutAttr cut, int64_t me,
                                  int64_t members) {
  nn::DimAttr dim = nn::layoutOf(result).getDims()[cut.getDim()];
  int64_t whole = dim.getFactors()[cut.getFactor()].getSize();
  if (whole == 0)
    return 0;
  SmallVector<int64_t> sizes = cut.getSize().valuesFor(members);
  return elementsOf(result) / whole * (llvm::sum_of(sizes) - sizes[me]);
}

int64_t AllToAllOp::getReceivedElements(int64_t me, int64_t members) {
  return receivedInAllToAll(getResult(), getCut(), me, members);
}

int64_t AllToAllManyOp::getReceivedElements(int64_t me, int64_t members) {
  int64_t received = 0;
  for (auto [result, cut] :
       llvm::zip(getResults(), getCuts().getAsRange<CutAttr>()))
    received += receivedInAllToAll(result, cut, me, members);
  return received;
}

Value AllToAllManyOp::getSource() { return getXs().front(); }
Value AllToAllManyOp::getDestination() { return getResults().front(); }
StringRef AllToAllManyOp::getKind() {
  return AllToAllOp::getOperationName().split('.').second;
}

int64_t BroadcastOp::getReceivedElements(int64_t me, int64_t) {
  return me == int64_t(getRoot()) ? 0 : elementsOf(getResult());
}

//===-- Margins -----------------------------------------------------------===//

std::vector<std::vector<int64_t>> spmd::rowsOf(std::optional<ArrayAttr> lists) {
  std::vector<std::vector<int64_t>> rows;
  if (lists)
    for (auto list : lists->getAsRange<DenseI64ArrayAttr>())
      rows.emplace_back(list.asArrayRef().begin(), list.asArrayRef().end());
  return rows;
}

template <class OpTy> plan::Halo spmd::haloOf(OpTy op, int64_t members) {
  auto values = [&](TableAttr table) {
    SmallVector<int64_t> list = table.valuesFor(members);
    return std::vector<int64_t>(list.begin(), list.end());
  };
  return {values(op.getOffsets()),     values(op.getSizes()),
          values(op.getHeldOffsets()), values(op.getHeldSizes()),
          int64_t(op.getExtent()),     op.getBorder().getValue(),
          rowsOf(op.getRows())};
}

template plan::Halo spmd::haloOf(HaloExchangeOp, int64_t);
template plan::Halo spmd::haloOf(HaloReduceOp, int64_t);

/// Elements of one position of the factors that are cut, of all tensors.
template <class OpTy> static int64_t elementsOfPosition(OpTy op) {
  int64_t sum = 0;
  for (auto [x, cutDim, cutFactor] :
       llvm::zip(op.getXs(), op.getDims(), op.getFactors())) {
    int64_t count = 1;
    for (auto [d, dim] : llvm::enumerate(nn::layoutOf(x).getDims()))
      for (auto [f, factor] : llvm::enumerate(dim.getFactors()))
        if (int64_t(d) != cutDim || int64_t(f) != cutFactor)
          count *= factor.getSize();
    sum += count;
  }
  return sum;
}

int64_t HaloExchangeOp::getReceivedElements(int64_t me, int64_t members) {
  return haloOf(*this, members).receivedInExchange(me) *
         elementsOfPosition(*this);
}

int64_t HaloReduceOp::getReceivedElements(int64_t me, int64_t members) {
  return haloOf(*this, members).receivedInReduce(me) *
         elementsOfPosition(*this);
}

/// "halo", or the collective that its strategy names.
static StringRef kindOf(HaloStrategy strategy) {
  switch (strategy) {
  case HaloStrategy::Neighbors:
    return "halo";
  case HaloStrategy::AllToAll:
    return stringifyHaloStrategy(strategy);
  }
  llvm_unreachable("an enumerator");
}

Value HaloExchangeOp::getSource() { return getXs().front(); }
Value HaloExchangeOp::getDestination() { return getResults().front(); }
StringRef HaloExchangeOp::getKind() { return kindOf(getStrategy()); }

Value HaloReduceOp::getSource() { return getXs().front(); }
Value HaloReduceOp::getDestination() { return getResults().front(); }
StringRef HaloReduceOp::getKind() { return kindOf(getStrategy()); }
