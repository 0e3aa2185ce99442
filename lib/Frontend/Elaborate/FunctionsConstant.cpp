//===- FunctionsConstant.cpp - tensors that are written in the text -------===//
//
// Made of what there is: integers are looked up among those that an iota
// counts, floats among the different ones, which are made one by one. What this
// computes depends on no input, so that it is done when a program loads.
//
//===----------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Edges.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Values.h"
#include <cmath>

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// How many different floats a constant has, each of which is an operation;
/// how large its integers are, for a fill has a float64; and how far apart, for
/// one iota counts them.
static constexpr size_t kMaxDifferent = 512;
static constexpr int64_t kMaxInteger = int64_t(1) << 53;
static constexpr int64_t kMaxSpan = int64_t(1) << 24;

namespace {
/// Nested lists, row-major.
struct Written {
  enum class Kind { Unknown, Bool, Int, Float };
  Kind kind = Kind::Unknown;
  std::vector<int64_t> shape;
  std::vector<double> floats;
  std::vector<int64_t> integers; // and bools

  /// False where lists beside each other differ in length or depth, or an
  /// item is no number.
  bool add(const Datum &datum, size_t depth = 0) {
    auto *list = datum.as<std::shared_ptr<Tuple>>();
    if (!list)
      return depth == shape.size() && addNumber(datum);
    bool isFirst = depth == shape.size() && floats.empty();
    if (isFirst)
      shape.push_back((*list)->size());
    if (depth >= shape.size() || shape[depth] != int64_t((*list)->size()))
      return false;
    return llvm::all_of(
        **list, [&](const Datum &item) { return add(item, depth + 1); });
  }

private:
  bool addNumber(const Datum &datum) {
    auto *truth = datum.as<bool>();
    std::optional<double> number = truth ? double(*truth) : datum.number();
    Kind found = truth                         ? Kind::Bool
                 : datum.integer().has_value() ? Kind::Int
                                               : Kind::Float;
    if (!number || ((found == Kind::Bool) != (kind == Kind::Bool) &&
                    kind != Kind::Unknown))
      return false;
    kind = std::max(kind, found);
    floats.push_back(*number);
    integers.push_back(truth ? *truth : datum.integer().value_or(0));
    return true;
  }
};
} // namespace

/// x[indices] of a tensor of one dim.
mlir::Value Elaborator::lookUp(mlir::Value x, llvm::ArrayRef<int64_t> indices,
                               int64_t dim, SourceRange range) {
  auto places = llvm::to_vector(llvm::seq<int64_t>(0, indices.size()));
  return emit<nn::GatherOp>(
      range, x,
      {named("dim", builder.getI64IntegerAttr(dim)),
       named("indices", builder.getDenseI64ArrayAttr(indices)),
       named("owners", builder.getDenseI64ArrayAttr(places)),
       named("owner_extent", builder.getI64IntegerAttr(places.size()))});
}

mlir::Value Elaborator::fillOf(double value, int64_t count, mlir::Type element,
                               SourceRange range) {
  auto dim = nn::dimOf(context, "", count);
  auto type =
      nn::tensorOf(element, nn::LayoutAttr::get(context, {dim}, {}, {}));
  return emitAs<nn::FillOp>(range, type, {},
                            named("value", builder.getF64FloatAttr(value)));
}

/// One dim of the integers: counted from the least, and looked up unless they
/// are in that order.
mlir::Value Elaborator::integersOf(llvm::ArrayRef<int64_t> values,
                                   SourceRange range) {
  int64_t least = *llvm::min_element(values), most = *llvm::max_element(values);
  if (least < -kMaxInteger || most > kMaxInteger) {
    error(range, "a constant of the integer " +
                     std::to_string(least < -kMaxInteger ? least : most) +
                     "; expected " + std::to_string(-kMaxInteger) + " to " +
                     std::to_string(kMaxInteger))
        .note("a Buffer is read from the file of weights: Buffer(i64[...])");
    return {};
  }
  int64_t span = most - least;
  mlir::Type element = builder.getI64Type();
  if (span == 0)
    return fillOf(least, values.size(), element, range);
  if (span >= kMaxSpan) {
    error(range, "a constant of integers that are " + std::to_string(span) +
                     " apart; expected less than " + std::to_string(kMaxSpan));
    return {};
  }
  auto dim = nn::dimOf(context, "", span + 1);
  mlir::Value all = emitAs<nn::IotaOp>(
      range, nn::tensorOf(element, nn::LayoutAttr::get(context, {dim}, {}, {})),
      {}, named("dim", builder.getI64IntegerAttr(0)));
  if (least != 0) {
    MaybeDatum moved =
        binaryOp(nn::BinaryKind::Add, Datum(all), Datum(least), range);
    all = moved ? moved->tensor() : mlir::Value();
  }
  llvm::SmallVector<int64_t> indices;
  for (int64_t value : values)
    indices.push_back(value - least);
  bool isCounted = llvm::equal(indices, llvm::seq<int64_t>(0, span + 1));
  return !all || isCounted ? all : lookUp(all, indices, 0, range);
}

