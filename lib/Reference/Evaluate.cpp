//===- Evaluate.cpp - evaluates a function operation by operation ---------===//

#include "hocket/Reference/Evaluate.h"
#include "Operations.h"
#include "Strided.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

using namespace mlir;

namespace hocket::reference {

using EvaluateOp = std::function<void(Operation *, Call &)>;

namespace {
/// The function of each operation, by its name.
class Semantics {
public:
  Semantics();
  /// Null if there is none.
  EvaluateOp find(StringRef name) const { return table.lookup(name); }

private:
  template <class OpTy> void add(void (*function)(OpTy, Call &)) {
    table[OpTy::getOperationName()] = [=](Operation *op, Call &call) {
      function(cast<OpTy>(op), call);
    };
  }
  llvm::StringMap<EvaluateOp> table;
};

/// Values of one run of the function.
class Evaluator {
public:
  Evaluator(const Parameters &parameters, std::string &error,
            llvm::StringMap<Tensor> *assigned)
      : parameters(parameters), error(error), assigned(assigned) {}

  LogicalResult run(FunctionOpInterface function, ArrayRef<Tensor> inputs,
                    std::vector<Tensor> &outputs);

private:
  using Held = std::shared_ptr<const Tensor>;

  LogicalResult takeInputs(FunctionOpInterface function,
                           ArrayRef<Tensor> inputs);
  LogicalResult evaluate(Operation *op);
  LogicalResult load(nn::ParameterOp op);
  LogicalResult load(nn::StateOp op);
  LogicalResult assign(nn::AssignOp op);
  /// The tensor of an operand of `op`; null after an error.
  Held use(Value value);
  /// Frees the operands of which `op` was the last use.
  void release(Operation *op);

  const Parameters &parameters;
  std::string &error;
  llvm::StringMap<Tensor> *assigned;
  Semantics semantics;
  llvm::DenseMap<Value, Held> values;
  llvm::DenseMap<Value, int64_t> usesLeft;
};
} // namespace

Semantics::Semantics() {
  add(evaluateFill);
  add(evaluateIota);
  add(evaluateLinear);
  add(evaluateMatMul);
  add(evaluateEmbedding);
  add(evaluateEmbeddingGrad);
  add(evaluateGather);
  add(evaluateScatterSum);
  add(evaluateConv);
  add(evaluateConvTranspose);
  add(evaluateConvGradWeight);
  add(evaluatePool);
  add(evaluatePoolGrad);
  add(evaluatePad);
  add(evaluatePadTranspose);
  add(evaluateAttention);
  add(evaluateAttentionGrad);
  add(evaluateNeighborhoodAttention);
  add(evaluateNeighborhoodAttentionGrad);
  add(evaluateLayerNorm);
  add(evaluateRmsNorm);
  add(evaluateNormalize);
  add(evaluateSoftmax);
  add(evaluateLogSumExp);
  add(evaluateRotary);
  add(evaluateDropout);
  add(evaluateUnary);
  add(evaluateBinary);
  add(evaluateWhere);
  add(evaluateCast);
  add(evaluateReduce);
  add(evaluateRearrange);
  add(evaluateSlice);
  add(evaluateConcat);
  add(evaluateBroadcast);
}

static std::string toText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(shape, stream);
  stream << "]";
  return text;
}

/// Does a tensor from outside have the shape and the elements of the type?
static LogicalResult check(const std::string &name, const Tensor &tensor,
                           RankedTensorType type, std::string &error) {
  if (ArrayRef<int64_t>(tensor.shape) != type.getShape()) {
    error = name + " has shape " + toText(tensor.shape) +
            ", but the model takes " + nn::describe(type);
    return failure();
  }
  if (int64_t(tensor.values.size()) != product(tensor.shape)) {
    error = llvm::formatv("{0} of shape {1} has {2} elements instead of {3}",
                          name, toText(tensor.shape), tensor.values.size(),
                          product(tensor.shape));
    return failure();
  }
  if (!isa<IntegerType>(type.getElementType()))
    return success();
  // Also refuses NaN and infinities; 2^63 is beyond every type.
  for (double value : tensor.values)
    if (!(value >= -0x1p63 && value < 0x1p63 &&
          value == double(int64_t(value)))) {
      error = llvm::formatv("{0} has the element {1}, but the model takes {2}",
                            name, value, nn::describe(type));
      return failure();
    }
  return success();
}

/// The model's path in a location, "" if it has none.
static std::string pathOf(Location location) {
  std::string path;
  location->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner)) {
      path = name.getName().str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return path;
}

/// What computes nothing on whole tensors.
static bool isIdentity(Operation *op) {
  auto dropout = dyn_cast<nn::DropoutOp>(op);
  return isa<nn::ValueOp, nn::RedistributeOp>(op) ||
         (dropout && !dropout.getStep());
}

