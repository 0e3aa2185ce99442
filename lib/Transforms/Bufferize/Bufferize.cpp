//===- Bufferize.cpp - where values lie -----------------------------------===//

#include "hocket/Transforms/Bufferize.h"
#include "ClassBufferizer.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hocket;

LogicalResult hocket::bufferize(ModuleOp module) {
  const bufferization::Target &target =
      bufferization::targetFor(nn::targetOf(module));
  for (auto func : module.getOps<spmd::FuncOp>())
    if (failed(bufferization::ClassBufferizer(func, target).run()))
      return failure();
  return checkBuffers(module);
}

namespace {
struct BufferizePass : PassWrapper<BufferizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BufferizePass)
  StringRef getArgument() const final { return "hocket-bufferize"; }
  StringRef getDescription() const final {
    return "give each value its memory order, its place and its end";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<buffers::BuffersDialect>();
  }
  void runOnOperation() override {
    if (failed(bufferize(getOperation())))
      signalPassFailure();
  }
};

struct CheckBuffersPass
    : PassWrapper<CheckBuffersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckBuffersPass)
  StringRef getArgument() const final { return "hocket-check-buffers"; }
  StringRef getDescription() const final {
    return "check lives and places in functions of the buffers stage";
  }
  void runOnOperation() override {
    if (failed(checkBuffers(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void hocket::registerBufferizePasses() {
  PassRegistration<BufferizePass>();
  PassRegistration<CheckBuffersPass>();
}
