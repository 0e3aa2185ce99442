//===- ClassPlanner.h - the instructions of one rank class -----*- C++ -*-===//
//
// Walks a fused class function once, in order. Every value gets a window on a
// buffer (Strided); windows of views cost nothing, results of instructions get
// a dense buffer in the memory order of what they are made from, so that no
// tensor is transposed only to be read. What does not depend on the inputs goes
// to the load list.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_PLAN_CLASSPLANNER_H
#define HOCKET_LIB_PLAN_CLASSPLANNER_H

#include "KernelSources.h"
#include "Memory.h"
#include "Strided.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"
#include "dialects/Spmd/Spmd.h"
#include "hocket/CodeGen/KernelCompiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace hocket::planning {

/// A part of a dim that only convolutions read, which take any strides.
inline bool isRowsOfConvolution(mlir::Operation *op) {
  return mlir::isa<spmd::SliceOp>(op) &&
         llvm::all_of(op->getUsers(), [](mlir::Operation *user) {
           return mlir::isa<nn::ConvOp>(user);
         });
}

plan::DType dtypeOf(mlir::Type element);

/// What all classes share: tables, sources and global tensors of the plan.
class PlanTables {
public:
  PlanTables(plan::Plan &plan, nn::MeshAttr mesh) : plan(plan), mesh(mesh) {}

  std::vector<int> axes(mlir::ArrayAttr names) const;
  std::vector<int> axes(llvm::ArrayRef<mlir::StringAttr> names) const;
  /// A constant, or a scalar that reads a table.
  plan::Scalar scalar(spmd::TableAttr table, int64_t scale = 1);
  plan::Scalar isFirst(mlir::ArrayAttr axes);
  /// The table over exactly `over` (row-major), also for constants.
  int tableOver(spmd::TableAttr table, mlir::ArrayAttr over);
  /// What a halo's members hold, if it is listed, or -1: once for all halos.
  int rowList(mlir::ArrayAttr lists);
  int source(mlir::Location loc);
  /// The number of the parameter in the plan, which classes share.
  int parameter(nn::ParameterOp op);
  plan::GlobalTensor tensor(llvm::StringRef name, mlir::Type element,
                            spmd::BoxAttr box);

  plan::Plan &plan;
  KernelSources *kernelSources = nullptr; // null: they are not kept

private:
  int intern(std::vector<int> axes, std::vector<int64_t> values);

  nn::MeshAttr mesh;
  /// By the table, if one, and the axes that it is written over, if not its
  /// own: equal ones are looked at once.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, int> known;
  std::map<std::pair<std::vector<int>, std::vector<int64_t>>, int> tables;
  llvm::DenseMap<mlir::Location, int> sources;
  llvm::DenseMap<mlir::Attribute, int> rowLists;
  llvm::DenseMap<mlir::StringAttr, int> parameters; // by path
};

class ClassPlanner {
public:
  ClassPlanner(mlir::func::FuncOp func, PlanTables &tables,
               codegen::KernelCompiler &compiler);

  mlir::LogicalResult plan(plan::RankClass &rankClass);

private:
  // ClassPlanner.cpp
  void addInputs();
  mlir::LogicalResult planOp(mlir::Operation &op);
  mlir::LogicalResult planReturn(mlir::func::ReturnOp op);
  static void packEarly(std::vector<plan::Instruction> &load);
  bool atLoad(mlir::Operation &op) const;
  void emit(mlir::Operation &op, decltype(plan::Instruction::body) body);
  Strided allocate(mlir::Type type, llvm::ArrayRef<int64_t> like);
  Strided allocate(plan::DType type, llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides);
  /// By value: what is added to `values` moves what is there.
  Strided get(mlir::Value value) const;
  /// A dense row-major copy (of its own factors).
  Strided copied(mlir::Operation &op, const Strided &value, plan::DType type);
  /// The same elements under other sizes, copied if need be.
  Strided reshapedOrCopied(mlir::Operation &op, const Strided &value,
                           llvm::ArrayRef<int64_t> sizes, plan::DType type);
  /// Each dim as one size and stride, copied if a dim's factors don't join.
  Strided byDims(mlir::Operation &op, mlir::Value value);
  plan::DType typeOf(mlir::Value value);

  // Sources.cpp: parameters and constants
  mlir::LogicalResult planParameter(nn::ParameterOp op);
  mlir::LogicalResult planFill(nn::FillOp op);
  mlir::LogicalResult planIota(nn::IotaOp op);

  // Stored.cpp: what lives from step to step
  /// Gives the parameter or state that `op` is a buffer for good; its number.
  int store(mlir::Operation &op, llvm::StringRef name);
  mlir::LogicalResult planState(nn::StateOp op);
  mlir::LogicalResult planAssigns(llvm::ArrayRef<nn::AssignOp> assigns);
  void placeNext(nn::AssignOp assign);
  void findDecided();
  /// The stored tensor that `next`, which `producer` computes, is assigned to,
  /// if it may be written there at once; `reads`: if each element is read
  /// before.
  mlir::Value placeOfNext(mlir::Value next, mlir::Operation *producer,
                          bool &reads);

  // Views.cpp
  mlir::LogicalResult planView(mlir::Operation &op);
  mlir::LogicalResult planRearrange(nn::RearrangeOp op);
  mlir::LogicalResult planSlice(nn::SliceOp op);
  mlir::LogicalResult planSpmdSlice(spmd::SliceOp op);
  /// The window of a part of what `window` is, at the op's offset of its
  /// factor.
  template <class OpTy>
  Strided partAt(Strided window, mlir::Value part, OpTy op);
  mlir::LogicalResult planBroadcast(nn::BroadcastOp op);

