//===- Lifetimes.cpp - how long buffers live ------------------------------===//

#include "Lifetimes.h"
#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Values.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::buffers;

/// Where operations stand: asking the block for it after each change would take
/// as long as the block.
static llvm::DenseMap<Operation *, unsigned> numbersOf(Block &body) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [number, op] : llvm::enumerate(body))
    numbers[&op] = number;
  return numbers;
}

void bufferization::packEarly(Block &body) {
  llvm::DenseMap<Operation *, unsigned> numbers = numbersOf(body);
  llvm::DenseMap<Value, Operation *> reads; // of parameters, by buffer
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto compute = dyn_cast<ComputeOp>(op);
    if (compute && isa<spmd::ParameterOp>(compute.getComputed()))
      reads[bufferOf(compute.getOuts()[0])] = &op;
    auto pack = dyn_cast<PackOp>(op);
    auto read = pack ? reads.find(bufferOf(pack.getWeight())) : reads.end();
    if (read == reads.end())
      continue;
    Operation *view = pack.getWeight().getDefiningOp();
    if (numbers[read->second] < numbers[view]) {
      view->moveAfter(read->second);
      numbers[view] = numbers[read->second];
      read->second = view;
    }
    op.moveAfter(read->second);
    numbers[&op] = numbers[read->second];
    read->second = &op;
  }
}

/// Calls `touch` with each buffer that the operation uses when it runs.
template <class Touch> static void forEachBuffer(Operation &op, Touch touch) {
  if (isa<ViewOp, ReleaseOp>(op))
    return;
  Operation *uses = &op;
  if (auto wait = dyn_cast<WaitOp>(op))
    uses = wait.getStarted().getDefiningOp();
  for (Value operand : uses->getOperands())
    if (Value buffer = bufferOf(operand))
      touch(buffer);
}

static void eraseViews(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    user->erase();
}

void bufferization::endLives(Block &body) {
  llvm::DenseMap<Value, Operation *> last;
  Operation *loaded = nullptr;
  for (Operation &op : body) {
    if (isa<LoadedOp>(op))
      loaded = &op;
    forEachBuffer(op, [&](Value buffer) { last[buffer] = &op; });
  }
  llvm::DenseMap<Operation *, unsigned> numbers = numbersOf(body);
  for (auto buffer :
       llvm::make_early_inc_range(body.getOps<buffers::BufferOp>())) {
    Operation *end = last.lookup(buffer);
    if (!end) {
      eraseViews(buffer);
      buffer.erase();
    } else if (buffer.getRegion() != buffers::Region::Arena) {
      continue;
    } else if (numbers[buffer] < numbers[loaded] &&
               numbers[loaded] < numbers[end]) {
      buffer.setRegion(buffers::Region::Weights);
    } else {
      OpBuilder builder(buffer.getContext());
      builder.setInsertionPointAfter(end);
      ReleaseOp::create(builder, buffer.getLoc(), buffer);
    }
  }
}
