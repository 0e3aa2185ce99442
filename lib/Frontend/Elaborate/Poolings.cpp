//===- Poolings.cpp - MaxPool1d to AvgPool3d, and the same as functions ---===//
//
// Arguments and defaults are PyTorch's. A number counts for every dim, a tuple
// has one for each; what lies in the padding is no value.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"
#include "Functions.h"
#include "dialects/Nn/Windows.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

std::optional<size_t> frontend::poolingDims(llvm::StringRef name, bool &isMax) {
  isMax = name.consume_front("MaxPool") || name.consume_front("max_pool");
  if (!isMax && !name.consume_front("AvgPool") &&
      !name.consume_front("avg_pool"))
    return std::nullopt;
  for (size_t dims = 1; dims <= 3; ++dims)
    if (name == std::to_string(dims) + "d")
      return dims;
  return std::nullopt;
}

bool Elaborator::readPooling(const CallArguments &arguments, const Scope &scope,
                             Pooling &pooling) {
  size_t dims = pooling.spatial;
  bool hasStride = arguments.get("stride");
  auto read = [&](const char *name, llvm::SmallVectorImpl<int64_t> &numbers) {
    return readPerDim(arguments, name, 1, 1, dims, scope, numbers);
  };
  auto readFlag = [&](const char *name, bool &flag) {
    const Expr *given = arguments.get(name);
    auto value = given ? evaluateBool(*given, scope) : std::optional(flag);
    flag = value.value_or(flag);
    return value.has_value();
  };
  if (!read("kernel", pooling.kernel) || !read("stride", pooling.strides) ||
      !read("dilation", pooling.dilations) ||
      !readPadding(arguments, scope, pooling) ||
      !readFlag("ceil_mode", pooling.roundsUp) ||
      !readFlag("count_include_pad", pooling.countsBorder) ||
      !readFlag("return_indices", pooling.givesIndices))
    return false;
  if (!hasStride)
    pooling.strides = pooling.kernel;
  for (size_t i = 0; i < dims; ++i) {
    int64_t span = pooling.dilations[i] * (pooling.kernel[i] - 1) + 1;
    int64_t most = std::max(pooling.lows[i], pooling.highs[i]);
    if (most <= span / 2)
      continue;
    error(arguments.get("padding")->range,
          "'padding' is " + std::to_string(most) + " for a window of " +
              std::to_string(span) + ", expected at most half of it, " +
              std::to_string(span / 2) +
              ", so that no window lies in the padding alone");
    return false;
  }
  return true;
}

InstancePtr Elaborator::instantiatePooling(const CallExpr &call,
                                           const Scope &scope,
                                           const std::string &path) {
  const std::string &name = dynAs<NameExpr>(call.callee)->name;
  auto made = std::make_shared<Pooling>();
  made->spatial = *poolingDims(name, made->isMax);
  llvm::SmallVector<llvm::StringRef> names = {"kernel", "stride", "padding"};
  if (made->isMax)
    names.append({"dilation", "ceil_mode", "return_indices"});
  else
    names.append({"ceil_mode", "count_include_pad"});
  auto arguments = matchArguments(call, name, names, 1);
  if (!arguments || !readPooling(*arguments, scope, *made))
    return nullptr;
  auto instance = std::make_shared<Instance>();
  instance->builtin = Builtin::Pooling;
  instance->path = path;
  instance->pooling = made;
  return instance;
}

/// How much further than its padding a dim must go so that the last window,
/// which begins before its end, fits.
static int64_t extraOf(const Pooling &pooling, size_t i, int64_t extent) {
  int64_t span = pooling.dilations[i] * (pooling.kernel[i] - 1) + 1;
  int64_t stride = pooling.strides[i];
  int64_t room = extent + pooling.lows[i] + pooling.highs[i] - span;
  if (!pooling.roundsUp || room < 0)
    return 0;
  int64_t last = (room + stride - 1) / stride * stride;
  if (last >= extent + pooling.lows[i])
    last -= stride;
  return std::max<int64_t>(last - room, 0);
}

mlir::Value Elaborator::callPooling(const Pooling &pooling,
                                    const std::string &name, mlir::Value x,
                                    SourceRange range, bool wantsIndices) {
  auto dims = nn::layoutOf(x).getDims();
  if (dims.size() != pooling.spatial + 2) {
    error(range,
          "'" + name + "' takes x of " + std::to_string(pooling.spatial + 2) +
              " dims, batch, channels and " + std::to_string(pooling.spatial) +
              " to slide over, found " + nn::describe(x.getType()));
    return {};
  }
  llvm::SmallVector<int64_t> extras;
  for (size_t i = 0; i < pooling.spatial; ++i)
    extras.push_back(extraOf(pooling, i, dims[i + 2].getSize()));
  auto numbers = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> list) {
    return named(name, builder.getDenseI64ArrayAttr(list));
  };
  nn::PoolKind kind = wantsIndices    ? nn::PoolKind::MaxIndex
                      : pooling.isMax ? nn::PoolKind::Max
                                      : nn::PoolKind::Average;
  return emit<nn::PoolOp>(
      range, x,
      {named("kind", nn::PoolKindAttr::get(context, kind)),
       numbers("taps", pooling.kernel), numbers("strides", pooling.strides),
       numbers("dilations", pooling.dilations), numbers("lows", pooling.lows),
       numbers("highs", pooling.highs), numbers("extras", extras),
       named("counts_border", builder.getBoolAttr(pooling.countsBorder))});
}

Elaborator::MaybeDatum Elaborator::poolFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  const std::string &name = dynAs<NameExpr>(arguments.call->callee)->name;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  Pooling pooling;
  pooling.spatial = *poolingDims(name, pooling.isMax);
  if (!x || !readPooling(arguments, scope, pooling))
    return std::nullopt;
  SourceRange range = arguments.call->range;
  mlir::Value y = callPooling(pooling, name, x, range, false);
  if (!y || !pooling.givesIndices)
    return y ? MaybeDatum(Datum(y)) : std::nullopt;
  mlir::Value indices = callPooling(pooling, name, x, range, true);
  return Datum(std::make_shared<Tuple>(Tuple{Datum(y), Datum(indices)}));
}
