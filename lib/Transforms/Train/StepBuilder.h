//===- StepBuilder.h - what follows the backward in a step -----*- C++ -*-===//
//
// Files by role: Accumulate.cpp (several micro-batches), LossScale.cpp (scaled
// losses), Rate.cpp (learning rates), Update.cpp (optimizers), StepBuilder.cpp
// (the norm, and what the step returns and assigns).
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_TRANSFORMS_TRAIN_STEPBUILDER_H
#define HOCKET_LIB_TRANSFORMS_TRAIN_STEPBUILDER_H

#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "hocket/Placement/OpPlacer.h"
#include "mlir/IR/IRMapping.h"

namespace hocket::training {

/// A parameter, its gradient, and the path of both.
struct Trained {
  nn::ParameterOp parameter;
  mlir::Value gradient;
  mlir::StringAttr path;
};

class StepBuilder {
public:
  StepBuilder(nn::FuncOp func, nn::MeshAttr mesh, mlir::DictionaryAttr recipe);
  mlir::LogicalResult run();

private:
  mlir::LogicalResult findGradients();
  /// The number of steps done before this one, as f64.
  mlir::Value stepAsFloat();
  /// The norm of all gradients as one vector.
  mlir::Value globalNorm();
  void clip(mlir::Value norm);
  void finish(mlir::Value norm, mlir::Value rate);

  // Accumulate.cpp
  /// The outputs and gradients become means over the recipe's micro-batches.
  void accumulate();
  llvm::SmallVector<mlir::Operation *> repeatedOps();
  /// The mean of a value and what it is in each copy of what is repeated.
  mlir::Value meanOf(mlir::Value value, llvm::ArrayRef<mlir::IRMapping> copies);

  // LossScale.cpp
  mlir::Value unscale(mlir::Value norm);
  mlir::Value unlessLeftOut(mlir::Value next, mlir::Value stored);
  mlir::Value updatesBefore(mlir::Value step);
  void updateScale();
  /// A number that lives from step to step, made if there is none.
  mlir::Value stateOfStep(llvm::StringRef name);
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);

  // Rate.cpp
  mlir::Value rateAt(mlir::Value step);

  // Update.cpp
  void updateAll(mlir::Value step, mlir::Value rate);
  /// What one step of AdamW has for all parameters, as f64.
  struct AdamWScalars {
    mlir::Value stepSize;   // rate / (1 - beta1^t)
    mlir::Value rootFactor; // 1 / sqrt(1 - beta2^t)
    mlir::Value kept;       // 1 - rate * decay; null without decay
  };
  AdamWScalars adamWScalars(mlir::Value step, mlir::Value rate);
  void updateAdamW(const Trained &trained, const AdamWScalars &scalars);
  void updateSgd(const Trained &trained, mlir::Value rate);
  mlir::Value stateOf(const Trained &trained, llvm::StringRef what);
  /// `stored` is the parameter or state of that name: the value is placed
  /// alike, which gathers what was updated in parts.
  void assign(llvm::StringRef name, mlir::Value value, mlir::Value stored);
  /// The next values of buffers, the last outputs, are assigned to them.
  void updateBuffers();

  double numberOf(llvm::StringRef key) const;
  bool isListed(llvm::StringRef key, mlir::StringAttr path) const;

  template <class Op, class... Args>
  mlir::Value make(mlir::Type type, Args &&...args) {
    auto op = Op::create(builder, at, type, std::forward<Args>(args)...);
    hasFailed |= mlir::failed(placer.place(op));
    return op;
  }
  mlir::Value unary(nn::UnaryKind kind, mlir::Value x);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, double b);
  mlir::Value scalar(double value, mlir::Type element);
  /// `number`, a scalar, as `element`: one op for all that ask.
  mlir::Value rounded(mlir::Value number, mlir::Type element);
  /// `x` times a scalar of any type.
  mlir::Value scaled(mlir::Value x, mlir::Value number);
  mlir::Value sumOfAll(mlir::Value x);
  void nameNext(llvm::StringRef path);
  static mlir::RankedTensorType withoutPlacement(mlir::Value value);

  nn::FuncOp func;
  mlir::DictionaryAttr recipe;
  placement::OpPlacer placer;
  mlir::Operation *terminator;
  mlir::OpBuilder builder;
  mlir::Location at;
  std::vector<Trained> list;
  std::vector<std::pair<mlir::StringAttr, mlir::Value>> assigned;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> casts;
  mlir::Value scale, isGood; // with a scaled loss
  bool isDynamic = false;
  bool hasFailed = false;
};

} // namespace hocket::training

#endif // HOCKET_LIB_TRANSFORMS_TRAIN_STEPBUILDER_H
