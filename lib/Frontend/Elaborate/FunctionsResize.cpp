//===- FunctionsResize.cpp - interpolate ----------------------------------===//
//
// One dim after the other, by whole multiples. Up, each position makes several,
// each of them a weighted sum of itself and its neighbours: a convolution of
// three taps with one result channel for each, which then become the minor part
// of the dim. Down, a convolution of that stride reads what lies in the middle.
// So halos, uneven parts and derivatives are those of convolutions.
//
//===----------------------------------------------------------------------===//

#include "Elaborator.h"
#include "FactorOrder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

namespace {
/// Resizes [images, 1, positions...], image for image.
class Resizer {
public:
  Resizer(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Images and channels alike: their factors are one dim.
  mlir::Value flatten(mlir::Value x);
  /// Back to the images and channels of `like`.
  mlir::Value unflatten(mlir::Value y, mlir::Value like);
  /// Each position along `dim` becomes `times` of its value.
  mlir::Value repeat(mlir::Value x, int64_t dim, int64_t times);
  /// Each position along `dim` becomes `times`, the r-th of position i at
  /// i + (r + 1/2) / times - 1/2, on the line between its neighbours.
  mlir::Value grow(mlir::Value x, int64_t dim, int64_t times);
  /// One of `times` positions along `dim` is left: the value at `middle`.
  mlir::Value shrink(mlir::Value x, int64_t dim, int64_t times, double middle);

private:
  nn::DimAttr dimOf(llvm::StringRef name, int64_t size) {
    return nn::dimOf(builder.getContext(), name, size);
  }
  mlir::Value binary(llvm::StringRef kind, mlir::Value a, mlir::Value b) {
    return nn::BinaryOp::create(builder, loc, a, b, kind);
  }
  mlir::Value number(double value);
  mlir::Value rearrange(mlir::Value x,
                        llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                        llvm::ArrayRef<nn::DimAttr> result);
  /// 0, 1, ... along `dim` of a weight [results, 1, 1.., kernel, 1..], whose
  /// kernel is at `at`.
  mlir::Value count(int64_t results, int64_t rank, int64_t at, int64_t kernel,
                    int64_t dim);
  /// max(0, 1 - |distance|)
  mlir::Value hatOf(mlir::Value distance);
  /// A convolution with the kernel and stride along `dim` and one tap
  /// elsewhere.
  mlir::Value slide(mlir::Value x, mlir::Value weight, int64_t dim,
                    int64_t stride, int64_t border);
  /// y [n, r, p...] as [n, 1, p...], with r the minor part of `dim`.
  mlir::Value joinResults(mlir::Value y, int64_t dim);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};
} // namespace

mlir::Value Resizer::number(double value) {
  auto layout = nn::LayoutAttr::get(builder.getContext(), {});
  return nn::FillOp::create(builder, loc,
                            nn::tensorOf(builder.getF32Type(), layout),
                            llvm::APFloat(value));
}

mlir::Value Resizer::rearrange(mlir::Value x,
                               llvm::ArrayRef<llvm::SmallVector<int64_t>> order,
                               llvm::ArrayRef<nn::DimAttr> result) {
  llvm::SmallVector<mlir::Attribute> orders;
  for (const llvm::SmallVector<int64_t> &dim : order)
    orders.push_back(builder.getI64ArrayAttr(dim));
  auto layout = nn::LayoutAttr::get(builder.getContext(), result);
  return nn::RearrangeOp::create(builder, loc,
                                 nn::tensorOf(nn::elementTypeOf(x), layout), x,
                                 nn::layoutOf(x), builder.getArrayAttr(orders));
}

mlir::Value Resizer::flatten(mlir::Value x) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(x));
  auto order = factorOrder(dims);
  llvm::append_range(order[0], order[1]);
  order[1].clear();
  llvm::SmallVector<nn::FactorAttr> both(dims[0].getFactors());
  llvm::append_range(both, dims[1].getFactors());
  dims[0] = nn::DimAttr::get(builder.getContext(), both);
  dims[1] = dimOf("", 1);
  return rearrange(x, order, dims);
}

mlir::Value Resizer::unflatten(mlir::Value y, mlir::Value like) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(y));
  auto order = factorOrder(dims);
  dims[0] = nn::dimsOf(like)[0];
  dims[1] = nn::dimsOf(like)[1];
  size_t images = dims[0].getFactors().size();
  order[1].assign(order[0].begin() + images, order[0].end());
  order[0].truncate(images);
  return rearrange(y, order, dims);
}

