//===- Ring.h - attention whose keys and values travel ---------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_RING_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_RING_H

#include "Margins.h"
#include "Operations.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Ring.h"

namespace hocket::partitioning {

/// What each member owns and holds in a hop (dialects/Nn/Ring.h), and where the
/// keys that it holds lie.
struct Hop {
  WindowedDim slid;
  llvm::SmallVector<nn::RunList> held; // by member
};

/// The first hop is of what members own. None where keys do not travel.
std::vector<Hop> ringHops(nn::AttentionOp op, Shares &shares);
std::vector<Hop> ringHops(nn::AttentionGradOp op, Shares &shares);

/// Computes the term of the own keys while those of the first hop travel, that
/// of the first hop while those of the second do, and so on: beside its own a
/// rank has the keys and values of two hops.
class Ring : public Emitter {
public:
  Ring(LocalProgram &program, MarginMoves &margins, Operations &operations)
      : Emitter(program), margins(margins), operations(operations) {}

  /// `hops` are of the operation, and some.
  mlir::LogicalResult lower(nn::AttentionOp op, llvm::ArrayRef<Hop> hops);
  mlir::LogicalResult lower(nn::AttentionGradOp op, llvm::ArrayRef<Hop> hops);

private:
  /// Keys and values of one member, or a run of them.
  struct Part {
    mlir::Value k, v;
  };
  struct Run {
    Part part;
    spmd::TableAttr position; // of the first key
    int64_t size;
  };
  /// What is known of the result: of some keys.
  struct Term {
    mlir::Value out, lse; // [b, h, s, e], [b, h, s, 1]
  };
  struct Gradients {
    mlir::Value q, k, v, bias;
  };

  mlir::Value asOneFactor(mlir::Value x, int64_t dim);
  Part ownPart(mlir::Value k, mlir::Value v);
  void start(const Part &own, llvm::ArrayRef<Hop> hops, size_t next);
  Part receive(const Part &own, const Hop &hop);
  const nn::RunList &heldOf(const Hop &hop);
  llvm::SmallVector<Run> runsOf(const Part &part, const Hop &hop);
  Run emptyRun(const Part &own, const Hop &hop);
  template <class PartOp, class OpTy>
  mlir::FailureOr<PartOp> attend(OpTy op, const Run &run,
                                 mlir::TypeRange types);
  mlir::FailureOr<Term> termOf(nn::AttentionOp op, const Run &run);
  mlir::LogicalResult addTerms(nn::AttentionOp op, const Part &part,
                               const Hop &hop, std::optional<Term> &sum);
  Term merged(const Term &a, const Term &b);
  mlir::FailureOr<Gradients> gradientsOf(nn::AttentionGradOp op,
                                         const Part &part,
                                         llvm::ArrayRef<Run> runs);
  mlir::Value joined(llvm::ArrayRef<mlir::Value> parts, mlir::Value whole);
  mlir::Value added(mlir::Value a, mlir::Value b);
  void sendBack(Gradients &sum, const Gradients &made, const Hop &hop);
  mlir::Value withUnit(mlir::Value x);
  mlir::Value withoutUnit(mlir::Value x, mlir::RankedTensorType type);

  MarginMoves &margins;
  Operations &operations;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_RING_H
