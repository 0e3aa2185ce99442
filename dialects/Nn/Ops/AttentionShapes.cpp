//===- AttentionShapes.cpp - the shapes that attention takes --------------===//

#include "dialects/Nn/Ops/AttentionRule.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

static LogicalResult checkRanks(std::optional<Location> location, Value q,
                                Value k, Value v, const MaskData &mask) {
  const char *names[] = {"q", "k", "v"};
  Value values[] = {q, k, v};
  for (auto [name, value] : llvm::zip_equal(names, values))
    if (dimsOf(value).size() != 4)
      return emitOptionalError(
          location, "attention takes ", name,
          " of 4 dims (batch, heads, positions, head dim), but it is ",
          describe(value.getType()));
  if (mask.keep &&
      (dimsOf(mask.keep).size() != 2 || !elementTypeOf(mask.keep).isInteger(1)))
    return emitOptionalError(
        location,
        "attention takes keep of 2 dims (batch, keys) of bool, but it is ",
        describe(mask.keep.getType()));
  return success();
}

/// (C10).
static LogicalResult checkDocuments(std::optional<Location> location,
                                    const MaskData &mask) {
  if (!mask.queryDocuments != !mask.keyDocuments)
    return emitOptionalError(location,
                             "attention takes the documents of queries and of "
                             "keys, both or none");
  std::pair<StringRef, Value> sides[] = {{"queries", mask.queryDocuments},
                                         {"keys", mask.keyDocuments}};
  for (auto [name, value] : sides) {
    if (!value)
      continue;
    Type element = elementTypeOf(value);
    if (dimsOf(value).size() != 2 ||
        !(element.isInteger(32) || element.isInteger(64)))
      return emitOptionalError(location, "attention takes documents of ", name,
                               " of 2 dims (batch, ", name,
                               ") of i32 or i64, but they are ",
                               describe(value.getType()));
  }
  Value queries = mask.queryDocuments, keys = mask.keyDocuments;
  if (queries && elementTypeOf(queries) != elementTypeOf(keys))
    return emitOptionalError(location,
                             "attention takes documents of queries and keys of "
                             "one element type, but got ",
                             describe(queries.getType()), " and ",
                             describe(keys.getType()));
  return success();
}

/// (C2) for one dim that two operands share.
static LogicalResult checkSame(std::optional<Location> location, StringRef what,
                               std::pair<StringRef, Value> a, int64_t aDim,
                               std::pair<StringRef, Value> b, int64_t bDim) {
  int64_t left = dimsOf(a.second)[aDim].getSize();
  int64_t right = dimsOf(b.second)[bDim].getSize();
  if (left == right)
    return success();
  return emitOptionalError(location, "attention takes ", a.first, " and ",
                           b.first, " with the same ", what, ", but ", a.first,
                           " has ", left, " and ", b.first, " ", right);
}

static LogicalResult checkMaskSizes(std::optional<Location> location, Value q,
                                    Value k, const MaskData &mask) {
  auto check = [&](StringRef name, Value value, StringRef what,
                   std::pair<StringRef, Value> counted) {
    return success(!value || (succeeded(checkSame(location, "batch", {"q", q},
                                                  0, {name, value}, 0)) &&
                              succeeded(checkSame(location, what, counted, 2,
                                                  {name, value}, 1))));
  };
  return success(
      succeeded(check("keep", mask.keep, "number of keys", {"k", k})) &&
      succeeded(check("documents of queries", mask.queryDocuments,
                      "number of queries", {"q", q})) &&
      succeeded(check("documents of keys", mask.keyDocuments, "number of keys",
                      {"k", k})));
}

LogicalResult nn::checkBias(std::optional<Location> location, Value q,
                            Value bias, int64_t keys) {
  if (!bias)
    return success();
  if (dimsOf(bias).size() != 4)
    return emitOptionalError(location,
                             "attention takes a bias of 4 dims (batch, heads, "
                             "queries, keys), but it is ",
                             describe(bias.getType()));
  bool isWide = elementTypeOf(bias).isF32() &&
                elementTypeOf(q).getIntOrFloatBitWidth() == 16;
  if (elementTypeOf(bias) != elementTypeOf(q) && !isWide)
    return emitOptionalError(
        location,
        "attention takes q and its bias of one element type, but got ",
        describe(q.getType()), " and ", describe(bias.getType()));
  const char *names[] = {"batch", "heads", "number of queries"};
  for (auto [dim, name] : llvm::enumerate(names))
    if (dimsOf(bias)[dim].getSize() != 1 &&
        failed(
            checkSame(location, name, {"q", q}, dim, {"its bias", bias}, dim)))
      return failure();
  int64_t held = dimsOf(bias)[3].getSize();
  if (held == keys)
    return success();
  return emitOptionalError(location, "attention takes a bias for each of ",
                           keys, " keys, but it has ", held);
}

LogicalResult nn::verifyBiasGradient(Operation *op, Value bias, Value dbias) {
  if (!dbias || (bias && haveSameShapes(bias.getType(), dbias.getType())))
    return success();
  if (!bias)
    return op->emitOpError(
        "gives the gradient of a bias that it does not have");
  return op->emitOpError() << "gives a gradient of its bias that is "
                           << describe(dbias.getType()) << ", but the bias is "
                           << describe(bias.getType());
}

FailureOr<Type> nn::attentionResult(std::optional<Location> location, Value q,
                                    Value k, Value v, const MaskData &mask,
                                    const AttentionWindow &window) {
  auto fail = [&](const auto &...parts) -> FailureOr<Type> {
    return emitOptionalError(location, parts...);
  };
  if (failed(checkRanks(location, q, k, v, mask)) || // (C1)
      failed(checkDocuments(location, mask)))
    return failure();
  if (failed(checkSame(location, "batch", {"q", q}, 0, {"k", k}, 0)) || // (C2)
      failed(checkSame(location, "batch", {"k", k}, 0, {"v", v}, 0)) ||
      failed(checkSame(location, "heads", {"k", k}, 1, {"v", v}, 1)) ||
      failed(checkSame(location, "number of keys", {"k", k}, 2, {"v", v}, 2)) ||
      failed(checkSame(location, "head dim", {"q", q}, 3, {"k", k}, 3)))
    return failure();
  if (failed(checkMaskSizes(location, q, k, mask)))
    return failure();
  for (Value other : {k, v}) // (C4)
    if (elementTypeOf(other) != elementTypeOf(q))
      return fail("attention takes q, k and v of one element type, but got ",
                  describe(q.getType()), " and ", describe(other.getType()));
  if (int64_t(window.before.value_or(0)) < 0 ||
      int64_t(window.after.value_or(0)) < 0) // (C6)
    return fail("attention takes a window of at least 0 keys before and after");
  SmallVector<DimAttr> dims(dimsOf(q).drop_back());
  dims.push_back(dimsOf(v).back());
  return Type(
      tensorOf(elementTypeOf(q), LayoutAttr::get(q.getContext(), dims)));
}
