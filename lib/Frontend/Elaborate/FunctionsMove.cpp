//===- FunctionsMove.cpp - broadcast, chunk, roll, flip and take ----------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Shape.h"
#include "dialects/Nn/Windows.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// Of a list in the program that says where elements come from.
static constexpr int64_t kMostPlaces = int64_t(1) << 24;

//===-- broadcast ---------------------------------------------------------===//

Elaborator::MaybeDatum
Elaborator::broadcastFunction(const CallArguments &arguments,
                              const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  const Expr *given = arguments.get("dims"), *like = arguments.get("like");
  llvm::SmallVector<nn::DimAttr> dims;
  if (!given == !like) {
    error(range, "'broadcast' needs 'dims' or 'like'")
        .note("broadcast(x, (batch, 1, hidden)), or broadcast(x, like = y)");
    return std::nullopt;
  }
  if (like) {
    mlir::Value pattern = evaluateTensor(*like, scope);
    if (!pattern)
      return std::nullopt;
    dims.assign(nn::layoutOf(pattern).getDims().begin(),
                nn::layoutOf(pattern).getDims().end());
  } else {
    for (const Expr *item : itemsOf(*given)) {
      auto dim = evaluateDim(*item, scope);
      if (!dim)
        return std::nullopt;
      dims.push_back(*dim);
    }
  }
  auto from = nn::layoutOf(x).getDims();
  bool fits = from.size() <= dims.size();
  size_t added = fits ? dims.size() - from.size() : 0;
  for (size_t i = 0; fits && i < from.size(); ++i) {
    nn::DimAttr &to = dims[added + i];
    fits = from[i].getSize() == 1 || from[i].getSize() == to.getSize();
    if (from[i].getSize() == to.getSize()) // it keeps its factors
      to = from[i];
  }
  auto type = nn::tensorOf(nn::tensorType(x).getElementType(),
                           nn::LayoutAttr::get(context, dims, {}, {}));
  if (!fits) {
    error(range, "x is " + nn::describe(x.getType()) +
                     ", and does not broadcast to " + nn::describe(type))
        .note("each of its dims, counted from the last, is 1 or of the size "
              "there");
    return std::nullopt;
  }
  if (!isCountable(*this, type, range))
    return std::nullopt;
  return wrap(emitAs<nn::BroadcastOp>(range, type, x));
}

//===-- chunk and roll ----------------------------------------------------===//

/// Parts as PyTorch cuts them: of one size, the last one of what is left.
Elaborator::MaybeDatum Elaborator::chunkFunction(const CallArguments &arguments,
                                                 const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto parts = evaluateInt(*arguments.get("parts"), scope);
  auto dim = x ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!parts || !dim)
    return std::nullopt;
  if (*parts < 1) {
    error(range,
          "'chunk' makes 1 part or more, found " + std::to_string(*parts));
    return std::nullopt;
  }
  int64_t extent = nn::layoutOf(x).getDims()[*dim].getSize();
  int64_t size = (extent - 1) / *parts + 1;
  auto tuple = std::make_shared<Tuple>();
  for (int64_t start = 0; start < extent; start += size) {
    if (!countExpansion(range))
      return std::nullopt;
    mlir::Value part =
        emitSlice(x, *dim, start, std::min(size, extent - start), range);
    if (!part)
      return std::nullopt;
    tuple->push_back(Datum(part));
  }
  return Datum(tuple);
}

/// A border of the other end, and as much taken away there: so it moves along a
/// dim that is split as windows do, under a halo.
Elaborator::MaybeDatum Elaborator::rollFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dims = x ? selectDims(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dims)
    return std::nullopt;
  std::vector<const Expr *> shifts = itemsOf(*arguments.get("shift"));
  if (shifts.size() != dims->size()) {
    error(range, "'roll' takes a shift for each axis, found " +
                     std::to_string(shifts.size()) + " for " +
                     std::to_string(dims->size()));
    return std::nullopt;
  }
  llvm::SmallVector<nn::DimAttr> given(nn::layoutOf(x).getDims());
  llvm::SmallVector<int64_t> lows(given.size(), 0), highs(lows);
  llvm::SmallVector<nn::Border> borders(given.size(), nn::Border::Zero);
  for (auto [dim, written] : llvm::zip(*dims, shifts)) {
    auto shift = evaluateInt(*written, scope);
    if (!shift)
      return std::nullopt;
    int64_t extent = given[dim].getSize();
    int64_t moved = ((*shift % extent) + extent) % extent;
    bool isForward = 2 * moved <= extent;
    lows[dim] = isForward ? moved : 0;
    highs[dim] = isForward ? 0 : extent - moved;
    borders[dim] = nn::Border::Circular;
  }
  x = emit<nn::PadOp>(
      range, joinFactors(x, *dims, range),
      {named("lows", builder.getDenseI64ArrayAttr(lows)),
       named("highs", builder.getDenseI64ArrayAttr(highs)),
       named("borders", nn::BordersAttr::get(context, borders))});
  for (size_t dim = 0; dim < given.size() && x; ++dim)
    if (lows[dim] + highs[dim] > 0)
      x = emitSlice(x, dim, highs[dim], given[dim].getSize(), range);
  return wrap(x ? emitRenamed(x, given, range) : x);
}

