//===- ClassBuilder.h - the program of one rank class ----------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H

#include "Folding.h"
#include "Halo.h"
#include "RankClasses.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace hocket::partitioning {

/// Writes the function of one class, in the order of the placed one.
class ClassBuilder {
public:
  ClassBuilder(mlir::func::FuncOp placed, const RankClass &rankClass,
               const Folding &folding, const nn::CarriedMargins &carried,
               Shares &shares);

  /// The function, not yet in a module; null after an error.
  mlir::func::FuncOp build(llvm::StringRef name);

private:
  // ClassBuilder.cpp: the function around the operations.
  mlir::func::FuncOp makeFunction(llvm::StringRef name);
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lowerOne(mlir::Operation &op);
  /// The same operation on local tensors.
  mlir::LogicalResult lowerAsIs(mlir::Operation &op);
  mlir::LogicalResult lowerReturn(mlir::func::ReturnOp op);
  void lowerName(nn::ValueOp op);
  mlir::DictionaryAttr describeTensor(mlir::DictionaryAttr attributes,
                                      nn::LayoutAttr layout);

  // Operations.cpp: operations that depend on where the rank is.
  mlir::LogicalResult lowerParameter(nn::ParameterOp op);
  mlir::LogicalResult lowerState(nn::StateOp op);
  mlir::LogicalResult lowerDropout(nn::DropoutOp op);
  /// What `source` is on local tensors: `local` itself, or what replaces it.
  mlir::FailureOr<mlir::Operation *> adapt(mlir::Operation &source,
                                           mlir::Operation &local);
  /// Which elements of a tensor of `layout` draw random words in `op`.
  spmd::DrawsAttr drawsOf(mlir::Operation &op, nn::LayoutAttr layout,
                          int64_t key);
  mlir::LogicalResult adaptSlice(nn::SliceOp op, nn::SliceOp local);
  mlir::LogicalResult adaptRearrange(nn::RearrangeOp op, nn::RearrangeOp local);
  /// The rank's part of a dim of `tensor`; an error at `local` if that is no
  /// interval.
  mlir::FailureOr<spmd::PositionsAttr>
  positionsOf(mlir::Operation &local, mlir::Value tensor, int64_t dim);
  spmd::PositionsAttr positionsFrom(spmd::TableAttr begin, int64_t extent);
  template <class OpTy>
  mlir::FailureOr<mlir::Operation *>
  restate(mlir::Operation &local, mlir::FailureOr<mlir::NamedAttrList> parts);
  mlir::FailureOr<mlir::NamedAttrList>
  partsAt(llvm::StringRef name, mlir::FailureOr<mlir::Attribute> part);
  mlir::LogicalResult refuseOffset(mlir::Operation &local, mlir::Value tensor,
                                   int64_t dim);

  mlir::FailureOr<mlir::Operation *> restateRows(mlir::Operation &local,
                                                 mlir::Value table);
  mlir::FailureOr<mlir::Operation *> restateIota(nn::IotaOp local,
                                                 mlir::Value placed);
  mlir::FailureOr<mlir::NamedAttrList> rotaryParts(nn::RotaryOp op,
                                                   mlir::Operation &local);
  template <class OpTy> mlir::NamedAttrList poolingParts(OpTy op);
  template <class OpTy> void adaptEdges(OpTy op, OpTy local);

  // Attention.cpp: what ranks have of nn.attention and its gradient. q and k
  // are placed, `local` is the operation on local tensors.
  template <class OpTy>
  mlir::FailureOr<mlir::NamedAttrList> attentionParts(OpTy op, OpTy local);
  template <class OpTy>
  void addDraws(OpTy op, OpTy local, mlir::NamedAttrList &parts);
  template <class OpTy>
  mlir::FailureOr<mlir::NamedAttrList> neighborhoodParts(OpTy op, OpTy local);
  mlir::FailureOr<mlir::NamedAttrList> headParts(mlir::Operation &op,
                                                 mlir::Value q, mlir::Value k);
  mlir::LogicalResult checkHeads(mlir::Operation &op, mlir::Value q,
                                 mlir::Value k, int64_t group,
                                 spmd::TableAttr head, spmd::TableAttr kvHead);

  // Redistribute.cpp
  mlir::LogicalResult lowerRedistribute(nn::RedistributeOp op);
  mlir::Operation *cloneBeside(mlir::Operation &op);
  bool lowerConstantSlice(nn::RedistributeOp op);
  bool lowerRowSlice(nn::RedistributeOp op, nn::EmbeddingGradOp gradient);
  mlir::LogicalResult lowerSlice(nn::RedistributeOp op);
  void lowerRepartition(nn::RedistributeOp op);
  struct FactorCut; // one factor, cut by the axes of a redistribution
  mlir::FailureOr<FactorCut> cutOf(mlir::Operation *op, nn::LayoutAttr layout,
                                   mlir::ArrayAttr axes);

  /// The operation that does it; null if the kind is unknown.
  mlir::Value emitMove(nn::RedistributeOp op, const Move &move,
                       const AxisList &axes, const FactorCut &from,
                       const FactorCut &to);

