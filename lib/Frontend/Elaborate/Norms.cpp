//===- Norms.cpp - norms whose statistics are of several dims -------------===//
//
// Arguments, defaults and parameters are PyTorch's. Each is one nn.normalize;
// weight and bias are element-wise operations after it. A group of channels is
// a factor of their dim, so that splits of whole groups need no communication.
//
//===----------------------------------------------------------------------===//

#include "dialects/Nn/Norms.h"
#include "Elaborator.h"
#include "FactorOrder.h"
#include "dialects/Nn/Buffer.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/PlacementRule.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

std::optional<Norm> frontend::normNamed(llvm::StringRef name) {
  Norm norm;
  if (name == "GroupNorm") {
    norm.kind = Norm::Kind::Group;
    return norm;
  }
  bool isBatch = name.consume_front("BatchNorm");
  if (!isBatch && !name.consume_front("InstanceNorm"))
    return std::nullopt;
  norm.kind = isBatch ? Norm::Kind::Batch : Norm::Kind::Instance;
  for (norm.spatial = 1; norm.spatial <= 3; ++norm.spatial)
    if (name == std::to_string(norm.spatial) + "d")
      return norm;
  return std::nullopt;
}

void Elaborator::addNormParameters(Instance &instance,
                                   llvm::ArrayRef<nn::DimAttr> dims,
                                   bool affine, bool hasBias,
                                   SourceRange range) {
  if (affine)
    addParameter(instance, "weight", dims, {}, range);
  if (affine && hasBias)
    addParameter(instance, "bias", dims, {}, range);
  if (instance.norm->kind != Norm::Kind::Batch)
    return;
  for (const char *buffer : {"running_mean", "running_var"}) {
    addParameter(instance, buffer, dims, {}, range);
    lastParameter->setAttr(nn::kBuffer, builder.getUnitAttr());
  }
  // PyTorch counts the updates, for a momentum that changes.
  unread.push_back(joinPath(instance.path, "num_batches_tracked"));
}

InstancePtr Elaborator::instantiateNorm(const CallExpr &call,
                                        const std::string &name,
                                        const Scope &scope,
                                        const std::string &path) {
  auto norm = std::make_shared<Norm>(*normNamed(name));
  bool isGroup = norm->kind == Norm::Kind::Group;
  bool isBatch = norm->kind == Norm::Kind::Batch;
  llvm::SmallVector<llvm::StringRef> names = {"channels", "eps", "affine"};
  if (isGroup)
    names.insert(names.begin(), "groups");
  if (isBatch)
    names.insert(names.begin() + 2, "momentum");
  auto arguments = matchArguments(call, name, names, isGroup ? 2 : 1);
  if (!arguments)
    return nullptr;
  auto number = [&](const char *which, double &value) {
    const Expr *given = arguments->get(which);
    auto read = given ? evaluateFloat(*given, scope) : std::optional(value);
    value = read.value_or(value);
    return read.has_value();
  };
  auto channels = evaluateDim(*arguments->get("channels"), scope);
  std::optional<int64_t> groups = channels ? channels->getSize() : 1;
  if (isGroup)
    groups = evaluateInt(*arguments->get("groups"), scope);
  std::optional<bool> affine = isGroup || isBatch;
  if (const Expr *given = arguments->get("affine"))
    affine = evaluateBool(*given, scope);
  if (!number("eps", norm->eps) || !number("momentum", norm->momentum) ||
      !channels || !groups || !affine)
    return nullptr;
  norm->channels = channels->getSize();
  norm->groups = *groups;
  if (norm->groups < 1 || norm->channels % norm->groups != 0) {
    error(call.range, std::to_string(norm->groups) + " groups of " +
                          std::to_string(norm->channels) +
                          " channels; the groups divide the channels");
    return nullptr;
  }
  auto instance = std::make_shared<Instance>();
  instance->builtin = Builtin::Norm;
  instance->path = path;
  instance->norm = norm;
  addNormParameters(*instance, *channels, *affine, /*hasBias=*/true,
                    call.range);
  return instance;
}

