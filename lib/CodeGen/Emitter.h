//===- Emitter.h - a scheduled graph as loops over memrefs -----*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_EMITTER_H
#define HOCKET_LIB_CODEGEN_EMITTER_H

#include "Schedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::codegen {

/// Adds to the module
///   func.func @name(inputs..., outputs..., scalars: i64..., begin, end: index)
/// with every input and output a flat memref from its element 0. Dialects:
/// affine, arith, func, math, memref, scf.
mlir::func::FuncOp emitLoops(mlir::ModuleOp module, llvm::StringRef name,
                             const Graph &graph, const Schedule &schedule);

/// A place in the loop nest: the numbers of the axes bound there, and what was
/// computed there already. A value is computed in the outermost scope that
/// binds all its axes.
struct Scope {
  Scope *parent = nullptr;
  mlir::Block *block = nullptr;
  bool isRow = false;                 // where the nests follow one another
  llvm::SmallVector<mlir::Value> env; // by axis; null: not bound
  std::map<std::pair<int, llvm::SmallVector<void *, 6>>, mlir::Value> memo;
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, const Graph &graph, const Schedule &schedule);
  mlir::func::FuncOp emit(llvm::StringRef name);

private:
  using Env = llvm::ArrayRef<mlir::Value>;
  using Values = llvm::SmallVector<mlir::Value>;

  // EmitLoops.cpp
  mlir::func::FuncOp declare(llvm::StringRef name);
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
  Scope inside(Scope &parent, mlir::Block *block);

  // EmitValues.cpp
  mlir::Value evaluate(int node, Env env, Scope &scope);
  mlir::Value compute(int node, Env env, Scope &scope);
  mlir::Value computeLoad(const Node &node, Env env);
  mlir::Value computeIndex(const Node &node, Env env);
  mlir::Value computePieces(int node, Env env, Scope &scope);
  mlir::Value piece(const Node &node, size_t k, mlir::Value number, Env env,
                    Scope &scope);
  mlir::Value computeFlip(const Node &node, Env env, Scope &scope);
  bool stored(int node, Env env, mlir::Value &value);
  bool needsRow(int node) const;
  mlir::Value at(const LinearForm &form, Env env);
  mlir::Value rowAt(const AxisList &axes, Env env);
  mlir::Value index(int64_t value);
  void insertIn(Scope &scope);
  mlir::Type typeOf(DType type);
  mlir::Type storedTypeOf(DType type);
  mlir::Value fromStored(mlir::Value value, DType type);
  mlir::Value toStored(mlir::Value value, DType type);

  // EmitRandom.cpp
  mlir::Value scalarArgument(int number);
  mlir::Value elementNumber(const Node &node, Env env);
  llvm::SmallVector<mlir::Value, 4> philox(mlir::Value block, const Node &node,
                                           mlir::Value step);
  mlir::Value ownWord(const Node &node, Env env, mlir::Value step);
  mlir::Value computeKeep(int node, Env env, Scope &scope);
  llvm::SmallVector<int> keepsAlong(int axis, llvm::ArrayRef<Nest> nests,
                                    const Scope &scope) const;
  void fillWords(int node, int axis, mlir::Value begin, mlir::Value end,
                 Scope &scope);
  Values emitRandomRange(llvm::ArrayRef<Nest> nests, int axis,
                         mlir::Value begin, mlir::Value end, int64_t size,
                         Scope &scope, Values carried, LoopBody body);

  // EmitScalars.cpp
  mlir::Value scalar(const Node &node, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value arithmetic(ScalarOp function, mlir::Value a, mlir::Value b);
  mlir::Value integer(int64_t value, mlir::Type type);
  mlir::Value integerDivision(mlir::Value a, mlir::Value b);
  mlir::Value integerPower(mlir::Value a, mlir::Value b);
  mlir::Value comparison(ScalarOp function, mlir::Value a, mlir::Value b);
  mlir::Value function(ScalarOp function, mlir::Value x);
  mlir::Value cast(mlir::Value x, DType to);
  mlir::Value constant(double value, DType type);
  mlir::Value combine(const Node &reduce, mlir::Value a, mlir::Value b);
  mlir::Value identity(const Node &reduce);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::ModuleOp module;
  const Graph &graph;
  const Schedule &schedule;
  mlir::func::FuncOp func;
  Scope *row = nullptr;
  std::map<int, mlir::Value> rows;    // memory of kept values, reductions
  std::map<int, mlir::Value> scalars; // reductions without row axes
  std::set<int> ready;                // kept and reloaded nodes written by now
  std::map<int64_t, mlir::Value> indices;
  /// Random words of a Keep node: of the element at `number` of `axis`, with
  /// the others as in `env`, at number + shift.
  struct Words {
    mlir::Value memory, shift;
    int axis;
    Values env;
  };
  std::map<int, Words> words;
  std::map<int, mlir::Value> wordMemory;
  /// In each block the loop or branch that is being filled.
  std::map<mlir::Block *, mlir::Operation *> open;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_EMITTER_H
