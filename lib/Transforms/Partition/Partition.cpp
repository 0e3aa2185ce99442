//===- Partition.cpp - from the placed program to one a rank class --------===//

#include "hocket/Transforms/Partition.h"
#include "ClassBuilder.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::partitioning;

/// The placed function: the only function of the module.
static nn::FuncOp findPlaced(ModuleOp module) {
  nn::FuncOp placed;
  for (auto func : module.getOps<nn::FuncOp>()) {
    if (placed) {
      func.emitError() << "expected one placed function, found @"
                       << placed.getName() << " and @" << func.getName();
      return {};
    }
    placed = func;
  }
  if (!placed)
    module.emitError() << "expected a placed function";
  return placed;
}

/// What no output needs is not computed, nor are its collectives run; the file
/// of weights has a tensor that nothing reads all the same.
static void eraseUnused(nn::FuncOp placed) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(placed.front())))
    if (!isa<nn::ParameterOp, nn::StateOp>(op) && isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult hocket::partition(ModuleOp module) {
  nn::FuncOp placed = findPlaced(module);
  if (!placed)
    return failure();
  nn::MeshAttr mesh = nn::meshOf(module);
  if (!mesh)
    return module.emitError() << "a module of placed functions has an "
                                 "nn.placement";
  eraseUnused(placed);
  Shares shares(mesh);
  FailureOr<std::vector<RankClass>> classes = findRankClasses(placed, shares);
  if (failed(classes))
    return failure();
  Folding folding(placed, shares);
  for (auto [number, rankClass] : llvm::enumerate(*classes)) {
    LocalProgram program(placed.getLoc(), rankClass, shares);
    ClassBuilder builder(placed, folding, program);
    spmd::FuncOp func = builder.build("class" + std::to_string(number));
    if (!func)
      return failure();
    module.push_back(func);
  }
  placed.erase();
  return checkClasses(module);
}

namespace {

struct PartitionPass : PassWrapper<PartitionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartitionPass)
  StringRef getArgument() const override { return "hocket-partition"; }
  StringRef getDescription() const override {
    return "one function of local operations and collectives a rank class";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<spmd::SpmdDialect>();
  }
  void runOnOperation() override {
    if (failed(partition(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void hocket::registerPartitionPass() { PassRegistration<PartitionPass>(); }