/// LayerNorm([a, b]): over the last dims, which have these sizes.
InstancePtr Elaborator::instantiateLayerNorm(const CallArguments &arguments,
                                             const ListExpr &list,
                                             const Scope &scope,
                                             const std::string &path) {
  llvm::SmallVector<nn::DimAttr> dims;
  for (const ExprPtr &item : list.items) {
    auto dim = evaluateDim(*item, scope);
    if (!dim)
      return nullptr;
    dims.push_back(*dim);
  }
  auto norm = std::make_shared<Norm>();
  norm->kind = Norm::Kind::Layer;
  std::optional<double> eps = norm->eps;
  if (const Expr *given = arguments.get("eps"))
    eps = evaluateFloat(*given, scope);
  std::optional<bool> bias = true;
  if (const Expr *given = arguments.get("bias"))
    bias = evaluateBool(*given, scope);
  if (!eps || !bias)
    return nullptr;
  if (dims.empty()) {
    error(list.range, "'LayerNorm' takes the sizes of the last dims, at least "
                      "one, found []");
    return nullptr;
  }
  norm->eps = *eps;
  auto instance = std::make_shared<Instance>();
  instance->builtin = Builtin::Norm;
  instance->path = path;
  instance->norm = norm;
  addNormParameters(*instance, dims, /*affine=*/true, *bias,
                    arguments.call->range);
  return instance;
}

/// Batch, channels and what the name says; channels as many as it was told.
bool Elaborator::checkNormInput(const Instance &instance, mlir::Value x) {
  const Norm &norm = *instance.norm;
  auto dims = nn::layoutOf(x).getDims();
  std::string takes = "'" + instance.path + "' takes x of ";
  std::string found = ", found " + nn::describe(x.getType());
  bool isOneMore = norm.kind == Norm::Kind::Batch && norm.spatial == 1;
  bool fits = norm.spatial ? dims.size() == norm.spatial + 2 : dims.size() >= 2;
  if (!fits && !(isOneMore && dims.size() == 2)) {
    std::string count = isOneMore      ? "2 or 3"
                        : norm.spatial ? std::to_string(norm.spatial + 2)
                                       : std::string("2 or more");
    error(callRange,
          takes + count + " dims, batch, channels and then positions" + found);
    return false;
  }
  if (norm.kind == Norm::Kind::Batch && !nn::elementTypeOf(x).isF32()) {
    error(callRange, takes + "f32, the type of its running statistics" + found);
    return false;
  }
  if (dims[1].getSize() == norm.channels)
    return true;
  error(callRange,
        takes + std::to_string(norm.channels) + " channels, its dim 1" + found);
  return false;
}

/// Over all dims from `first` on, and without one before the channels.
mlir::Value Elaborator::emitNormalize(mlir::Value x, int64_t first,
                                      double eps) {
  llvm::SmallVector<int64_t> over;
  if (first == 0)
    over = {0};
  int64_t rank = nn::layoutOf(x).getDims().size();
  llvm::append_range(over, llvm::seq(first == 0 ? 2 : first, rank));
  return emit<nn::NormalizeOp>(
      callRange, x,
      {named("dims", builder.getDenseI64ArrayAttr(over)),
       named("eps", builder.getF64FloatAttr(eps))});
}

/// x [b, c, n...] over the channels of each group and all after them.
mlir::Value Elaborator::normalizeGroups(const Instance &instance,
                                        mlir::Value x) {
  const Norm &norm = *instance.norm;
  llvm::SmallVector<nn::DimAttr> source(nn::layoutOf(x).getDims());
  int64_t size = norm.channels / norm.groups;
  if (size == 1 || norm.groups == 1)
    return emitNormalize(x, size == 1 ? 2 : 1, norm.eps);
  std::string name = source[1].getDisplayName();
  llvm::SmallVector<nn::FactorAttr> split = {
      nn::dimOf(context, "groups", norm.groups).getFactors()[0],
      nn::dimOf(context, name, size).getFactors()[0]};
  auto factors = nn::refineFactors(source[1].getFactors(), split);
  if (mlir::failed(factors)) {
    error(callRange, "'" + instance.path + "' has " +
                         std::to_string(norm.groups) + " groups of " +
                         std::to_string(size) +
                         " channels, whose borders cross the factors of " +
                         nn::describe(x.getType()));
    return {};
  }
  source[1] = nn::DimAttr::get(context, *factors);
  // The factors that count groups are a dim of their own.
  size_t outer = 0;
  for (int64_t count = 1; count < norm.groups; ++outer)
    count *= (*factors)[outer].getSize();
  auto order = factorOrder(source);
  llvm::SmallVector<int64_t> inner(llvm::drop_begin(order[1], outer));
  order[1].truncate(outer);
  order.insert(order.begin() + 2, inner);
  llvm::ArrayRef<nn::FactorAttr> all(*factors);
  llvm::SmallVector<nn::DimAttr> grouped(source);
  grouped[1] = nn::DimAttr::get(context, all.take_front(outer));
  grouped.insert(grouped.begin() + 2,
                 nn::DimAttr::get(context, all.drop_front(outer)));
  mlir::Value y = emitNormalize(
      emitRearrange(x, source, order, grouped, callRange), 2, norm.eps);
  if (!y)
    return y;
  return emitRearrange(y, grouped, factorOrder(source),
                       nn::layoutOf(x).getDims(), callRange);
}

