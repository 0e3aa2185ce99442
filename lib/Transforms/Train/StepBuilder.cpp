//===- StepBuilder.cpp - the norm, and what a step returns ----------------===//

#include "StepBuilder.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/FsdpUnit.h"
#include "dialects/Nn/Func.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Train.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::training;

StepBuilder::StepBuilder(nn::FuncOp func, nn::MeshAttr mesh,
                         DictionaryAttr recipe)
    : func(func), recipe(recipe), placer(mesh),
      terminator(func.getBody().front().getTerminator()), builder(terminator),
      at(func.getLoc()) {}

double StepBuilder::numberOf(StringRef key) const {
  auto number = recipe.getAs<FloatAttr>(key);
  return number ? number.getValueAsDouble() : 0;
}

bool StepBuilder::isListed(StringRef key, StringAttr path) const {
  auto paths = recipe.getAs<ArrayAttr>(key);
  return paths && llvm::is_contained(paths, Attribute(path));
}

void StepBuilder::nameNext(StringRef path) {
  Location line = func.getLoc();
  if (auto name = dyn_cast<NameLoc>(line))
    line = name.getChildLoc();
  at = NameLoc::get(builder.getStringAttr(path), line);
}

//===-- Operations --------------------------------------------------------===//

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

RankedTensorType StepBuilder::withoutPlacement(Value value) {
  return nn::withLayout(cast<RankedTensorType>(value.getType()),
                        nn::layoutOf(value).withoutPlacement());
}

Value StepBuilder::unary(nn::UnaryKind kind, Value x) {
  return make<nn::UnaryOp>(withoutPlacement(x), x, kind);
}

Value StepBuilder::binary(nn::BinaryKind kind, Value a, Value b) {
  // One of the two may be a number without dims.
  bool isLarger =
      nn::layoutOf(a).getDims().size() < nn::layoutOf(b).getDims().size();
  RankedTensorType type = withoutPlacement(isLarger ? b : a);
  if (kind == nn::BinaryKind::Lt || kind == nn::BinaryKind::Le)
    type = type.clone(builder.getI1Type());
  return make<nn::BinaryOp>(type, a, b, kind);
}

Value StepBuilder::binary(nn::BinaryKind kind, Value a, double b) {
  return binary(kind, a, scalar(b, elementOf(a)));
}

Value StepBuilder::rounded(Value number, Type element) {
  if (elementOf(number) == element)
    return number;
  Value &once = casts[{number, element}];
  llvm::SaveAndRestore<Location> named(at, number.getLoc());
  if (!once)
    once = make<nn::CastOp>(withoutPlacement(number).clone(element), number);
  return once;
}

Value StepBuilder::scaled(Value x, Value number) {
  return binary(nn::BinaryKind::Mul, x, rounded(number, elementOf(x)));
}

Value StepBuilder::scalar(double value, Type element) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {}, {}, {});
  return make<nn::FillOp>(nn::tensorOf(element, layout), APFloat(value));
}

Value StepBuilder::sumOfAll(Value x) {
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < nn::layoutOf(x).getDims().size(); ++dim)
    dims.push_back(dim);
  auto layout = nn::LayoutAttr::get(builder.getContext(), {}, {}, {});
  return make<nn::ReduceOp>(nn::tensorOf(elementOf(x), layout), x,
                            nn::ReduceKind::Sum, dims,
                            /*keepdim=*/false);
}

//===-- The step ----------------------------------------------------------===//

