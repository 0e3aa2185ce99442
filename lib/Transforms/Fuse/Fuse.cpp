//===- Fuse.cpp - groups operations into kernels --------------------------===//

#include "hocket/Transforms/Fuse.h"
#include "Groups.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "dialects/Spmd/Func.h"
#include "dialects/Spmd/Spmd.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hocket;

static void outline(const Group &group) {
  Operation *last = group.back();
  OpBuilder builder(last);
  Block body;
  SmallVector<Value> inputs, outputs;
  buildBody(group, body, inputs, outputs);
  SmallVector<Location> locations;
  for (Operation *member : group)
    locations.push_back(member->getLoc());
  OperationState state(last->getLoc(), spmd::KernelOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(llvm::to_vector(ValueRange(outputs).getTypes()));
  Region *region = state.addRegion();
  region->push_back(new Block());
  Block &inner = region->front();
  for (BlockArgument argument : body.getArguments())
    argument.replaceAllUsesWith(
        inner.addArgument(argument.getType(), argument.getLoc()));
  inner.getOperations().splice(inner.end(), body.getOperations());
  Operation *kernel = builder.create(state);
  for (auto [output, result] : llvm::zip(outputs, kernel->getResults()))
    output.replaceAllUsesWith(result);
  for (Operation *member : llvm::reverse(group))
    member->erase();
}

/// Constants that only kernels read have been copied into them.
static void eraseDead(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (!isa<nn::StoredOp>(op) && isOpTriviallyDead(&op))
      op.erase();
}

/// cuBLASLt adds a bias of the result's type alone: where a product of narrow
/// floats is f32, its bias is widened before.
static void widenBiases(Block &body) {
  for (auto op : body.getOps<nn::LinearOp>()) {
    Value bias = op.getBias();
    Type made = getElementTypeOrSelf(op.getResult().getType());
    if (!bias || !made.isF32() || getElementTypeOrSelf(bias.getType()) == made)
      continue;
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(bias.getType()).clone(made);
    op.getBiasMutable().assign(
        nn::CastOp::create(builder, bias.getLoc(), type, bias));
  }
}

LogicalResult hocket::fuse(ModuleOp module) {
  bool isForGpu = nn::targetOf(module) == nn::Target::Cuda;
  for (auto func : module.getOps<spmd::FuncOp>()) {
    Block &body = func.getBody().front();
    if (isForGpu)
      widenBiases(body);
    DenseSet<Value> loadTime = loadTimeValues(body);
    Epilogues epilogues(body, loadTime);
    std::vector<Group> groups = Groups(body, loadTime, epilogues).take();
    for (const Group &group : groups)
      outline(group);
    eraseDead(body);
  }
  return checkPinned(module);
}

namespace {
struct FusePass : PassWrapper<FusePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FusePass)
  StringRef getArgument() const final { return "hocket-fuse"; }
  StringRef getDescription() const final {
    return "group element-wise and reducing operations into kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<spmd::SpmdDialect>();
  }
  void runOnOperation() override {
    if (failed(fuse(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerFusePass() { PassRegistration<FusePass>(); }
