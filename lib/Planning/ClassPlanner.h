//===- ClassPlanner.h - the instructions of one rank class -----*- C++ -*-===//
//
// Translates a class function of the buffers stage, in order: buffers get
// numbers, what computes, copies, fills and packs becomes an instruction. Where
// anything lies has been decided.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLANNING_CLASSPLANNER_H
#define HOCKET_LIB_PLANNING_CLASSPLANNER_H

#include "Call.h"
#include "Constants.h"
#include "dialects/Spmd/Func.h"
#include "hocket/Planning/Planning.h"

namespace hocket::planning {

class ClassPlanner {
public:
  ClassPlanner(spmd::FuncOp func, PlanTables &tables,
               codegen::KernelCompiler &compiler, const EngineOptions &engines,
               plan::RankClass &rankClass);

  mlir::LogicalResult plan();
  const std::vector<Life> &getLives() const { return memory.getLives(); }

private:
  void addInputsAndOutputs();
  mlir::LogicalResult planOp(mlir::Operation &op);
  void addBuffer(buffers::BufferOp op);
  void addState(buffers::StateOp op);
  void addPack(buffers::PackOp op);
  mlir::LogicalResult planCompute(buffers::ComputeOp op);
  void planWait(buffers::WaitOp op);
  mlir::FailureOr<Body> bodyOf(buffers::ComputeOp op, Call &call);
  // Kernels.cpp
  codegen::KernelRequest requestOf(buffers::ComputeOp op, Call &call);
  mlir::FailureOr<Body> kernelOf(buffers::ComputeOp op, Call &call);
  /// Its file for the target is linked; fails where it has none.
  mlir::LogicalResult addHook(mlir::Operation &op, mlir::DictionaryAttr hook);
  /// Why a GPU does not run it, or nothing and its workspace, if it takes one.
  std::string planOnGpu(plan::Instruction &instruction);
  void emit(mlir::Location loc, Body body);
  void emit(plan::Instruction instruction);
  plan::View view(mlir::Value view);

  spmd::FuncOp func;
  PlanTables &tables;
  codegen::KernelCompiler &compiler;
  const EngineOptions &engines;
  plan::RankClass &rankClass;
  Memory memory;
  Addresses addresses;
  Constants constants;
  bool isLoaded = false;
  llvm::DenseMap<mlir::Value, int64_t> started; // ids
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_CLASSPLANNER_H
