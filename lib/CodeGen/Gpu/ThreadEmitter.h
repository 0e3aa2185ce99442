//===- ThreadEmitter.h - a scheduled graph as code of a thread -*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_GPU_THREADEMITTER_H
#define HOCKET_LIB_CODEGEN_GPU_THREADEMITTER_H

#include "GpuSchedule.h"
#include "lib/CodeGen/Emit/ValueEmitter.h"

namespace hocket::codegen {

/// Adds to the module
///   func.func @name(inputs..., outputs..., scalars: i64...)
/// which each thread of a grid of schedule.blocks blocks of schedule.threads
/// threads (in x alone) runs, with every input and output a flat memref from
/// its element 0. Dialects: affine, arith, func, math, memref, nvvm, scf.
mlir::func::FuncOp emitThread(mlir::ModuleOp module, llvm::StringRef name,
                              const Graph &graph, const GpuSchedule &schedule);

class ThreadEmitter final : ValueEmitter {
public:
  ThreadEmitter(mlir::ModuleOp module, const Graph &graph,
                const GpuSchedule &schedule);
  mlir::func::FuncOp emit(llvm::StringRef name);

private:
  /// The elements of one unit: the numbers of all axes for each, and whether
  /// there is such a unit (null: always).
  struct Unit {
    llvm::SmallVector<Values> elements;
    mlir::Value isThere;
  };

  // ThreadEmitter.cpp
  void findThread(Scope &top);
  void findLane(mlir::Value thread);
  mlir::Value findRow(mlir::Value block, Scope &top);
  mlir::Value endRows(mlir::Value number, Scope &top, Scope &row);
  void emitRow(Scope &row);
  mlir::Value split(mlir::Value number, llvm::ArrayRef<int> axes, Values &env);
  bool isOfRow(const Output &output) const;
  llvm::SmallVector<int> outputsOfPass(int pass) const;
  void storeRow(Scope &row);
  /// What is stored of a unit once it is computed.
  struct Stores {
    struct One {
      mlir::Value value, memory, place, isFirst;
    };
    llvm::SmallVector<One> single;
    llvm::SmallVector<std::pair<int, Values>> wide; // by output
    Unit unit;
  };
  Stores prepare(llvm::ArrayRef<int> outputs, const Unit &unit, Scope &scope);
  void write(const Stores &stores, Scope &scope);
  void writePending(Scope &scope);
  void store(llvm::ArrayRef<int> outputs, const Unit &unit, Scope &scope);
  mlir::Value isFirstOf(const Output &output, Env env, bool ofRow);
  // Units.cpp
  void findUnits(Scope &row);
  Unit unitAt(mlir::Value number, bool mayEnd, Scope &scope);
  Unit unitOfSlot(int64_t slot, mlir::Value turn, bool mayEnd, Scope &scope);
  Unit unitAtEdge(int64_t slot, Scope &scope);
  llvm::SmallVector<Values> elementsOf(Env env);
  llvm::SmallVector<Values> elementsFrom(mlir::Value first, Env env);
  using OfUnit = llvm::function_ref<Values(const Unit &unit, Scope &scope,
                                           Values carried)>;
  /// Calls `body` for the units of this thread; what it returns is carried on.
  Values forUnits(Scope &row, Values carried, OfUnit body);
  Values forSlots(Scope &row, Values carried, OfUnit body);
  Values forLoop(Scope &row, Values carried, OfUnit body);
  Values forTurns(mlir::Value end, Scope &row, Values carried, OfUnit body);
  Values ifThere(Unit unit, Scope &scope, Values carried, OfUnit body);
  mlir::Value countUnits(Scope &row);
  Unit heldUnit(size_t number, llvm::function_ref<Unit()> make);

  // Accesses.cpp
  bool isWide(const LinearForm &form) const;
  int64_t elementsOfAccess(DType type) const;
  mlir::Value loadInput(int node, Env env, Scope &scope) override;
  mlir::Value ifGuarded(int node, mlir::Type type, Scope &scope,
                        llvm::function_ref<mlir::Value()> load);
  Values firstOfAccess(Env env, int64_t count, int64_t &k) const;
  void storeWide(int output, const Unit &unit, llvm::ArrayRef<mlir::Value>);
  bool staysInRow(int node) const override;
  bool isHeld(int node, Env env, mlir::Value &value) override;

  // Reductions.cpp
  int64_t rowsOfUnit() const;
  void reduceLevel(int level, Scope &row);
  Values reduceUnit(llvm::ArrayRef<int> nodes, const Unit &unit, Scope &scope,
                    Values carried);
  mlir::Value acrossLanes(const Node &node, mlir::Value value);
  int64_t lanesOfWarp() const;
  bool isNeededByAll(int level) const;
  Values acrossWarps(const Node &node, llvm::ArrayRef<mlir::Value> values,
                     bool forAll);
  mlir::Value placeOf(mlir::Value warp, int64_t k);
  void leave(mlir::Value memory, llvm::ArrayRef<mlir::Value> values);
  mlir::Value takeOfLanes(const Node &node, mlir::Value memory, size_t k);
  Values takeSome(const Node &node, mlir::Value memory, mlir::Value warp,
                  int64_t count, Values sums);
  Values takeAll(const Node &node, mlir::Value memory);
  mlir::Value shuffle(mlir::Value value, int64_t distance);
  mlir::Value sharedMemory(mlir::Type type, int64_t elements);

  mlir::Value both(mlir::Value a, mlir::Value b);

  const GpuSchedule &schedule;
  int levels = 0;               // of reductions, one after the other
  mlir::Value lane, rowOfBlock; // index
  mlir::Value firstUnit;        // of the part; null: 0
  mlir::Value endOfUnits;       // of the part; null: of the row
  mlir::Value isRow;            // whether there is such a row; null: always
  mlir::Value before; // elements of a row before its units; null: none
  /// Units of rows that begin anywhere, as the numbers of their elements, and
  /// where in these a number stands.
  std::vector<Values> shiftedUnits;
  Values unitNumbers; // of the elements of other units
  std::map<void *, std::pair<size_t, int64_t>> shifted;
  std::map<int, Values> reduced; // for each row of a unit
  /// Where units are computed: branches inside load elements one by one.
  mlir::Block *unitBlock = nullptr;
  /// What an access loads, by its node and the block and numbers where it is.
  std::map<std::pair<int, llvm::SmallVector<void *, 6>>, mlir::Value> loaded;
  std::vector<Stores> pending;
  std::vector<Unit>
      heldUnits;     // of slots and edges in registers, in their order
  mlir::Value guard; // whether the unit in hand is there; null: always
  int sharedBuffers = 0;
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_THREADEMITTER_H
