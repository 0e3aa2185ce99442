//===- Buckets.cpp - which collectives become one -------------------------===//

#include "Buckets.h"
#include "hocket/Plan/Report.h"
#include "hocket/Transforms/Combine.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::combining;

std::vector<spmd::CollectiveOp> combining::collectivesOf(func::FuncOp func) {
  std::vector<spmd::CollectiveOp> list;
  for (Operation &op : func.getBody().front())
    if (auto collective = dyn_cast<spmd::CollectiveOp>(op))
      list.push_back(collective);
  return list;
}

std::vector<llvm::BitVector>
combining::neededBy(func::FuncOp func,
                    ArrayRef<spmd::CollectiveOp> collectives) {
  std::vector<llvm::BitVector> needed;
  llvm::DenseMap<Operation *, llvm::BitVector> reached;
  for (Operation &op : func.getBody().front()) {
    llvm::BitVector all(collectives.size());
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        all |= reached[producer];
    if (isa<spmd::CollectiveOp>(op)) {
      needed.push_back(all);
      all.set(needed.size() - 1);
    }
    reached[&op] = std::move(all);
  }
  return needed;
}

int64_t Planner::bytesOf(size_t index) const {
  int64_t most = 0;
  for (std::vector<spmd::CollectiveOp> collectives : classes) {
    auto type =
        cast<RankedTensorType>(collectives[index]->getOperand(0).getType());
    int64_t bits = type.getElementType().getIntOrFloatBitWidth();
    most = std::max(most, type.getNumElements() * ((bits + 7) / 8));
  }
  return most;
}

int64_t Planner::limitOf(ArrayAttr axes) const {
  if (limits)
    for (auto limit : limits.getAsRange<DictionaryAttr>())
      if (limit.get("axes") == axes)
        return cast<IntegerAttr>(limit.get("bytes")).getInt();
  return kCombinedBytes;
}

/// The forward does not wait for the backward.
static bool isOfBackward(spmd::AllReduceOp op) {
  std::string path = originOf(op.getLoc()).path;
  return StringRef(path).ends_with(".grad") ||
         StringRef(path).ends_with(".again");
}

bool Planner::fits(const Bucket &bucket, size_t next) const {
  for (std::vector<spmd::CollectiveOp> collectives : classes) {
    auto first =
        cast<spmd::AllReduceOp>(collectives[bucket.front()].getOperation());
    auto other = dyn_cast<spmd::AllReduceOp>(collectives[next].getOperation());
    if (!other || isOfBackward(first) != isOfBackward(other) ||
        first.getAxes() != other.getAxes() ||
        first.getReduction() != other.getReduction() ||
        getElementTypeOrSelf(first.getX()) !=
            getElementTypeOrSelf(other.getX()))
      return false;
  }
  int64_t bytes = bytesOf(next);
  for (size_t member : bucket)
    bytes += bytesOf(member);
  return bytes <= limitOf(spmd::CollectiveOp(classes.front()[next]).getAxes());
}

void Planner::close(size_t next) {
  auto isNeeded = [&](const Bucket &bucket) {
    return llvm::any_of(
        bucket, [&](size_t member) { return needed[next].test(member); });
  };
  for (size_t i = 0; i < open.size();) {
    if (!isNeeded(open[i])) {
      ++i;
      continue;
    }
    closed.push_back(std::move(open[i]));
    open.erase(open.begin() + i);
  }
}

std::vector<Bucket> Planner::plan() {
  for (size_t next = 0; next < classes.front().size(); ++next) {
    close(next);
    bool isAllReduce = llvm::all_of(classes, [&](auto collectives) {
      return isa<spmd::AllReduceOp>(collectives[next].getOperation());
    });
    if (!isAllReduce)
      continue;
    auto found = llvm::find_if(
        open, [&](const Bucket &bucket) { return fits(bucket, next); });
    if (found != open.end())
      found->push_back(next);
    else
      open.push_back({next});
  }
  closed.insert(closed.end(), open.begin(), open.end());
  llvm::erase_if(closed,
                 [](const Bucket &bucket) { return bucket.size() < 2; });
  // Where one has been moved, the positions of the others still hold.
  llvm::sort(closed, [](const Bucket &a, const Bucket &b) {
    return a.back() < b.back();
  });
  return std::move(closed);
}
