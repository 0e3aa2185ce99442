//===- LoopEmitter.h - a scheduled graph as loops over memrefs -*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_LOOPEMITTER_H
#define HOCKET_LIB_CODEGEN_CPU_LOOPEMITTER_H

#include "Schedule.h"
#include "lib/CodeGen/Emit/ValueEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket::codegen {

/// Adds to the module
///   func.func @name(inputs..., outputs..., scalars: i64..., begin, end: index)
/// with every input and output a flat memref from its element 0. Dialects:
/// affine, arith, func, math, memref, scf.
mlir::func::FuncOp emitLoops(mlir::ModuleOp module, llvm::StringRef name,
                             const Graph &graph, const Schedule &schedule);

class LoopEmitter final : ValueEmitter {
public:
  LoopEmitter(mlir::ModuleOp module, const Graph &graph,
              const Schedule &schedule);
  mlir::func::FuncOp emit(llvm::StringRef name);

private:
  // LoopEmitter.cpp
  void allocateRows();
  void emitParallel(Scope &top);
  void emitSerial(size_t depth, Scope &scope);
  void emitNest(const Nest &nest, Scope &row);
  void emitInit(const Nest &nest, Scope &row);
  using LoopBody = llvm::function_ref<Values(Scope &inner, Values carried)>;
  Values emitRange(int axis, mlir::Value begin, mlir::Value end, Scope &scope,
                   Values carried, LoopBody body);
  Values emitLoop(const Nest &nest, size_t depth, Scope &scope, Values carried);
  Values emitUnrolled(const Nest &nest, size_t depth, Scope &scope,
                      Values carried);
  Values emitBody(const Nest &nest, Scope &scope, Values carried);
  void finish(const Nest &nest, Scope &scope, const Values &results);
  /// `value` may be null: it is computed then.
  void storeOutput(int number, mlir::Value value, Scope &scope);
  size_t firstReduced(const Nest &nest) const;
  mlir::Value rowAt(const AxisList &axes, Env env);
  bool staysInRow(int node) const override;
  bool isHeld(int node, Env env, mlir::Value &value) override;

  // RandomRows.cpp
  mlir::Value heldWord(int node, Env env) override;
  llvm::SmallVector<int> keepsAlong(int axis, llvm::ArrayRef<Nest> nests,
                                    const Scope &scope) const;
  void fillWords(int node, int axis, mlir::Value begin, mlir::Value end,
                 Scope &scope);
  Values emitRandomRange(llvm::ArrayRef<Nest> nests, int axis,
                         mlir::Value begin, mlir::Value end, int64_t size,
                         Scope &scope, Values carried, LoopBody body);

  const Schedule &schedule;
  Scope *row = nullptr;
  std::map<int, mlir::Value> rows;    // memory of kept values, reductions
  std::map<int, mlir::Value> scalars; // reductions without row axes
  std::set<int> ready;                // kept and reloaded nodes written by now
  /// Random words of a Keep node: of the element at `number` of `axis`, with
  /// the others as in `env`, at number + shift.
  struct Words {
    mlir::Value memory, shift;
    int axis;
    Values env;
  };
  std::map<int, Words> words;
  std::map<int, mlir::Value> wordMemory;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_LOOPEMITTER_H