LogicalResult Evaluator::takeInputs(FunctionOpInterface function,
                                    ArrayRef<Tensor> inputs) {
  if (inputs.size() != function.getNumArguments()) {
    error = llvm::formatv("{0} has {1} inputs, but got {2}", function.getName(),
                          function.getNumArguments(), inputs.size());
    return failure();
  }
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    auto name = nn::argumentName(function, index);
    std::string words =
        name ? "input '" + name.str() + "'" : "input " + std::to_string(index);
    if (failed(check(words, inputs[index],
                     cast<RankedTensorType>(argument.getType()), error)))
      return failure();
    // The caller's tensor outlives the run.
    values[argument] = Held(&inputs[index], [](const Tensor *) {});
  }
  return success();
}

LogicalResult Evaluator::load(nn::ParameterOp op) {
  auto tensor = std::make_shared<Tensor>();
  std::string name = "parameter '" + op.getPath().str() + "'";
  if (!parameters(op.getPath(), *tensor)) {
    error = "there is no " + name + ", which the model takes as " +
            nn::describe(op.getType());
    return failure();
  }
  values[op.getResult()] = tensor;
  return check(name, *tensor, cast<RankedTensorType>(op.getType()), error);
}

LogicalResult Evaluator::load(nn::StateOp op) {
  auto tensor = std::make_shared<Tensor>();
  if (!parameters(op.getName(), *tensor)) {
    tensor->shape = op.getType().getShape().vec();
    tensor->values.assign(product(tensor->shape),
                          op.getInit().convertToDouble());
  }
  values[op.getResult()] = tensor;
  return check("state '" + op.getName().str() + "'", *tensor, op.getType(),
               error);
}

LogicalResult Evaluator::assign(nn::AssignOp op) {
  Held held = use(op.getX());
  if (held && assigned)
    (*assigned)[op.getName()] = *held;
  release(op);
  return success(held != nullptr);
}

Evaluator::Held Evaluator::use(Value value) {
  // Parameters stand at the top of the function; loading each where it is used
  // first holds one layer of a model at a time.
  if (auto parameter = value.getDefiningOp<nn::ParameterOp>())
    if (!values.contains(value) && failed(load(parameter)))
      return nullptr;
  if (auto state = value.getDefiningOp<nn::StateOp>())
    if (!values.contains(value) && failed(load(state)))
      return nullptr;
  return values.lookup(value);
}

void Evaluator::release(Operation *op) {
  for (Value operand : op->getOperands())
    if (--usesLeft[operand] == 0)
      values.erase(operand);
}

LogicalResult Evaluator::evaluate(Operation *op) {
  if (isa<nn::ParameterOp, nn::StateOp>(op))
    return success();
  if (auto assigns = dyn_cast<nn::AssignOp>(op))
    return assign(assigns);
  EvaluateOp function = semantics.find(op->getName().getStringRef());
  if (!function && !isIdentity(op)) {
    error = "the reference has no semantics for " +
            op->getName().getStringRef().str();
    return failure();
  }
  Call call;
  SmallVector<Held, 4> operands;
  for (Value operand : op->getOperands()) {
    Held held = use(operand);
    if (!held)
      return failure();
    call.operands.push_back(held.get());
    operands.push_back(std::move(held));
  }
  Value result = op->getResult(0);
  if (isIdentity(op)) {
    values[result] = operands.front();
  } else {
    call.more.resize(op->getNumResults() - 1);
    auto tensorOf = [&](unsigned number) -> Tensor & {
      return number ? call.more[number - 1] : call.result;
    };
    for (OpResult each : op->getResults()) {
      Tensor &tensor = tensorOf(each.getResultNumber());
      tensor.shape = cast<RankedTensorType>(each.getType()).getShape().vec();
      tensor.values.resize(product(tensor.shape));
    }
    function(op, call);
    for (OpResult each : op->getResults())
      values[each] =
          std::make_shared<Tensor>(std::move(tensorOf(each.getResultNumber())));
  }
  if (!call.error.empty()) {
    std::string path = pathOf(op->getLoc());
    error = (path.empty() ? op->getName().getStringRef().str() : path) + ": " +
            call.error;
    return failure();
  }
  for (Value each : op->getResults())
    if (each.use_empty())
      values.erase(each);
  release(op);
  return success();
}

LogicalResult Evaluator::run(FunctionOpInterface function,
                             ArrayRef<Tensor> inputs,
                             std::vector<Tensor> &outputs) {
  if (!function.getFunctionBody().hasOneBlock()) {
    error = "the reference evaluates functions of one block";
    return failure();
  }
  if (failed(takeInputs(function, inputs)))
    return failure();
  Block &block = function.front();
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      ++usesLeft[operand];
  for (Operation &op : block.without_terminator())
    if (failed(evaluate(&op)))
      return failure();
  outputs.clear();
  for (Value value : block.getTerminator()->getOperands()) {
    Held held = use(value);
    if (!held)
      return failure();
    outputs.push_back(*held);
  }
  return success();
}

LogicalResult evaluate(FunctionOpInterface function,
                       const Parameters &parameters, ArrayRef<Tensor> inputs,
                       std::vector<Tensor> &outputs, std::string &error,
                       llvm::StringMap<Tensor> *assigned) {
  return Evaluator(parameters, error, assigned).run(function, inputs, outputs);
}

} // namespace hocket::reference