  // Halo.cpp: windows over dims that may be split.
  mlir::LogicalResult lowerWindowed(nn::WindowedOp op);
  llvm::DenseMap<mlir::Value, mlir::Value> extend(nn::WindowedOp op,
                                                  llvm::ArrayRef<SlidDim> dims);
  struct Margins { // of a dim of a value, which moving them replaces
    mlir::Value value;
    int64_t dim;
  };
  using ExtensionWay = std::pair<mlir::Value, mlir::Attribute>;
  ExtensionWay wayOf(mlir::Value x, const SlidDim &slid, int64_t dim);
  mlir::Operation *cloneWindowed(nn::WindowedOp op);
  using Paddings =
      std::pair<llvm::SmallVector<int64_t>, llvm::SmallVector<int64_t>>;
  Paddings paddingsOf(llvm::ArrayRef<SlidDim> dims) const;
  void lowerMove(nn::WindowedOp op, llvm::ArrayRef<SlidDim> dims);
  mlir::Value withFactorsOf(mlir::Value x, mlir::RankedTensorType type);

  // CarriedMargins.cpp: margins that were exchanged before.
  mlir::Value ownPart(mlir::Value x, const nn::Carried &how, const Share &own,
                      const Share &held, bool isTaken);
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>
  readMargins(mlir::Operation &op);

  // Margins.cpp: attached to parts, or sent back.
  struct HaloMove;
  void moveMargins(llvm::MutableArrayRef<Margins> list, const SlidDim &slid,
                   bool attaches, bool isStarted = false);
  void emitHalo(llvm::ArrayRef<Margins *> group, const HaloMove &move,
                mlir::Location at);
  void gatherMargins(llvm::ArrayRef<Margins *> group, const SlidDim &slid,
                     bool attaches, mlir::Location at);
  void emitWhole(llvm::ArrayRef<Margins *> group, const SlidDim &slid,
                 bool gathers, mlir::Location at);
  mlir::Location lineOf(const SlidDim &slid) const;
  /// What a table says for the ranks of this class, if it says the same.
  int64_t here(spmd::TableAttr table) const;

  // Overlap.cpp: convolutions that compute while margins travel.
  struct Overlap;
  mlir::FailureOr<bool> lowerOverlapped(nn::WindowedOp op,
                                        llvm::ArrayRef<SlidDim> dims);
  mlir::LogicalResult convolveInside(Overlap &overlap);
  mlir::LogicalResult sendMarginsFirst(Overlap &overlap);
  mlir::LogicalResult addPart(Overlap &overlap, mlir::Value from,
                              llvm::ArrayRef<int64_t> offsets, int64_t size,
                              int64_t rows, bool isFirst);
  mlir::LogicalResult addPositions(Overlap &overlap, int64_t begin,
                                   int64_t end);
  mlir::Value joined(const Overlap &overlap);
  void start(mlir::ValueRange xs, const SlidDim &slid);
  llvm::SmallVector<int64_t> shiftsHere(const SlidDim &slid) const;

  // Statistics.cpp: reductions over dims that may be split.
  void mapInto(mlir::Value placed, mlir::Value value);
  mlir::LogicalResult lowerNorm(mlir::Operation &op);
  mlir::Value withoutDims(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::LogicalResult lowerNormalize(nn::NormalizeOp op);
  mlir::LogicalResult lowerSoftmax(nn::SoftmaxOp op);
  mlir::LogicalResult lowerLogSumExp(nn::LogSumExpOp op);
  mlir::LogicalResult lowerMean(nn::ReduceOp op);
  /// Whether the op reduces over a dim of x that the mesh splits; an error if
  /// it does so without a licence.
  mlir::FailureOr<bool> needsStatistics(mlir::Operation &op, mlir::Value x,
                                        int64_t dim);

  // Emit.cpp: making operations on local tensors.
  mlir::Value binary(llvm::StringRef kind, mlir::Value a, mlir::Value b);
  mlir::Value unary(llvm::StringRef kind, mlir::Value x);
  mlir::Value scalar(double value, mlir::Type element);
  mlir::Value convert(mlir::Value x, mlir::Type element);
  mlir::Value reduce(llvm::StringRef kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool keepdim);
  mlir::Value allReduce(mlir::Value x, llvm::ArrayRef<mlir::StringAttr> axes,
                        nn::Reduction reduction);

  mlir::RankedTensorType local(mlir::Type type);
  /// With the margins in which it is computed too.
  mlir::RankedTensorType localOf(mlir::Value placed);
  mlir::Value local(mlir::Value placed) { return mapping.lookup(placed); }
  mlir::ArrayAttr listOf(llvm::ArrayRef<mlir::StringAttr> axes);

  mlir::func::FuncOp placed;
  const RankClass &rankClass;
  const Folding &folding;
  const nn::CarriedMargins &carried;
  Shares &shares;
  mlir::OpBuilder builder;
  mlir::Location loc; // of the operation that is being lowered
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Type, mlir::RankedTensorType> localTypes;
  /// Pairs of head offsets that have been found to fit.
  llvm::DenseSet<std::pair<mlir::Attribute, mlir::Attribute>> checkedHeads;
  /// What windows read of a value, by what extended it.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> extended;
  int64_t nextId = 0; // of collectives
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_CLASSBUILDER_H
