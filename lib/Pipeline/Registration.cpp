//===- Registration.cpp - the dialects and passes of the compiler ---------===//

#include "hocket/Pipeline/Registration.h"
#include "dialects/Buffers/Buffers.h"
#include "dialects/Nn/Nn.h"
#include "dialects/Sched/Sched.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/LowerKernels.h"
#include "hocket/Placement/Place.h"
#include "hocket/Transforms/Bufferize.h"
#include "hocket/Transforms/Combine.h"
#include "hocket/Transforms/Differentiate.h"
#include "hocket/Transforms/Fuse.h"
#include "hocket/Transforms/Partition.h"
#include "hocket/Transforms/Precision.h"
#include "hocket/Transforms/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

void hocket::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  nn::NnDialect, sched::SchedDialect, spmd::SpmdDialect,
                  buffers::BuffersDialect>();
}

// One line for each stage's library, in the order of the stages.
void hocket::registerPasses() {
  placement::registerPlacePass();
  registerDifferentiatePass();
  registerPrecisionPass();
  registerTrainPass();
  registerPartitionPass();
  registerCombinePass();
  registerFusePass();
  registerBufferizePasses();
  codegen::registerLowerKernelsPass();
  codegen::registerKernelsToPtxPass();
}