/// The same under the names of `dims`, where their factors are of its sizes.
mlir::Value Elaborator::emitRenamed(mlir::Value x,
                                    llvm::ArrayRef<nn::DimAttr> dims,
                                    SourceRange range) {
  if (nn::layoutOf(x).getDims() == dims)
    return x;
  return emitRearrange(x, dims, factorOrder(dims), dims, range);
}

//===-- flip and take -----------------------------------------------------===//

Elaborator::MaybeDatum Elaborator::flipFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  auto dims = x ? selectDims(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dims)
    return std::nullopt;
  x = joinFactors(x, *dims, range);
  for (int64_t dim : *dims) {
    llvm::SmallVector<nn::DimAttr> named(nn::layoutOf(x).getDims());
    if (named[dim].getSize() > kMostPlaces) {
      error(range, "'flip' lists the places of a dim of at most " +
                       std::to_string(kMostPlaces) + ", found " +
                       std::to_string(named[dim].getSize()));
      return std::nullopt;
    }
    llvm::SmallVector<int64_t> indices;
    for (int64_t i = named[dim].getSize(); i-- > 0;)
      indices.push_back(i);
    x = lookUp(x, indices, dim, range);
    x = x ? emitRenamed(x, named, range) : x;
    if (!x)
      return std::nullopt;
  }
  return Datum(x);
}

/// Places that are known when compiling; a negative one counts from the end.
std::optional<llvm::SmallVector<int64_t>>
Elaborator::readPlaces(const Tuple &list, int64_t extent, SourceRange range) {
  llvm::SmallVector<int64_t> places;
  for (const Datum &item : list) {
    auto place = item.integer();
    if (!place || *place < -extent || *place >= extent) {
      error(range, place ? "place " + std::to_string(*place) +
                               " is outside of a dim of size " +
                               std::to_string(extent)
                         : std::string("expected a list of ints, found ") +
                               item.kindName() + " in it");
      return std::nullopt;
    }
    places.push_back(*place < 0 ? *place + extent : *place);
  }
  if (!places.empty())
    return places;
  error(range, "a list of places has at least one");
  return std::nullopt;
}

/// The dim becomes those of `ids`: a list, or a tensor of integers.
Elaborator::MaybeDatum Elaborator::takeFunction(const CallArguments &arguments,
                                                const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  MaybeDatum ids = x ? evaluate(*arguments.get("ids"), scope) : std::nullopt;
  auto dim = ids ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dim)
    return std::nullopt;
  x = joinFactors(x, {*dim}, range);
  if (auto *list = ids->as<std::shared_ptr<Tuple>>()) {
    llvm::SmallVector<nn::DimAttr> dims(nn::layoutOf(x).getDims());
    auto places =
        readPlaces(**list, dims[*dim].getSize(), arguments.get("ids")->range);
    mlir::Value taken =
        places ? lookUp(x, *places, *dim, range) : mlir::Value();
    if (!taken)
      return std::nullopt;
    dims[*dim] =
        nn::dimOf(context, dims[*dim].getDisplayName(), places->size());
    return wrap(emitRenamed(taken, dims, range));
  }
  if (mlir::Value tensor = ids->tensor())
    return wrap(takeRows(x, tensor, *dim, range));
  error(arguments.get("ids")->range,
        std::string("'take' takes a list of ints or a tensor of them, found ") +
            ids->kindName());
  return std::nullopt;
}

/// Rows of a table, as those of an embedding: the dim is moved to the front,
/// all others are one row, and the dims of the ids take its place.
mlir::Value Elaborator::takeRows(mlir::Value x, mlir::Value ids, int64_t dim,
                                 SourceRange range) {
  llvm::SmallVector<nn::DimAttr> dims(nn::layoutOf(x).getDims());
  auto order = factorOrder(dims);
  llvm::SmallVector<nn::FactorAttr> rest;
  llvm::SmallVector<int64_t> restOrder;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (int64_t(i) == dim)
      continue;
    llvm::append_range(rest, dims[i].getFactors());
    llvm::append_range(restOrder, order[i]);
  }
  if (rest.empty())
    rest.push_back(nn::dimOf(context, "", 1).getFactors()[0]);
  nn::DimAttr row = nn::DimAttr::get(context, rest);
  mlir::Value table =
      emitRearrange(x, dims, {order[dim], restOrder}, {dims[dim], row}, range);
  mlir::Value taken = emit<nn::EmbeddingOp>(range, {table, ids});
  if (!taken)
    return taken;
  llvm::SmallVector<nn::DimAttr> source(nn::layoutOf(ids).getDims());
  size_t count = source.size();
  source.push_back(row);
  auto flat = factorOrder(source);
  llvm::SmallVector<nn::DimAttr> result;
  llvm::SmallVector<llvm::SmallVector<int64_t>> places;
  int64_t next = flat.back().front();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (int64_t(i) == dim) {
      result.append(source.begin(), source.begin() + count);
      places.append(flat.begin(), flat.begin() + count);
      continue;
    }
    result.push_back(dims[i]);
    places.emplace_back();
    for (size_t k = 0; k < dims[i].getFactors().size(); ++k)
      places.back().push_back(next++);
  }
  return emitRearrange(taken, source, places, result, range);
}