  // Concat.cpp
  mlir::LogicalResult planConcat(nn::ConcatOp op);
  Strided partOf(nn::ConcatOp op, unsigned number);
  bool placeInConcat(mlir::Value value);

  // Contractions.cpp
  struct Product; // operands of a contraction, as matrices
  mlir::LogicalResult planLinear(nn::LinearOp op);
  mlir::LogicalResult planMatMul(nn::MatMulOp op);
  mlir::LogicalResult planProduct(mlir::Operation &op, Product &product);
  mlir::Value planEpilogue(mlir::Operation &op, plan::Matmul &matmul,
                           const Strided &result, const Product &product);
  int pack(mlir::Operation &op, const plan::View &weight, mlir::Value value,
           int64_t rows);

  // Attention.cpp: attention over sequences and neighborhoods
  mlir::LogicalResult planAttention(mlir::Operation &op);
  template <class OpTy, class Forward>
  mlir::LogicalResult planAttentionAs(OpTy op, Forward attention);
  template <class OpTy, class Forward>
  mlir::LogicalResult planGradientAs(OpTy op, Forward forward);
  /// The dropped weights of an attention or its gradient; `step` may be null.
  plan::Dropout dropoutOf(mlir::Operation &op, mlir::Value q, mlir::Value step,
                          double p);
  template <class OpTy> plan::Attention attentionOf(OpTy op);
  template <class OpTy> plan::NeighborhoodAttention neighborhoodOf(OpTy op);
  /// A dense result whose dims lie in memory in this order, outermost first;
  /// its window by dims.
  Strided allocateByDims(mlir::Value value, llvm::ArrayRef<size_t> order);
  Strided allocateBySeq(mlir::Value value);
  /// Where attention writes the gradient of q, k or v.
  plan::View placeGradient(mlir::Value value);

  // Lookups.cpp
  mlir::LogicalResult planEmbedding(nn::EmbeddingOp op);
  mlir::LogicalResult planEmbeddingGrad(nn::EmbeddingGradOp op);

  // Edges.cpp
  plan::View planIndices(mlir::Operation &op, mlir::DenseI64ArrayAttr list);
  plan::View placeLike(mlir::Value result, mlir::Value source);
  mlir::LogicalResult planGather(nn::GatherOp op);
  mlir::LogicalResult planScatterSum(nn::ScatterSumOp op);

  // Convolutions.cpp
  mlir::LogicalResult planConvolution(mlir::Operation &op,
                                      plan::ConvolutionPass pass);
  Strided allocateActivation(mlir::Value value);
  Strided readActivation(mlir::Operation &op, mlir::Value value);
  Numbers orderWithMargins(mlir::Value held, llvm::ArrayRef<int64_t> like);

  // Poolings.cpp
  template <class OpTy> mlir::LogicalResult planPooling(OpTy op);

  // Kernels.cpp
  mlir::LogicalResult planKernel(spmd::KernelOp op);
  Strided table(mlir::Operation &op, const codegen::KernelTable &table);
  plan::Scalar scalar(const codegen::KernelScalar &scalar);

  // Halos.cpp
  template <class OpTy>
  Strided middleOf(OpTy op, unsigned number, const Strided &held,
                   mlir::Value owned, spmd::TableAttr before);
  Strided placeAmongZeros(spmd::PlaceOp op, llvm::ArrayRef<int64_t> like);
  mlir::LogicalResult planPlace(spmd::PlaceOp op);
  bool placeInHalo(mlir::Value value, llvm::ArrayRef<int64_t> like);
  bool reduceInPlace(spmd::HaloReduceOp op, unsigned number);
  void placeHalo(mlir::OpResult result, llvm::ArrayRef<int64_t> like);
  mlir::LogicalResult planStart(spmd::StartOp op);
  bool isInPlace(spmd::StartOp start, spmd::CollectiveOp collective);

  // Hooks.cpp
  mlir::LogicalResult planHook(nn::HookOp op);
  /// Its symbol, after its file was added to what is linked.
  std::string hookNamed(mlir::DictionaryAttr hook);

  // Collectives.cpp
  std::vector<plan::Collective::Pair> pairsOf(spmd::CollectiveOp op);
  plan::Collective collectiveOf(spmd::CollectiveOp op);
  mlir::LogicalResult planCollective(spmd::CollectiveOp op);

  mlir::func::FuncOp func;
  PlanTables &tables;
  codegen::KernelCompiler &compiler;
  plan::RankClass *rankClass = nullptr;
  std::optional<Memory> memory;
  /// The last operation that computes the loss or the norm of gradients, of a
  /// step that changes something: nothing changes before.
  mlir::Operation *decided = nullptr;
  llvm::DenseSet<mlir::Value> loadTime;
  llvm::DenseMap<mlir::Value, Strided> values;
  llvm::DenseSet<mlir::Operation *> done; // epilogue operations
  llvm::DenseSet<mlir::Value> inPlace;    // what is computed in a concatenation
  llvm::DenseMap<mlir::Operation *, plan::Collective> started;
  llvm::DenseSet<mlir::StringAttr> assigned;
  llvm::StringMap<mlir::Value> stored; // what holds them, by name
  llvm::StringSet<> written;           // of these, whose next value is there
  std::map<std::pair<std::string, std::string>, Strided> kernelTables;
  llvm::DenseMap<mlir::Attribute, Strided> indices; // ends of edges
  llvm::DenseMap<mlir::Value, Strided> turned;      // as convolutions read it
  /// Packs by weight window and rows class, so that a tied weight is packed
  /// once for each use that wants another form.
  std::map<std::vector<int64_t>, int> packs;
  llvm::DenseSet<int> outputBuffers;
};

} // namespace hocket::planning

#endif // HOCKET_LIB_PLAN_CLASSPLANNER_H