mlir::Value Resizer::joinResults(mlir::Value y, int64_t dim) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(y));
  auto order = factorOrder(dims);
  llvm::append_range(order[dim], order[1]);
  order[1].clear();
  dims[dim] = dimOf(dims[dim].getDisplayName(),
                    dims[dim].getSize() * dims[1].getSize());
  dims[1] = dimOf("", 1);
  return rearrange(y, order, dims);
}

mlir::Value Resizer::repeat(mlir::Value x, int64_t dim, int64_t times) {
  llvm::SmallVector<nn::DimAttr> dims(nn::dimsOf(x));
  dims[1] = dimOf("", times);
  auto layout = nn::LayoutAttr::get(builder.getContext(), dims);
  return joinResults(
      nn::BroadcastOp::create(builder, loc,
                              nn::tensorOf(nn::elementTypeOf(x), layout), x),
      dim);
}

mlir::Value Resizer::count(int64_t results, int64_t rank, int64_t at,
                           int64_t kernel, int64_t dim) {
  llvm::SmallVector<nn::DimAttr> dims(rank, dimOf("", 1));
  dims[0] = dimOf("", results);
  dims[at] = dimOf("", kernel);
  auto layout = nn::LayoutAttr::get(builder.getContext(), dims);
  return nn::IotaOp::create(builder, loc,
                            nn::tensorOf(builder.getF32Type(), layout),
                            mlir::Value(), dim);
}

mlir::Value Resizer::hatOf(mlir::Value distance) {
  mlir::Value size = nn::UnaryOp::create(builder, loc, distance, "abs");
  return binary("maximum", binary("sub", number(1), size), number(0));
}

mlir::Value Resizer::slide(mlir::Value x, mlir::Value weight, int64_t dim,
                           int64_t stride, int64_t border) {
  int64_t spatial = nn::dimsOf(x).size() - 2;
  llvm::SmallVector<int64_t> ones(spatial, 1), strides(ones), pads(spatial, 0);
  strides[dim - 2] = stride;
  pads[dim - 2] = border;
  llvm::SmallVector<llvm::StringRef> borders(spatial, "zero");
  borders[dim - 2] = border ? "replicate" : "zero";
  return nn::ConvOp::create(builder, loc, x, weight, mlir::Value(), strides,
                            ones, pads, pads, builder.getStrArrayAttr(borders),
                            1);
}

mlir::Value Resizer::grow(mlir::Value x, int64_t dim, int64_t times) {
  int64_t rank = nn::dimsOf(x).size();
  mlir::Value tap = count(times, rank, dim, 3, dim);
  mlir::Value place =
      binary("mul", count(times, rank, dim, 3, 0), number(1.0 / double(times)));
  place = binary("add", place, number(0.5 + 0.5 / double(times)));
  return joinResults(slide(x, hatOf(binary("sub", tap, place)), dim,
                           /*stride=*/1, /*border=*/1),
                     dim);
}

mlir::Value Resizer::shrink(mlir::Value x, int64_t dim, int64_t times,
                            double middle) {
  int64_t kernel = int64_t(std::ceil(middle)) + 1;
  mlir::Value tap = count(1, nn::dimsOf(x).size(), dim, kernel, dim);
  return slide(x, hatOf(binary("sub", tap, number(middle))), dim, times,
               /*border=*/0);
}

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
    sizes.push_back(int64_t(std::floor(double(dim.getSize()) * *factor)));
    if (sizes.back() < 1) {
      error(item.range, "a scale of " + textOf(item.range) +
                            " leaves nothing "
                            "of a dim of " +
                            std::to_string(dim.getSize()));
      return false;
    }
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
  if (*corners) {
    error(arguments.get("align_corners")->range,
          *isLinear ? "not supported yet: 'interpolate' with aligned corners"
                    : "'align_corners' is for linear modes");
    return std::nullopt;
  }
  for (auto [from, to] : llvm::zip_equal(type.getShape().drop_front(2), sizes))
    if (from % to != 0 && to % from != 0) {
      error(callRange, "not supported yet: 'interpolate' of " +
                           std::to_string(from) + " positions to " +
                           std::to_string(to) +
                           ", neither of which is a multiple of the other");
      return std::nullopt;
    }
  Resizer resizer(builder, locationOf(callRange));
  mlir::Value y = resizer.flatten(x);
  for (auto [i, to] : llvm::enumerate(sizes)) {
    int64_t dim = i + 2, from = type.getDimSize(dim);
    if (to < from)
      y = resizer.shrink(y, dim, from / to,
                         *isLinear ? (from / to - 1) / 2.0 : 0);
    else if (to > from)
      y = *isLinear ? resizer.grow(y, dim, to / from)
                    : resizer.repeat(y, dim, to / from);
  }
  return Datum(resizer.unflatten(y, x));
}
