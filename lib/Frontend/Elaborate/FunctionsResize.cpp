//===- FunctionsResize.cpp - interpolate ----------------------------------===//

#include "Elaborator.h"
#include "Resizer.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// How many positions each dim after the channels shall have.
bool Elaborator::readSizes(const CallArguments &arguments, mlir::Value x,
                           const Scope &scope,
                           llvm::SmallVectorImpl<int64_t> &sizes) {
  auto dims = nn::layoutOf(x).getDims().drop_front(2);
  const Expr *scale = arguments.get("scale");
  if (!scale)
    return readPerDim(arguments, "size", 1, 1, dims.size(), scope, sizes);
  auto *tuple = dynAs<TupleExpr>(scale);
  if (tuple && tuple->items.size() != dims.size()) {
    error(scale->range, "'scale' has " + std::to_string(tuple->items.size()) +
                            " numbers; expected one, or one for each of the " +
                            std::to_string(dims.size()) + " dims to resize");
    return false;
  }
  for (auto [i, dim] : llvm::enumerate(dims)) {
    const Expr &item = tuple ? *tuple->items[i].value : *scale;
    auto factor = evaluateFloat(item, scope);
    if (!factor)
      return false;
    double size = double(dim.getSize()) * *factor;
    if (size < 1 || std::fabs(size - std::round(size)) > 1e-9 * size) {
      error(item.range,
            llvm::formatv("a scale of {0} makes {1} positions of {2}, expected "
                          "a whole number of them; give a size",
                          textOf(item.range), size, dim.getSize())
                .str());
      return false;
    }
    sizes.push_back(std::llround(size));
  }
  return true;
}

/// Whether `mode` is linear; an error if it is no mode for these dims.
std::optional<bool> Elaborator::readMode(const CallArguments &arguments,
                                         size_t spatial) {
  const Expr *given = arguments.get("mode");
  if (!given)
    return false;
  static const char *const own[] = {"linear", "bilinear", "trilinear"};
  auto *word = dynAs<NameExpr>(given);
  if (word && word->name == "nearest")
    return false;
  if (word && (word->name == "linear" || word->name == own[spatial - 1]))
    return true;
  std::string names = "nearest or linear";
  if (spatial > 1)
    names += std::string(" (or ") + own[spatial - 1] + ")";
  error(given->range, "a mode of " + std::to_string(spatial) + " dims is " +
                          names + ", found '" + textOf(given->range) + "'");
  return std::nullopt;
}

static mlir::Value resizeDim(Resizer &resizer, mlir::Value x, int64_t dim,
                             int64_t from, int64_t to, bool isLinear,
                             bool alignsCorners) {
  bool isWhole = !alignsCorners && (from % to == 0 || to % from == 0);
  if (!isWhole)
    return resizer.mix(x, dim,
                       isLinear ? resizer.linearWeights(from, to, alignsCorners)
                                : resizer.nearestWeights(from, to));
  if (to < from)
    return resizer.shrink(x, dim, from / to,
                          isLinear ? (from / to - 1) / 2.0 : 0);
  return isLinear ? resizer.grow(x, dim, to / from)
                  : resizer.repeat(x, dim, to / from);
}

Elaborator::MaybeDatum
Elaborator::interpolateFunction(const CallArguments &arguments,
                                const Scope &scope) {
  callRange = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  auto type = mlir::cast<mlir::RankedTensorType>(x.getType());
  if (type.getRank() < 3 || type.getRank() > 5 ||
      !type.getElementType().isF32()) {
    error(arguments.get("x")->range,
          "'interpolate' takes x of f32 and 3 to 5 dims, batch, channels and "
          "those to resize, found " +
              nn::describe(type));
    return std::nullopt;
  }
  if (bool(arguments.get("size")) == bool(arguments.get("scale"))) {
    error(callRange, "'interpolate' takes either a size or a scale, as in "
                     "'size = (8, 8)' or 'scale = 2'");
    return std::nullopt;
  }
  std::optional<bool> corners = false;
  if (const Expr *given = arguments.get("align_corners"))
    corners = evaluateBool(*given, scope);
  auto isLinear = readMode(arguments, type.getRank() - 2);
  llvm::SmallVector<int64_t> sizes;
  if (!corners || !isLinear || !readSizes(arguments, x, scope, sizes))
    return std::nullopt;
  if (*corners && !*isLinear) {
    error(arguments.get("align_corners")->range,
          "'align_corners' is for linear modes");
    return std::nullopt;
  }
  Resizer resizer(builder, locationOf(callRange));
  mlir::Value y = resizer.flatten(x);
  for (auto [i, to] : llvm::enumerate(sizes)) {
    int64_t dim = i + 2, from = type.getDimSize(dim);
    if (to != from)
      y = resizeDim(resizer, y, dim, from, to, *isLinear, *corners);
  }
  return Datum(resizer.unflatten(y, x));
}
