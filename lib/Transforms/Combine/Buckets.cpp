//===- Buckets.cpp - which collectives become one -------------------------===//

#include "Buckets.h"
#include "dialects/Nn/Derivative.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Combine.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::combining;

std::vector<spmd::CollectiveOp> combining::collectivesOf(spmd::FuncOp func) {
  std::vector<spmd::CollectiveOp> list;
  for (Operation &op : func.getBody().front())
    if (auto collective = dyn_cast<spmd::CollectiveOp>(op))
      list.push_back(collective);
  return list;
}

std::vector<llvm::BitVector>
combining::neededBy(spmd::FuncOp func,
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

bool combining::isStored(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<spmd::CollectiveOp>(op))
    return false;
  if (isa<nn::StoredOp>(op))
    return true;
  return op->getNumOperands() == 1 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) && isStored(op->getOperand(0));
}

static Kind kindOf(spmd::CollectiveOp op, bool ofBackward) {
  if (op.getHookAttr())
    return Kind::Other;
  if (isa<spmd::AllReduceOp>(op.getOperation()))
    return Kind::Reduce;
  if (isa<spmd::ReduceScatterOp>(op.getOperation()) && ofBackward)
    return Kind::Scatter;
  if (isa<spmd::AllToAllOp>(op.getOperation()))
    return ofBackward ? Kind::Return : Kind::Turn;
  if (!isa<spmd::AllGatherOp>(op.getOperation()))
    return Kind::Other;
  if (isStored(op.getSource()))
    return Kind::Fetch;
  bool isUpdate =
      llvm::all_of(op.getDestination().getUsers(),
                   [](Operation *user) { return isa<nn::AssignOp>(user); });
  return isUpdate ? Kind::Publish : Kind::Other;
}

Key combining::keyOf(spmd::CollectiveOp op) {
  Key key;
  key.ofBackward = op->hasAttr(nn::kBackward);
  key.kind = kindOf(op, key.ofBackward);
  key.axes = op.getAxes();
  key.microBatch = op->getAttr(nn::kMicroBatch);
  key.element = getElementTypeOrSelf(op.getSource());
  if (auto reduction = op->getAttrOfType<spmd::ReductionAttr>("reduction"))
    key.reduction = reduction.getValue();
  return key;
}

int64_t Planner::mostBytesOf(size_t index) const {
  int64_t most = 0;
  for (const std::vector<spmd::CollectiveOp> &collectives : classes) {
    spmd::CollectiveOp collective = collectives[index];
    for (Value side : {collective.getSource(), collective.getDestination()}) {
      auto type = cast<RankedTensorType>(side.getType());
      int64_t bits = type.getElementType().getIntOrFloatBitWidth();
      most = std::max(most, type.getNumElements() * ((bits + 7) / 8));
    }
  }
  return most;
}

std::optional<int64_t> Planner::limitOf(const Key &key) const {
  if (!limits || key.kind == Kind::Turn || key.kind == Kind::Return)
    return {};
  bool ofParameters = key.kind == Kind::Fetch || key.kind == Kind::Publish;
  llvm::SmallPtrSet<Attribute, 4> axes(key.axes.begin(), key.axes.end());
  for (auto limit : limits.getAsRange<DictionaryAttr>()) {
    auto over = limit.getAs<ArrayAttr>("axes");
    bool isOfParameters =
        limit.getAs<StringAttr>("of").getValue() == "parameters";
    if (isOfParameters == ofParameters && over.size() == axes.size() &&
        llvm::all_of(over, [&](Attribute axis) { return axes.contains(axis); }))
      return limit.getAs<IntegerAttr>("bytes").getInt();
  }
  return {};
}

static bool isAttention(Operation *op) {
  return isa<spmd::AttentionOp, spmd::NeighborhoodAttentionOp>(op);
}

static bool isAttentionGrad(Operation *op) {
  return isa<spmd::AttentionGradOp, spmd::NeighborhoodAttentionGradOp>(op);
}

