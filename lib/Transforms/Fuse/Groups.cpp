//===- Groups.cpp - chooses which operations share a kernel ---------------===//

#include "Groups.h"
#include "dialects/Nn/MicroBatch.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "hocket/Transforms/Fuse.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hocket;

/// More operations in one kernel win nothing and cost compile time.
static constexpr size_t kMaxMembers = 48;

/// Numbers in several runs are computed: only kernels do that.
bool hocket::isCopiedIntoKernels(Operation *op) {
  auto iota = dyn_cast_or_null<spmd::IotaOp>(op);
  return isa_and_nonnull<nn::FillOp>(op) ||
         (iota && !iota.getPositions().getRuns());
}

static bool isGroupable(Operation *op) {
  return codegen::isKernelOp(op) && !isViewOp(op) && !isCopiedIntoKernels(op) &&
         !isa<nn::ConcatOp>(op);
}

Groups::Groups(Block &body, const DenseSet<Value> &loadTime,
               const Epilogues &epilogues)
    : loadTime(loadTime), epilogues(epilogues) {
  int others = 0;
  for (Operation &op : body.without_terminator()) {
    othersBefore[&op] = others;
    bool isOther = !codegen::isKernelOp(&op) && op.getNumResults() > 0;
    others += isOther && !loadTime.contains(op.getResult(0));
    if (isGroupable(&op) && !epilogues.contains(&op))
      place(&op);
  }
}

bool Groups::isFreeBefore(const Group &group, Operation *op) const {
  llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
  for (Operation *member : group)
    for (Operation *user : member->getUsers())
      if (user != op && !members.contains(user) &&
          epilogues.whereItRuns(user)->isBeforeInBlock(op))
        return false;
  return true;
}

static bool reduces(Operation *op) {
  return isa<nn::ReduceOp, nn::SoftmaxOp, nn::LogSumExpOp, nn::LayerNormOp,
             nn::RmsNormOp>(op);
}

/// Whether some member reads enough for several threads.
static bool isLarge(const Group &group) {
  constexpr int64_t worthThreads = 16384;
  return llvm::any_of(group, [&](Operation *member) {
    return llvm::any_of(member->getOperandTypes(), [&](Type type) {
      return cast<RankedTensorType>(type).getNumElements() >= worthThreads;
    });
  });
}

/// A sum over the rows of what is computed by rows (the gradient of a norm's
/// weight, the mean of losses) would have one thread compute all rows; so would
/// what is done to each element once all of them are summed.
bool Groups::costsThreads(const SmallVectorImpl<int> &producers, Operation *op,
                          int64_t extent) {
  auto isLess = [&](const Group &part, int64_t enough) {
    return extent < enough && extent < probes.of(part).extent;
  };
  for (int producer : producers) {
    if (llvm::none_of(groups[producer], reduces))
      continue;
    if (reduces(op) ? isLarge(groups[producer]) && isLess(groups[producer], 32)
                    : isLarge({op}) && isLess({op}, 2))
      return true;
  }
  return false;
}

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

static Value storageOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isViewOp(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

bool Groups::isReadFrom(
    Value value, Operation *op,
    const llvm::SmallPtrSetImpl<Operation *> &members) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isViewOp(user))
      return isReadFrom(user->getResult(0), op, members);
    return !members.contains(user) &&
           !epilogues.whereItRuns(user)->isBeforeInBlock(op);
  });
}

/// Whether a group that waits for `op`, past a product or a collective, would
/// keep more memory in use than its results take: each sum of a bias' gradient
/// over its rows, if all waited for the norm of the gradients.
bool Groups::holdsMemory(const Group &group, Operation *op) const {
  if (othersBefore.lookup(group.back()) == othersBefore.lookup(op))
    return false;
  llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
  llvm::SmallDenseSet<Value> read, results;
  for (Operation *member : group) {
    for (Value operand : member->getOperands())
      if (!members.contains(operand.getDefiningOp()))
        read.insert(storageOf(operand));
    for (Operation *user : member->getUsers())
      if (!members.contains(user))
        results.insert(member->getResult(0));
  }
  int64_t held = 0, made = 0;
  for (Value value : read) {
    Operation *from = value.getDefiningOp();
    if (from && !isa<nn::StoredOp>(from) && !isCopiedIntoKernels(from) &&
        !isReadFrom(value, op, members))
      held += bytesOf(value);
  }
  for (Value value : results)
    made += bytesOf(value);
  return held > 2 * made;
}

static bool isOfOneMicroBatch(const Group &group, Operation *op) {
  return llvm::all_of(group, [&](Operation *member) {
    return member->getAttr(nn::kMicroBatch) == op->getAttr(nn::kMicroBatch);
  });
}

Group Groups::joined(const SmallVectorImpl<int> &producers, Operation *op) {
  Group group;
  for (int producer : producers) {
    if (holdsMemory(groups[producer], op))
      return {};
    group.append(groups[producer]);
  }
  if (group.size() + 1 > kMaxMembers || !isOfOneMicroBatch(group, op) ||
      !isFreeBefore(group, op))
    return {};
  group.push_back(op);
  llvm::sort(group,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Probes::Answer answer = probes.of(group);
  bool fits = answer.isKernel && !costsThreads(producers, op, answer.extent);
  return fits ? group : Group();
}

void Groups::place(Operation *op) {
  llvm::SmallSetVector<int, 4> producers;
  bool atLoad = loadTime.contains(op->getResult(0));
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    auto found = groupOf.find(producer);
    if (found != groupOf.end() && loadTime.contains(operand) == atLoad)
      producers.insert(found->second);
  }
  // All producers' groups in one if possible, else the latest that takes it.
  SmallVector<int> order = llvm::to_vector(producers);
  llvm::sort(order);
  SmallVector<SmallVector<int>> tries;
  if (order.size() > 1)
    tries.push_back(order);
  for (int index : llvm::reverse(order))
    tries.push_back({index});
  for (const SmallVector<int> &attempt : tries) {
    Group group = joined(attempt, op);
    if (group.empty())
      continue;
    int target = attempt.back();
    for (int index : attempt)
      groups[index].clear();
    groups[target] = group;
    for (Operation *member : group)
      groupOf[member] = target;
    return;
  }
  groupOf[op] = groups.size();
  groups.push_back({op});
}

std::vector<Group> Groups::take() {
  std::vector<Group> result;
  for (Group &group : groups)
    if (!group.empty())
      result.push_back(std::move(group));
  llvm::sort(result, [](const Group &a, const Group &b) {
    return a.back()->isBeforeInBlock(b.back());
  });
  return result;
}

void hocket::buildBody(const Group &group, Block &body,
                       SmallVectorImpl<Value> &inputs,
                       SmallVectorImpl<Value> &outputs) {
  OpBuilder builder(group.front()->getContext());
  builder.setInsertionPointToEnd(&body);
  IRMapping mapping;
  llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
  for (Operation *member : group) {
    for (Value operand : member->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (mapping.contains(operand) || members.contains(producer))
        continue;
      if (isCopiedIntoKernels(producer)) {
        builder.clone(*producer, mapping);
        continue;
      }
      inputs.push_back(operand);
      mapping.map(operand,
                  body.addArgument(operand.getType(), operand.getLoc()));
    }
    builder.clone(*member, mapping);
    for (Value result : member->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        outputs.push_back(result);
  }
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(mapping.lookup(output));
  OperationState state(group.back()->getLoc(),
                       spmd::YieldOp::getOperationName());
  state.addOperands(yielded);
  builder.create(state);
}
