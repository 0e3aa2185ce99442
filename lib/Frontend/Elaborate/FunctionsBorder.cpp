//===- FunctionsBorder.cpp - pad, crop and crop_end -----------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include "dialects/Nn/Windows.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// Each of the dims as one factor, as windows slide over it.
mlir::Value Elaborator::joinFactors(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                                    SourceRange range) {
  llvm::SmallVector<nn::DimAttr> joined(nn::layoutOf(x).getDims());
  bool isSame = true;
  for (int64_t dim : dims) {
    isSame &= joined[dim].getFactors().size() == 1;
    joined[dim] =
        nn::dimOf(context, joined[dim].getDisplayName(), joined[dim].getSize());
  }
  if (isSame)
    return x;
  return emitRearrange(x, joined, factorOrder(joined), joined, range);
}

/// `padded`, whose border before and after the data of x along a dim is zero,
/// with a number in it.
mlir::Value Elaborator::fillBorder(mlir::Value padded, mlir::Value x,
                                   int64_t dim, int64_t before, double value,
                                   SourceRange range) {
  auto type = mlir::cast<mlir::RankedTensorType>(padded.getType());
  int64_t extent = nn::layoutOf(x).getDims()[dim].getSize();
  mlir::Value place = emitAs<nn::IotaOp>(
      range, nn::tensorOf(builder.getI32Type(), nn::layoutOf(padded)), padded,
      named("dim", builder.getI64IntegerAttr(dim)));
  mlir::Value number = asTensor(Datum(value), type.getElementType(), range);
  auto where = [&](nn::BinaryKind kind, int64_t border, mlir::Value inside) {
    MaybeDatum beyond = binaryOp(kind, Datum(place), Datum(border), range);
    return beyond ? emit<nn::WhereOp>(range, {beyond->tensor(), number, inside})
                  : mlir::Value();
  };
  mlir::Value low = number ? where(nn::BinaryKind::Lt, before, padded) : number;
  return low ? where(nn::BinaryKind::Ge, before + extent, low) : low;
}

Elaborator::MaybeDatum Elaborator::padFunction(const CallArguments &arguments,
                                               const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dims = x ? selectDims(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dims)
    return std::nullopt;
  const Expr *number = arguments.get("value");
  auto value = number ? evaluateFloat(*number, scope) : std::optional(0.0);
  llvm::SmallVector<int64_t> before, after;
  llvm::SmallVector<nn::Border> borders;
  auto read = [&](const char *name, llvm::SmallVectorImpl<int64_t> &numbers) {
    return readPerDim(arguments, name, 0, 0, dims->size(), scope, numbers,
                      "axes");
  };
  if (!value || !read("before", before) || !read("after", after) ||
      !readBorders(arguments, dims->size(), borders, "axes"))
    return std::nullopt;
  if (!arguments.get("after"))
    after = before;
  for (nn::Border border : borders)
    if (number && border != nn::Border::Zero) {
      error(number->range, "a 'value' is for what a border of zeros would "
                           "hold, found border " +
                               nn::stringifyBorder(border).str());
      return std::nullopt;
    }
  size_t rank = nn::layoutOf(x).getDims().size();
  llvm::SmallVector<int64_t> lows(rank, 0), highs(rank, 0);
  llvm::SmallVector<nn::Border> all(rank, nn::Border::Zero);
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    lows[dim] = before[i];
    highs[dim] = after[i];
    all[dim] = borders[i];
  }
  x = joinFactors(x, *dims, range);
  mlir::Value padded =
      emit<nn::PadOp>(range, x,
                      {named("lows", builder.getDenseI64ArrayAttr(lows)),
                       named("highs", builder.getDenseI64ArrayAttr(highs)),
                       named("borders", nn::BordersAttr::get(context, all))});
  for (auto [i, dim] : llvm::enumerate(*dims))
    if (padded && *value != 0)
      padded = fillBorder(padded, x, dim, before[i], *value, range);
  return wrap(padded);
}

mlir::Value Elaborator::emitSlice(mlir::Value x, int64_t dim, int64_t start,
                                  int64_t size, SourceRange range) {
  return emit<nn::SliceOp>(range, x,
                           {named("dim", builder.getI64IntegerAttr(dim)),
                            named("start", builder.getI64IntegerAttr(start)),
                            named("size", builder.getI64IntegerAttr(size)),
                            named("drop", builder.getBoolAttr(false))});
}

Elaborator::MaybeDatum Elaborator::cropFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dims = x ? selectDims(*arguments.get("axis"), x, scope) : std::nullopt;
  llvm::SmallVector<int64_t> before, after;
  auto read = [&](const char *name, llvm::SmallVectorImpl<int64_t> &numbers) {
    return readPerDim(arguments, name, 0, 0, dims->size(), scope, numbers,
                      "axes");
  };
  if (!dims || !read("before", before) || !read("after", after))
    return std::nullopt;
  if (!arguments.get("after"))
    after = before;
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    nn::DimAttr given = nn::layoutOf(x).getDims()[dim];
    int64_t extent = given.getSize(), size = extent - before[i] - after[i];
    if (size < 1) {
      error(range, "'crop' takes " + std::to_string(before[i]) + " and " +
                       std::to_string(after[i]) + " away from axis " +
                       std::to_string(dim) + " of " +
                       nn::describe(x.getType()) + ", and would leave nothing");
      return std::nullopt;
    }
    x = size == extent ? x : emitSlice(x, dim, before[i], size, range);
    if (!x)
      return std::nullopt;
  }
  return Datum(x);
}

Elaborator::MaybeDatum
Elaborator::cropEndFunction(const CallArguments &arguments,
                            const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  mlir::Value like = evaluateTensor(*arguments.get("like"), scope);
  if (!x || !like)
    return std::nullopt;
  auto has = nn::layoutOf(x).getShape();
  auto wants = nn::layoutOf(like).getShape();
  bool fits = has.size() == wants.size();
  for (size_t dim = 0; fits && dim < has.size(); ++dim)
    fits = wants[dim] <= has[dim];
  if (!fits) {
    error(range, "'crop_end' cuts each dim at its end to the size of that of "
                 "'like', but x is " +
                     nn::describe(x.getType()) + " and 'like' " +
                     nn::describe(like.getType()));
    return std::nullopt;
  }
  for (size_t dim = 0; dim < has.size() && x; ++dim)
    if (wants[dim] < has[dim])
      x = emitSlice(x, dim, 0, wants[dim], range);
  return wrap(x);
}
