//===- ValueEmitter.h - values of a graph as arith and math ----*- C++ -*-===//
//
// What kernels of all targets share: the value of a node at some numbers of the
// axes, as operations on scalars and flat memrefs. Which numbers these are,
// loops on a CPU, threads of a GPU, and what is held between passes, is the
// affair of the emitter that derives from this one.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_EMIT_VALUEEMITTER_H
#define HOCKET_LIB_CODEGEN_EMIT_VALUEEMITTER_H

#include "lib/CodeGen/Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace hocket::codegen {

/// A place in the code: the numbers of the axes bound there, and what was
/// computed there already. A value is computed in the outermost scope that
/// binds all its axes.
struct Scope {
  Scope *parent = nullptr;
  mlir::Block *block = nullptr;
  bool isRow = false;                 // where the nests follow one another
  llvm::SmallVector<mlir::Value> env; // by axis; null: not bound
  std::map<std::pair<int, llvm::SmallVector<void *, 6>>, mlir::Value> memo;
};

class ValueEmitter {
protected:
  using Env = llvm::ArrayRef<mlir::Value>;
  using Values = llvm::SmallVector<mlir::Value>;

  /// `storesBits`: a bf16 in memory is an i16, for LLVM where a CPU has no
  /// instructions for bf16: it moves vectors of these by way of f32, through a
  /// function that nobody has, and a NaN changes on the way.
  ValueEmitter(mlir::ModuleOp module, const Graph &graph, bool storesBits);
  ~ValueEmitter() = default;

  /// Makes `func`: inputs, outputs and scalars, then `more`. Inputs and outputs
  /// are flat memrefs from their element 0, scalars i64.
  void declare(llvm::StringRef name, mlir::TypeRange more);
  mlir::Value inputMemory(int number) { return func.getArgument(number); }
  mlir::Value outputMemory(int number);
  mlir::Value scalarArgument(int number);
  /// Arguments behind the scalars.
  mlir::Value moreArgument(int number);

  // EmitValues.cpp
  mlir::Value evaluate(int node, Env env, Scope &scope);
  mlir::Value loadOutput(int number, Env env);
  mlir::Value at(const LinearForm &form, Env env);
  mlir::Value index(int64_t value);
  void insertIn(Scope &scope);
  Scope inside(Scope &parent, mlir::Block *block);
  mlir::Type typeOf(DType type);
  mlir::Type narrowTypeOf(DType type);
  mlir::Type storedTypeOf(DType type);
  mlir::Value fromStored(mlir::Value value, DType type);
  mlir::Value toStored(mlir::Value value, DType type);

  // EmitWords.cpp
  mlir::Value elementNumber(const Node &node, Env env);
  mlir::Value drawnElement(const Node &node, Env env, mlir::Value ahead);
  mlir::Value drawnAhead(const Node &node, Env env, Scope &scope);
  llvm::SmallVector<mlir::Value, 4> philox(mlir::Value block, const Node &node,
                                           mlir::Value step);
  mlir::Value ownWord(const Node &node, Env env, mlir::Value step,
                      mlir::Value ahead);

  // EmitScalars.cpp
  mlir::Value constant(double value, DType type);
  mlir::Value combine(const Node &reduce, mlir::Value a, mlir::Value b);
  mlir::Value identity(const Node &reduce);

  /// Whether the value may not be computed in a scope around the row.
  virtual bool staysInRow(int) const { return false; }
  /// Whether the value is held somewhere; then `value` is what is there.
  virtual bool isHeld(int node, Env env, mlir::Value &value) = 0;
  /// The element of an input, as it is stored.
  virtual mlir::Value loadInput(int node, Env env, Scope &scope);
  /// The random word of a Keep node, or null: it is drawn where it is needed.
  virtual mlir::Value heldWord(int, Env) { return {}; }

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::ModuleOp module;
  const Graph &graph;
  mlir::func::FuncOp func;
  /// In each block the loop or branch that is being filled.
  std::map<mlir::Block *, mlir::Operation *> open;

private:
  const bool storesBits;

  // EmitValues.cpp
  mlir::Value compute(int node, Env env, Scope &scope);
  mlir::Value computeIndex(const Node &node, Env env);
  mlir::Value computePieces(int node, Env env, Scope &scope);
  mlir::Value piece(const Node &node, size_t k, mlir::Value number, Env env,
                    Scope &scope);
  mlir::Value computeFlip(const Node &node, Env env, Scope &scope);
  // EmitWords.cpp
  mlir::Value computeKeep(int node, Env env, Scope &scope);
  // EmitScalars.cpp
  mlir::Value scalar(const Node &node, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value arithmetic(ScalarOp function, mlir::Value a, mlir::Value b);
  mlir::Value integer(int64_t value, mlir::Type type);
  mlir::Value integerDivision(mlir::Value a, mlir::Value b);
  mlir::Value integerPower(mlir::Value a, mlir::Value b);
  mlir::Value comparison(ScalarOp function, mlir::Value a, mlir::Value b);
  mlir::Value function(ScalarOp function, mlir::Value x);
  mlir::Value cast(mlir::Value x, DType to);

  std::map<int64_t, mlir::Value> indices;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_EMIT_VALUEEMITTER_H