std::vector<Operation *> combining::attentionsOf(spmd::FuncOp func) {
  // By operation: the next attention that reads what comes of it, and the last
  // gradient that it comes of, before another collective.
  llvm::DenseMap<Operation *, Operation *> readers, makers;
  Block &body = func.getBody().front();
  for (Operation &op : llvm::reverse(body)) {
    Operation *&next = readers[&op];
    for (Operation *user : op.getUsers()) {
      Operation *reader = isAttention(user) ? user
                          : isa<spmd::CollectiveOp>(user)
                              ? nullptr
                              : readers.lookup(user);
      if (reader && (!next || reader->isBeforeInBlock(next)))
        next = reader;
    }
  }
  std::vector<Operation *> attentions;
  for (Operation &op : body) {
    Operation *last = nullptr;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || isa<spmd::CollectiveOp>(producer))
        continue;
      Operation *maker =
          isAttentionGrad(producer) ? producer : makers.lookup(producer);
      if (maker && (!last || last->isBeforeInBlock(maker)))
        last = maker;
    }
    makers[&op] = last;
    if (isa<spmd::CollectiveOp>(op))
      attentions.push_back(op.hasAttr(nn::kBackward) ? last
                                                     : readers.lookup(&op));
  }
  return attentions;
}

bool Planner::shareAttention(size_t first, size_t next) const {
  return llvm::all_of(attentions, [&](const std::vector<Operation *> &list) {
    return list[first] && list[first] == list[next];
  });
}

bool Planner::canStandAt(size_t first, size_t next) const {
  return llvm::none_of(llvm::seq(first, next), [&](size_t between) {
    return needed[next].test(between);
  });
}

bool Planner::isNeeded(const Bucket &bucket, size_t next) const {
  return llvm::any_of(bucket,
                      [&](size_t member) { return needed[next].test(member); });
}

/// Without a bucket line: what is small, and what one match of an fsdp line
/// splits, gathered and scattered as one.
bool Planner::fitsSize(const Bucket &bucket, size_t next) const {
  int64_t bytes = bytesOf[next];
  for (size_t member : bucket)
    bytes += bytesOf[member];
  if (std::optional<int64_t> limit = limitOf(keys[next]))
    return bytes <= *limit;
  auto unitOf = [&](size_t index) {
    return classes.front()[index]->getAttr(nn::kUnit);
  };
  if (keys[next].kind == Kind::Turn && shareAttention(bucket.front(), next))
    return true;
  if (keys[next].kind == Kind::Return)
    return shareAttention(bucket.front(), next) &&
           canStandAt(bucket.front(), next);
  if (Attribute unit = unitOf(next); unit && keys[next].kind != Kind::Reduce)
    return llvm::all_of(bucket,
                        [&](size_t member) { return unitOf(member) == unit; });
  return bytes <= kCombinedBytes;
}

bool Planner::fits(const Bucket &bucket, size_t next) const {
  for (const std::vector<spmd::CollectiveOp> &collectives : classes)
    if (!(keyOf(collectives[bucket.front()]) == keyOf(collectives[next])))
      return false;
  return fitsSize(bucket, next);
}

void Planner::close(size_t next) {
  for (size_t i = 0; i < open.size();) {
    if (standsEarly(keys[open[i].front()].kind) || !isNeeded(open[i], next)) {
      ++i;
      continue;
    }
    closed.push_back(std::move(open[i]));
    open.erase(open.begin() + i);
  }
}

/// What did not take in `next` by its size is full: else what is small and
/// comes late would be gathered long before it is needed.
void Planner::closeFull(size_t next) {
  if (keys[next].kind != Kind::Fetch || !limitOf(keys[next]))
    return;
  for (size_t i = 0; i < open.size(); ++i)
    if (keys[open[i].front()] == keys[next]) {
      closed.push_back(std::move(open[i]));
      open.erase(open.begin() + i);
      return;
    }
}

std::vector<Bucket> Planner::plan() {
  for (const spmd::CollectiveOp &op : classes.front()) {
    bytesOf.push_back(mostBytesOf(keys.size()));
    keys.push_back(keyOf(op));
  }
  for (size_t next = 0; next < keys.size(); ++next) {
    close(next);
    bool isOther = llvm::any_of(classes, [&](const auto &collectives) {
      return keyOf(collectives[next]).kind == Kind::Other;
    });
    if (isOther)
      continue;
    auto found = llvm::find_if(
        open, [&](const Bucket &bucket) { return fits(bucket, next); });
    if (found != open.end()) {
      found->push_back(next);
      continue;
    }
    closeFull(next);
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