/// (1 - momentum) of what the buffer holds and momentum of `statistic`. A
/// module that is called again goes on from there.
void Elaborator::moveBuffer(const Instance &instance, const std::string &name,
                            mlir::Value statistic) {
  mlir::Value &next = nextBuffers[joinPath(instance.path, name)];
  mlir::Value held = next ? next : instance.parameters.at(name);
  auto part = [&](mlir::Value x, double share) {
    return callBinary(nn::BinaryKind::Mul, x,
                      callNumber(share, builder.getF32Type()));
  };
  double momentum = instance.norm->momentum;
  next = callBinary(nn::BinaryKind::Add, part(held, 1 - momentum),
                    part(statistic, momentum));
}

/// In training over the statistics of the batch, which move the running ones;
/// else over those.
mlir::Value Elaborator::normalizeBatch(const Instance &instance,
                                       mlir::Value x) {
  const Norm &norm = *instance.norm;
  if (!isTraining)
    return nn::normalizeByRunning(builder, locationOf(callRange), x,
                                  instance.parameters.at("running_mean"),
                                  instance.parameters.at("running_var"),
                                  norm.eps);
  auto type = nn::tensorType(x);
  double count = double(type.getNumElements() / norm.channels);
  if (count == 1) {
    error(callRange, "'" + instance.path +
                         "' takes statistics of 1 element a channel of " +
                         nn::describe(type) +
                         "; the running variance is of 2 or more");
    return {};
  }
  mlir::Value y = emitNormalize(x, 0, norm.eps);
  if (!y)
    return y;
  auto op = y.getDefiningOp<nn::NormalizeOp>();
  op->setAttr(nn::kRunning, builder.getStrArrayAttr(
                                {joinPath(instance.path, "running_mean"),
                                 joinPath(instance.path, "running_var")}));
  moveBuffer(instance, "running_mean", op.getMean());
  // The running variance is that of a sample.
  mlir::Value ofSample = callNumber(count / (count - 1), builder.getF32Type());
  moveBuffer(instance, "running_var",
             callBinary(nn::BinaryKind::Mul, op.getVariance(), ofSample));
  return y;
}

/// Over the last dims, those of the weight.
mlir::Value Elaborator::normalizeLast(const Instance &instance, mlir::Value x) {
  mlir::Type weight = instance.parameters.at("weight").getType();
  auto sizes = mlir::cast<mlir::RankedTensorType>(weight).getShape();
  auto shape = nn::tensorType(x).getShape();
  if (shape.size() > sizes.size() && shape.take_back(sizes.size()) == sizes)
    return emitNormalize(x, shape.size() - sizes.size(), instance.norm->eps);
  error(callRange, "'" + instance.path + "' takes x with the last dims of " +
                       nn::describe(weight) + " behind another, found " +
                       nn::describe(x.getType()));
  return {};
}

mlir::Value Elaborator::callNorm(Instance &instance, mlir::Value x,
                                 SourceRange range) {
  callRange = range;
  Norm::Kind kind = instance.norm->kind;
  mlir::Value y;
  if (kind == Norm::Kind::Layer)
    y = normalizeLast(instance, x);
  else if (checkNormInput(instance, x))
    y = kind == Norm::Kind::Batch ? normalizeBatch(instance, x)
                                  : normalizeGroups(instance, x);
  for (auto [name, operation] : {std::pair("weight", nn::BinaryKind::Mul),
                                 {"bias", nn::BinaryKind::Add}}) {
    auto found = instance.parameters.find(name);
    if (!y || found == instance.parameters.end())
      continue;
    mlir::Value weight = found->second;
    if (kind != Norm::Kind::Layer)
      weight = nn::beforeDims(builder, locationOf(range), weight,
                              nn::layoutOf(y).getDims().size() - 2);
    y = callBinary(operation, y, weight);
  }
  return y;
}
