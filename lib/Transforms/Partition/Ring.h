//===- Ring.h - attention whose keys and values travel ---------*- C++ -*-===//

#ifndef HOCKET_LIB_TRANSFORMS_PARTITION_RING_H
#define HOCKET_LIB_TRANSFORMS_PARTITION_RING_H

#include "Margins.h"
#include "Operations.h"
#include "dialects/Nn/Products.h"

namespace hocket::partitioning {

/// The hops of an attention's keys and values (dialects/Nn/Ring.h): what each
/// member owns and holds. None where they do not travel.
WindowedDims ringHops(nn::AttentionOp op, Shares &shares);
WindowedDims ringHops(nn::AttentionGradOp op, Shares &shares);

/// Computes the term of the own keys while those of the first hop travel, that
/// of the first hop while those of the second do, and so on: beside its own a
/// rank has the keys and values of two hops.
class Ring : public Emitter {
public:
  Ring(LocalProgram &program, MarginMoves &margins, Operations &operations)
      : Emitter(program), margins(margins), operations(operations) {}

  /// `hops` are of the operation, and some.
  mlir::LogicalResult lower(nn::AttentionOp op, const WindowedDims &hops);
  mlir::LogicalResult lower(nn::AttentionGradOp op, const WindowedDims &hops);

private:
  /// Keys and values of one member.
  struct Part {
    mlir::Value k, v;
    Share held;
  };
  /// What is known of the result: of some keys.
  struct Term {
    mlir::Value out, lse; // [b, h, s, e], [b, h, s, 1]
  };
  struct Gradients {
    mlir::Value q, k, v;
  };

  template <class OpTy> Part ownPart(OpTy op, const WindowedDim &hop);
  void start(const Part &own, const WindowedDims &hops, size_t next);
  Part receive(const Part &own, const WindowedDim &hop);
  bool isEmpty(const Part &part) const;
  template <class PartOp, class OpTy>
  mlir::FailureOr<PartOp> attend(OpTy op, const Part &part,
                                 mlir::TypeRange types);
  mlir::FailureOr<Term> termOf(nn::AttentionOp op, const Part &part);
  Term merged(const Term &a, const Term &b);
  mlir::FailureOr<Gradients> gradientsOf(nn::AttentionGradOp op,
                                         const Part &part);
  void sendBack(Gradients &sum, const Gradients &made, const WindowedDim &hop);
  mlir::Value withUnit(mlir::Value x);
  mlir::Value withoutUnit(mlir::Value x, mlir::RankedTensorType type);

  MarginMoves &margins;
  Operations &operations;
};

} // namespace hocket::partitioning

#endif // HOCKET_LIB_TRANSFORMS_PARTITION_RING_H
