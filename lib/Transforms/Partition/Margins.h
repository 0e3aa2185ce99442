//===- Margins.h - moving margins of a cut dim -----------------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_MARGINS_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_MARGINS_H

#include "Emit.h"
#include "WindowedDims.h"

namespace hocket::partitioning {

/// Those of a dim of a value, which moving them replaces.
struct Margins {
  mlir::Value value;
  int64_t dim;
};

/// Attaches margins to parts, and sends them back.
class MarginMoves : public Emitter {
public:
  using Emitter::Emitter;

  void moveMargins(llvm::MutableArrayRef<Margins> list, const WindowedDim &slid,
                   bool attaches, bool isStarted = false);
  /// The move that follows of them begins here.
  void start(mlir::ValueRange xs, const WindowedDim &slid);
  /// The tensor, whose dims may be of other factors than those of `type`.
  mlir::Value withFactorsOf(mlir::Value x, mlir::RankedTensorType type);

  /// Another part of what the rank holds.
  void hold(nn::HoldOp op);

private:
  struct HaloMove;

  void emitHalo(llvm::ArrayRef<Margins *> group, const HaloMove &move,
                mlir::Location at);
  void gatherMargins(llvm::ArrayRef<Margins *> group, const WindowedDim &slid,
                     bool attaches, mlir::Location at);
  void emitWhole(llvm::ArrayRef<Margins *> group, const WindowedDim &slid,
                 bool gathers, mlir::Location at);
  mlir::Location lineOf(const WindowedDim &slid) const;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_MARGINS_H
