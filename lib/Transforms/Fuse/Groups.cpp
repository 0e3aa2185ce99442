//===- Groups.cpp - chooses which operations share a kernel ---------------===//

#include "Groups.h"
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

bool hocket::isCopiedIntoKernels(Operation *op) {
  return op && isa<nn::FillOp, nn::IotaOp>(op);
}

static bool isGroupable(Operation *op) {
  return codegen::isKernelOp(op) && !isViewOp(op) && !isCopiedIntoKernels(op) &&
         !isa<nn::ConcatOp>(op) && !op->hasAttr(kInEpilogue);
}

Groups::Groups(Block &body, const DenseSet<Value> &loadTime)
    : loadTime(loadTime) {
  for (Operation &op : body.without_terminator())
    if (isGroupable(&op))
      place(&op);
}

bool Groups::isFreeBefore(const Group &group, Operation *op) const {
  llvm::SmallPtrSet<Operation *, 8> members(group.begin(), group.end());
  for (Operation *member : group)
    for (Operation *user : member->getUsers())
      if (user != op && !members.contains(user) &&
          whereItRuns(user)->isBeforeInBlock(op))
        return false;
  return true;
}

static bool reduces(Operation *op) {
  return isa<nn::ReduceOp, nn::SoftmaxOp, nn::LogSumExpOp, nn::LayerNormOp,
             nn::RmsNormOp>(op);
}

static int64_t extentOf(const Group &group) {
  Block body;
  SmallVector<Value> inputs, outputs;
  buildBody(group, body, inputs, outputs);
  int64_t extent = codegen::parallelExtent(body);
  body.dropAllDefinedValueUses();
  body.clear();
  return extent;
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
/// weight, the mean of losses) would have one thread compute all rows.
bool Groups::costsThreads(const SmallVectorImpl<int> &producers,
                          Block &body) const {
  constexpr int64_t enough = 32;
  int64_t extent = -1;
  for (int producer : producers) {
    if (!isLarge(groups[producer]) || llvm::none_of(groups[producer], reduces))
      continue;
    if (extent < 0)
      extent = codegen::parallelExtent(body);
    if (extent < enough && extent < extentOf(groups[producer]))
      return true;
  }
  return false;
}

Group Groups::joined(const SmallVectorImpl<int> &producers,
                     Operation *op) const {
  Group group;
  for (int producer : producers)
    group.append(groups[producer]);
  if (group.size() + 1 > kMaxMembers || !isFreeBefore(group, op))
    return {};
  group.push_back(op);
  llvm::sort(group,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Block body;
  SmallVector<Value> inputs, outputs;
  buildBody(group, body, inputs, outputs);
  bool fits = codegen::whyNotKernel(body).empty() &&
              (!reduces(op) || !costsThreads(producers, body));
  // Drop uses in reverse, the block is not in a region.
  body.dropAllDefinedValueUses();
  body.clear();
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