/// Takes the outputs `PATH.grad` of parameters off the function.
LogicalResult StepBuilder::findGradients() {
  llvm::DenseMap<StringRef, nn::ParameterOp> parameters;
  for (auto parameter : func.getBody().front().getOps<nn::ParameterOp>()) {
    parameters[parameter.getPath()] = parameter;
    placer.markFree(parameter);
  }
  ArrayAttr names = func.getOutputs();
  SmallVector<Value> kept;
  SmallVector<Attribute> keptNames;
  for (auto [value, attribute] :
       llvm::zip(terminator->getOperands(), names.getValue())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    nn::ParameterOp parameter;
    if (name.consume_back(".grad"))
      parameter = parameters.lookup(name);
    if (!parameter) {
      kept.push_back(value);
      keptNames.push_back(attribute);
    } else if (!value.getDefiningOp<nn::FillOp>() &&
               !isListed("frozen", parameter.getPathAttr())) {
      // What the loss does not depend on is not trained.
      list.push_back({parameter, value, parameter.getPathAttr()});
    }
  }
  terminator->setOperands(kept);
  func.setOutputsAttr(builder.getArrayAttr(keptNames));
  if (list.empty())
    return func.emitError("nothing to train: the loss depends on no parameter "
                          "that is not frozen");
  return success();
}

Value StepBuilder::stepAsFloat() {
  for (BlockArgument argument : func.getArguments()) {
    auto name = nn::argumentName(func, argument.getArgNumber());
    if (name && name.getValue() == "step")
      return make<nn::CastOp>(
          withoutPlacement(argument).clone(builder.getF64Type()), argument);
  }
  return {};
}

Value StepBuilder::globalNorm() {
  Value total;
  for (const Trained &trained : list) {
    nameNext("grad_norm");
    Value g = trained.gradient;
    Value square = sumOfAll(binary(nn::BinaryKind::Mul, g, g));
    total = total ? binary(nn::BinaryKind::Add, total, square) : square;
  }
  // Parts of split gradients are summed once, for all parameters together.
  total = placer.redistribute(builder, at, total,
                              nn::layoutOf(total).withoutPlacement());
  return unary(nn::UnaryKind::Sqrt, total);
}

/// As PyTorch's clip_grad_norm_.
void StepBuilder::clip(Value norm) {
  double limit = numberOf("clip");
  if (limit == 0)
    return;
  nameNext("clip");
  Type element = builder.getF64Type();
  Value divisor = binary(nn::BinaryKind::Add, rounded(norm, element), 1e-6);
  Value factor = binary(nn::BinaryKind::Div, scalar(limit, element), divisor);
  factor = binary(nn::BinaryKind::Minimum, factor, 1.0);
  for (Trained &trained : list) {
    nameNext((trained.path.getValue() + ".update").str());
    trained.gradient = scaled(trained.gradient, factor);
  }
}

void StepBuilder::assign(StringRef name, Value value, Value stored) {
  Value kept = unlessLeftOut(value, stored);
  Value moved = placer.redistribute(builder, at, kept, nn::layoutOf(stored));
  nn::markUnit(stored, kept, moved);
  assigned.push_back({builder.getStringAttr(name), moved});
}

void StepBuilder::finish(Value norm, Value rate) {
  SmallVector<Value> results(terminator->getOperands());
  SmallVector<Attribute> names(func.getOutputs().getValue());
  results.append({norm, rate});
  names.append(
      {builder.getStringAttr("grad_norm"), builder.getStringAttr("lr")});
  if (scale) {
    results.push_back(scale);
    names.push_back(builder.getStringAttr(kLossScale));
  }
  for (auto [name, value] : assigned) {
    nameNext(name);
    nn::AssignOp::create(builder, at, name, value);
  }
  terminator->setOperands(results);
  func.setOutputsAttr(builder.getArrayAttr(names));
  SmallVector<DictionaryAttr> attributes;
  func.getAllResultAttrs(attributes);
  attributes.resize(results.size(), builder.getDictionaryAttr({}));
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().front().getArgumentTypes(),
      ValueRange(results).getTypes()));
  func.setAllResultAttrs(attributes);
}

LogicalResult StepBuilder::run() {
  if (failed(findGradients()))
    return failure();
  accumulate();
  nameNext("lr");
  Value step = stepAsFloat();
  if (!step)
    return func.emitError("a training step needs the input 'step'");
  Value rate = rateAt(step);
  Value norm = unscale(globalNorm());
  clip(norm);
  updateAll(step, rate);
  updateBuffers();
  updateScale();
  finish(norm, rate);
  return success(!hasFailed);
}
