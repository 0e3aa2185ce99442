//===- GraphBuilder.h - a block of nn operations to a graph ----*- C++ -*-===//
//
// In two steps: bindDims finds out which dims are the same loops (Atoms), then
// buildNodes writes the graph. How uses of one input relate is tried in the
// order of Inputs: what reads x twice in one loop is one group, x +
// transpose(x) as well as exp(x) and transpose(tanh(x)).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GRAPH_GRAPHBUILDER_H
#define HOCKET_LIB_CODEGEN_GRAPH_GRAPHBUILDER_H

#include "Atoms.h"
#include "Graph.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace hocket::codegen {

using Dims = llvm::SmallVector<AtomList, 4>;

enum class Inputs {
  ByValue, // an input and each view of it (rearrange, slice) on its own
  Linked,  // views are operations: an input has one set of loops
  ByUse,   // every use on its own
  Joined,  // and factors of a dim that follow each other in memory are one, so
           // that operands may have other factors than each other
};

/// Elements of an input through views: one use of it.
struct Access {
  int argument;
  DType type;
  Dims dims;
  llvm::SmallVector<std::pair<int, int64_t>> strides; // of atoms
  int64_t offset = 0;
};

/// Cosines and sines, [2, positions, half], as a graph of its own.
struct TableGraph {
  Graph graph;
  DType type;
  std::vector<int64_t> shape;
  mlir::Attribute first; // #spmd.table or null
};

class GraphBuilder {
public:
  GraphBuilder(const KernelRequest &request, Inputs inputs)
      : request(request), inputs(inputs) {}

  /// False: `reason` and `culprit` say why not.
  bool build();

  Graph graph;
  llvm::SmallVector<KernelScalar> scalars;
  std::vector<TableGraph> tables;
  std::string reason;
  mlir::Operation *culprit = nullptr;
  bool factorsCross = false; // why not: what Inputs::Joined is for

private:
  // BindDims.cpp
  bool bindDims();
  bool bind(mlir::Operation *op);
  bool bindOutputs(mlir::Operation *terminator);
  bool bindRotary(spmd::RotaryOp op);
  bool bindDropout(spmd::DropoutOp op);
  bool bindConcat(nn::ConcatOp op);
  bool bindSlice(nn::SliceOp op);
  bool bindReduce(nn::ReduceOp op);
  bool bindLogSumExp(nn::LogSumExpOp op);
  bool use(mlir::OpOperand &operand);
  bool unify(const Dims &a, const Dims &b);
  bool unifyBroadcast(const Dims &operand, mlir::Value operandValue,
                      const Dims &result, mlir::Value resultValue);
  const Dims &dimsOf(mlir::OpOperand &operand);
  Dims freshDims(mlir::Value value);
  bool fail(mlir::Operation *op, const llvm::Twine &why);
  // Views.cpp
  bool access(mlir::Value value, Access &result);
  bool accessArgument(mlir::BlockArgument argument, Access &result);
  bool accessSlice(nn::SliceOp op, Access &result);
  void joinFactors(Access &access);
  llvm::SmallVector<std::pair<int, int64_t>>
  stridesOfLeaves(const Access &access) const;
  bool rearrange(nn::RearrangeOp op, const Dims &from, Dims &to);
  bool isViewOfInput(mlir::Value value);

  // BuildNodes.cpp
  bool numberAxes();
  bool buildNodes();
  int build(mlir::Operation *op);
  int operand(mlir::OpOperand &operand);
  int load(const Access &access);
  int buildPieces(mlir::Operation *op);
  int buildReduce(nn::ReduceOp op);
  int buildDropout(spmd::DropoutOp op);
  int scalarOf(KernelScalar::Kind kind, mlir::Attribute attribute);
  LinearForm formOf(const Access &access);
  llvm::SmallVector<int, 4> axesOf(llvm::ArrayRef<int> atoms);
  int axisOf(llvm::ArrayRef<int> atoms); // of at most one leaf, or -1
  bool buildOutputs(mlir::Operation *terminator);
  // BuildScalars.cpp
  int add(Node node);
  int constant(double value, DType type);
  int compute(ScalarOp function, llvm::ArrayRef<int> operands);
  int typed(ScalarOp function, DType type, llvm::ArrayRef<int> operands);
  int reduce(ScalarOp function, int operand, llvm::ArrayRef<int> axes);
  int buildUnary(nn::UnaryKind kind, int x);
  int buildBinary(nn::BinaryKind kind, int a, int b);
  int buildPower(int a, int b);
  int buildCast(int x, mlir::Type to);
  // BuildNorms.cpp
  int buildSoftmax(nn::SoftmaxOp op);
  int buildLogSumExp(nn::LogSumExpOp op);
  int buildLayerNorm(nn::LayerNormOp op);
  int buildRmsNorm(nn::RmsNormOp op);
  int buildRotary(spmd::RotaryOp op);
  int tableArgument(spmd::RotaryOp op);
  int indexAlong(llvm::ArrayRef<int> atoms, DType type);
  static llvm::SmallVector<spmd::CutAttr, 1> runsOf(spmd::BoxAttr box);
  int tableValue(spmd::TableAttr table);
  int positionIn(llvm::ArrayRef<int> atoms, spmd::TableAttr offset,
                 spmd::RunsAttr runs);

  const KernelRequest &request;
  const Inputs inputs;
  llvm::DenseMap<mlir::Value, Access> shared;
  Atoms atoms;
  std::map<mlir::Operation *, llvm::SmallVector<std::optional<Access>>> uses;
  llvm::DenseMap<mlir::Value, Dims> dims;   // of computed values
  llvm::DenseMap<mlir::Value, int> results; // their nodes
  /// For each rotary its pair axis (size 2) and the atoms of its angle.
  std::map<mlir::Operation *, std::pair<AtomList, AtomList>> rotary;
  /// For each dropout its global tensor: what a step along an atom skips. Its
  /// dims are the factors that are cut in runs, in the order of `runsOf`.
  std::map<mlir::Operation *, Access> draws;
  /// For each output the atoms of its elements and their strides.
  llvm::SmallVector<Access> outputs;
  llvm::DenseMap<int, int> axisOfAtom;
  std::map<std::string, int> known; // nodes by content
};

/// The element type as the plan names it, if a kernel can hold it.
std::optional<DType> dtypeOf(mlir::Type element);

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GRAPH_GRAPHBUILDER_H
