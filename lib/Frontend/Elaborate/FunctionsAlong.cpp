//===- FunctionsAlong.cpp - take_along ------------------------------------===//
//
// Elements at places that differ from row to row, of other operations: so their
// placements, derivatives and kernels are those of a choice and a sum.
//
//===----------------------------------------------------------------------===//

#include "FactorOrder.h"
#include "Functions.h"
#include "Kinds.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "dialects/Nn/Products.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr int64_t kNone = -1;

/// Dim i of the result is dim `from[i]` of x, or 1 where that is kNone; dims of
/// 1 may be left out.
mlir::Value Elaborator::emitPlaced(mlir::Value x, llvm::ArrayRef<int64_t> from,
                                   SourceRange range) {
  llvm::SmallVector<nn::DimAttr> dims(nn::layoutOf(x).getDims()), result;
  auto order = factorOrder(dims);
  llvm::SmallVector<llvm::SmallVector<int64_t>> places;
  for (int64_t dim : from) {
    bool isNew = dim == kNone;
    result.push_back(isNew ? nn::dimOf(context, "", 1) : dims[dim]);
    places.push_back(isNew ? llvm::SmallVector<int64_t>() : order[dim]);
  }
  return emitRearrange(x, dims, places, result, range);
}

/// The ids as they are and a dim of 1, looked up among 0, 1, ...: one that is
/// no place there is an error at run time, as that of an embedding.
mlir::Value Elaborator::checkedIds(mlir::Value ids, int64_t extent,
                                   SourceRange range) {
  llvm::SmallVector<nn::DimAttr> dims = {nn::dimOf(context, "", extent),
                                         nn::dimOf(context, "", 1)};
  auto type = nn::tensorOf(builder.getI32Type(),
                           nn::LayoutAttr::get(context, dims, {}, {}));
  mlir::Value places =
      emitAs<nn::IotaOp>(range, type, mlir::ValueRange(),
                         named("dim", builder.getI64IntegerAttr(0)));
  return emit<nn::EmbeddingOp>(range, {places, ids});
}

/// Whether ids have the dims of x, or 1, up to some dim at or behind `dim`,
/// which is of any size there.
bool Elaborator::areAlong(mlir::Value x, mlir::Value ids, int64_t dim,
                          SourceRange range) {
  auto shape = nn::layoutOf(x).getShape(), own = nn::layoutOf(ids).getShape();
  mlir::Type element = nn::tensorType(ids).getElementType();
  bool fits = !nn::tensorType(x).getElementType().isInteger(1) &&
              element.isInteger() && !element.isInteger(1) &&
              int64_t(own.size()) >= dim && own.size() <= shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i)
    fits = int64_t(i) == dim || own[i] == 1 || own[i] == shape[i];
  if (fits)
    return true;
  error(range, "'take_along' along dim " + std::to_string(dim) + " of " +
                   nn::describe(x.getType()) + " does not take ids that are " +
                   nn::describe(ids.getType()))
      .note(
          "x has numbers, ids are integers, and each of their dims is 1 or as "
          "that of x, except the one along which elements are taken; dims from "
          "there on may be left out");
  return false;
}

/// A sum over dim `dim` of x where its place is the id, and of zeros elsewhere:
/// x[batch, n, 1, hidden] and ids [batch, 1, m, 1] give [batch, m, hidden].
mlir::Value Elaborator::pickPlaces(mlir::Value x, mlir::Value ids, int64_t dim,
                                   SourceRange range) {
  int64_t given = nn::layoutOf(ids).getDims().size();
  auto own =
      llvm::to_vector(llvm::seq<int64_t>(nn::layoutOf(x).getDims().size()));
  auto wanted = llvm::to_vector(llvm::seq<int64_t>(given));
  wanted.insert(wanted.begin() + dim, kNone);
  if (given > dim) // the result has a dim in place of the axis
    own.insert(own.begin() + dim + 1, kNone);
  wanted.resize(own.size(), kNone);
  int64_t extent = nn::layoutOf(x).getDims()[dim].getSize();
  mlir::Value checked = checkedIds(ids, extent, range);
  if (!checked)
    return checked;
  x = emitPlaced(x, own, range);
  mlir::Value places = placesAlong(x, dim, range);
  mlir::Value isThere = callBinary(nn::BinaryKind::Eq, places,
                                   emitPlaced(checked, wanted, range));
  mlir::Value zero = callNumber(0, nn::tensorType(x).getElementType());
  mlir::Value kept = emit<nn::WhereOp>(range, {isThere, x, zero});
  return kept ? lossReduce(nn::ReduceKind::Sum, kept, {dim}) : kept;
}

Elaborator::MaybeDatum
Elaborator::takeAlongFunction(const CallArguments &arguments,
                              const Scope &scope) {
  SourceRange range = arguments.call->range;
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  mlir::Value ids =
      x ? evaluateTensor(*arguments.get("ids"), scope) : mlir::Value();
  auto dim = ids ? selectDim(*arguments.get("axis"), x, scope) : std::nullopt;
  if (!dim || !areAlong(x, ids, *dim, arguments.get("ids")->range))
    return std::nullopt;
  callRange = range;
  return wrap(pickPlaces(joinFactors(x, {*dim}, range), ids, *dim, range));
}