/// One dim of the floats, of which equal ones are made once.
mlir::Value Elaborator::floatsOf(llvm::ArrayRef<double> values,
                                 mlir::Type element, SourceRange range) {
  std::vector<double> different;
  llvm::SmallVector<int64_t> indices;
  for (double value : values) {
    auto known = llvm::find_if(different, [&](double other) {
      return other == value && std::signbit(other) == std::signbit(value);
    });
    indices.push_back(known - different.begin());
    if (known == different.end())
      different.push_back(value);
    if (different.size() <= kMaxDifferent)
      continue;
    error(range, "a constant of more than " + std::to_string(kMaxDifferent) +
                     " different floats")
        .note("a Buffer is read from the file of weights: Buffer(f32[...])");
    return {};
  }
  if (different.size() == 1)
    return fillOf(different[0], values.size(), element, range);
  llvm::SmallVector<mlir::Value> parts;
  for (double value : different)
    parts.push_back(fillOf(value, 1, element, range));
  mlir::Value all = emit<nn::ConcatOp>(
      range, parts, named("dim", builder.getI64IntegerAttr(0)));
  bool isInOrder = different.size() == values.size();
  return !all || isInOrder ? all : lookUp(all, indices, 0, range);
}

/// The dims of a constant: those that are given, or sizes alone.
std::optional<llvm::SmallVector<nn::DimAttr>>
Elaborator::constantDims(const CallArguments &arguments,
                         llvm::ArrayRef<int64_t> shape, const Scope &scope) {
  llvm::SmallVector<nn::DimAttr> dims;
  const Expr *given = arguments.get("dims");
  if (!given) {
    for (int64_t size : shape)
      dims.push_back(nn::dimOf(context, "", size));
    return dims;
  }
  llvm::SmallVector<int64_t> sizes;
  for (const Expr *item : itemsOf(*given)) {
    auto dim = evaluateDim(*item, scope);
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
    sizes.push_back(dim->getSize());
  }
  if (llvm::equal(sizes, shape))
    return dims;
  auto textOf = [](llvm::ArrayRef<int64_t> numbers) {
    std::vector<std::string> words;
    for (int64_t number : numbers)
      words.push_back(std::to_string(number));
    return "[" + llvm::join(words, ", ") + "]";
  };
  error(given->range, "the lists of this constant are " + textOf(shape) +
                          ", its dims " + textOf(sizes));
  return std::nullopt;
}

Elaborator::MaybeDatum
Elaborator::constantFunction(const CallArguments &arguments,
                             const Scope &scope) {
  SourceRange range = arguments.call->range;
  const Expr &given = *arguments.get("values");
  MaybeDatum values = evaluate(given, scope);
  if (!values)
    return std::nullopt;
  Written written;
  if (!written.add(*values) || written.floats.empty() ||
      written.shape.empty()) {
    error(given.range,
          "'constant' takes lists of numbers or bools, of one length at each "
          "depth: constant([[1, 2], [3, 4]])");
    return std::nullopt;
  }
  auto dims = constantDims(arguments, written.shape, scope);
  if (!dims)
    return std::nullopt;
  mlir::Value flat = written.kind == Written::Kind::Float
                         ? floatsOf(written.floats, builder.getF32Type(), range)
                         : integersOf(written.integers, range);
  if (!flat)
    return std::nullopt;
  if (written.kind == Written::Kind::Bool)
    flat = emitAs<nn::CastOp>(
        range, nn::tensorOf(builder.getI1Type(), nn::layoutOf(flat)), flat);
  return Datum(emitReshape(flat, *dims, range));
}

/// A tensor of one dim as one of these.
mlir::Value Elaborator::emitReshape(mlir::Value flat,
                                    llvm::ArrayRef<nn::DimAttr> dims,
                                    SourceRange range) {
  llvm::SmallVector<nn::FactorAttr> factors;
  for (nn::DimAttr dim : dims)
    llvm::append_range(factors, dim.getFactors());
  return emitRearrange(flat, nn::DimAttr::get(context, factors),
                       factorOrder(dims), dims, range);
}
