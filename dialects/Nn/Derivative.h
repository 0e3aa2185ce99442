//===- Derivative.h - what an op's derivative is written with --*- C++ -*-===//
//
// Reverse mode, op by op: an op is given the cotangents of its results and
// gives those of its operands, as whole-tensor nn operations. Placements,
// collectives and the accumulation over several uses are the business of who
// implements this class (lib/Transforms/Differentiate): a derivative is
// written as if for one device.
//
//   void MulOp::differentiate(Derivative &d) {
//     Value dy = d.cotangent();
//     if (d.isWanted(0)) {
//       Value gradient = d.binary(BinaryKind::Mul, dy, d.read(getB()));
//       d.give(0, d.sumTo(gradient, getA()));
//     }
//   }
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_NN_DERIVATIVE_H
#define HOCKET_NN_DERIVATIVE_H

#include "dialects/Nn/Layout.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hocket::nn {

/// On an operation of the placed stage that the backward runs again, so that
/// its results are not kept: an index into the function's kRecomputed, the
/// calls of modules and bindings that `recompute` lines name, each
///   {path = "h.0", pattern = "h.*", line = loc(...)}
inline constexpr llvm::StringLiteral kRecompute = "nn.recompute";
inline constexpr llvm::StringLiteral kRecomputed = "nn.recomputed";
/// A unit attribute: the result of this all_gather is kept as the forward uses
/// it.
inline constexpr llvm::StringLiteral kGathered = "nn.gathered";
/// On a parameter that fsdp stores whole: how the optimizer's state is split,
/// from stage 2 on also the gradient; and the stage.
inline constexpr llvm::StringLiteral kShard = "nn.shard";
inline constexpr llvm::StringLiteral kStage = "nn.stage";
/// On what moves data for the backward, and on what it runs again.
inline constexpr llvm::StringLiteral kBackward = "nn.backward";

class Derivative {
public:
  virtual ~Derivative();

  /// The cotangent of a result, of its shape; null if nothing depends on it.
  virtual mlir::Value cotangent(unsigned result = 0) = 0;
  /// True if the gradient of the operand is asked for.
  virtual bool isWanted(unsigned operand) = 0;
  /// A contribution to the gradient of an operand: its dim sizes and element
  /// type. Factors may differ.
  virtual void give(unsigned operand, mlir::Value gradient) = 0;
  /// The same where only x[start : start + size] along `dim` was used, with
  /// the size of that range: the rest is zero.
  virtual void givePart(unsigned operand, mlir::Value gradient, int64_t dim,
                        int64_t start) = 0;
  /// An operand or result of the op, as the backward reads it: the value
  /// itself, or gathered again.
  virtual mlir::Value read(mlir::Value forward) = 0;

  /// The derivative is not supported: an error that names the op.
  virtual void refuse(llvm::StringRef why) = 0;

  /// A new operation of the backward. `Op` infers its result types.
  template <class Op, class... Args> Op make(Args &&...args) {
    mlir::OperationState state(location(), Op::getOperationName());
    Op::build(builder(), state, mlir::TypeRange(builder().getNoneType()),
              std::forward<Args>(args)...);
    return mlir::cast<Op>(create<Op>(state));
  }
  /// One that is told its result type.
  template <class Op, class... Args>
  Op makeTyped(mlir::Type type, Args &&...args) {
    auto op =
        Op::create(builder(), location(), type, std::forward<Args>(args)...);
    place(op);
    return op;
  }
  /// The same of several.
  template <class Op, class... Args>
  Op makeTyped(mlir::TypeRange types, Args &&...args) {
    auto op =
        Op::create(builder(), location(), types, std::forward<Args>(args)...);
    place(op);
    return op;
  }

  mlir::Value unary(UnaryKind kind, mlir::Value x);
  mlir::Value binary(BinaryKind kind, mlir::Value a, mlir::Value b);
  /// A constant of no dims, of `like`'s element type.
  mlir::Value scalar(double value, mlir::Value like);
  /// x times a number.
  mlir::Value scaled(mlir::Value x, double factor);
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// sum, mean, max or min over dims.
  mlir::Value reduce(ReduceKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool keepdim);
  mlir::Value castTo(mlir::Value x, mlir::Type element);
  /// Undoes NumPy broadcasting: sums over the dims that `like` does not have
  /// or has of size 1, to its dims.
  mlir::Value sumTo(mlir::Value gradient, mlir::Value like);
  /// Spreads to the dims of `like`, NumPy broadcasting.
  mlir::Value spreadTo(mlir::Value x, mlir::Value like);
  /// Another order of dims: result dim i is x's dim order[i].
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> order);
  /// Each result dim is made of consecutive dims of x: {1, 1, 2} makes one
  /// dim of x's dims 2 and 3 after its dims 0 and 1. Zero is a new dim of 1.
  mlir::Value join(mlir::Value x, llvm::ArrayRef<int64_t> counts);

  mlir::Location location() const { return at; }
  mlir::OpBuilder &builder() { return ops; }

protected:
  explicit Derivative(mlir::MLIRContext *context)
      : ops(context), at(mlir::UnknownLoc::get(context)) {}
  /// Gives the operation, just made on operands as they come, its placement.
  virtual void place(mlir::Operation *op) = 0;

  mlir::OpBuilder ops;
  mlir::Location at;

private:
  template <class Op> mlir::Operation *create(mlir::OperationState &state) {
    state.types.clear();
    mlir::LogicalResult inferred =
        Op::inferReturnTypes(ops.getContext(), at, state.operands,
                             state.attributes.getDictionary(ops.getContext()),
                             state.getRawProperties(), {}, state.types);
    assert(succeeded(inferred) && "a derivative makes operations that fit");
    (void)inferred;
    mlir::Operation *op = ops.create(state);
    place(op);
    return op;
  }
};

} // namespace hocket::nn

#endif // HOCKET_NN_DERIVATIVE_H
