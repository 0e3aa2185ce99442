//===- Placer.h - gives values their places ---------------------*- C++ -*-===//
//
// Knows where each value lies that has been computed, or is about to be: in the
// place that its destination names if it fits there, else in a buffer of its
// own in the order that it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_BUFFERIZE_PLACER_H
#define HOCKET_LIB_TRANSFORMS_BUFFERIZE_PLACER_H

#include "Destinations.h"
#include "Writer.h"
#include "llvm/ADT/DenseSet.h"

namespace hocket::bufferization {

class Placer {
public:
  Placer(const Destinations &destinations, const Target &target,
         const llvm::DenseSet<mlir::Value> &loadTime, Writer &writer)
      : destinations(destinations), target(target), loadTime(loadTime),
        writer(writer) {}

  Phase phaseOf(mlir::Value value) const;
  bool has(mlir::Value value) const { return values.count(value); }
  /// By value: what is placed later moves what is there.
  Strided get(mlir::Value value) const;
  void set(mlir::Value value, const Strided &at) { values[value] = at; }

  /// The place of a value that is about to be computed, in this order of
  /// strides where nobody has said otherwise.
  Strided place(mlir::Value value, llvm::ArrayRef<int64_t> strides);
  /// A buffer of its own.
  Strided own(mlir::Value value, llvm::ArrayRef<int64_t> strides);
  /// Where operand `number` lies in the result, by dims.
  Strided partOf(nn::ConcatOp op, unsigned number);
  /// Where the operand lies in the result, which is filled.
  Strided amongZeros(spmd::PlaceOp op, llvm::ArrayRef<int64_t> like);

  /// A dense row-major copy, by the sizes of `at`, made with its value or at
  /// the end of the step.
  Strided copied(mlir::Location loc, const Strided &at, mlir::Value value);
  /// The same for an operation that cannot read an operand where it lies: of
  /// what is there when the program has loaded it is made once.
  Strided copied(mlir::OpOperand &operand, const Strided &at);
  /// The same elements under other sizes, copied if need be.
  Strided reshapedOrCopied(mlir::Location loc, const Strided &at,
                           mlir::Value value, llvm::ArrayRef<int64_t> sizes);

  /// Whether a part of a concatenation is computed there.
  bool isInConcat(mlir::Value part) const { return inConcat.contains(part); }

private:
  std::optional<Strided> at(const Destination &destination, mlir::Value value,
                            llvm::ArrayRef<int64_t> strides);
  std::optional<Strided> atPart(const Destination &part, mlir::Value value);

  const Destinations &destinations;
  const Target &target;
  const llvm::DenseSet<mlir::Value> &loadTime;
  Writer &writer;
  llvm::DenseMap<mlir::Value, Strided> values;
  llvm::DenseSet<mlir::Value> inConcat;
};

/// A value in a buffer of its own, row-major.
Strided rowMajorAt(mlir::Value value, mlir::Value buffer);

/// Where x lies in the result of a spmd.place, or the result in x of a slice.
template <class OpTy> Strided partAt(Strided whole, mlir::Value part, OpTy op) {
  auto layout = nn::layoutOf(part);
  int64_t stride =
      whole.strides[views::firstFactor(layout, op.getDim()) + op.getFactor()];
  whole.sizes = views::factorSizes(layout);
  whole.moveBy(op.getOffset(), stride);
  return whole;
}

} // namespace hocket::bufferization

#endif // HOCKET_LIB_TRANSFORMS_BUFFERIZE_PLACER_H
