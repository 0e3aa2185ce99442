//===- FunctionsMask.cpp - the masks of attention, and products of them ---===//

#include "Functions.h"
#include "Kinds.h"
#include "PathMatch.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Values.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

Elaborator::MaybeDatum
Elaborator::paddingFunction(const CallArguments &arguments,
                            const Scope &scope) {
  mlir::Value keep = evaluateTensor(*arguments.get("keep"), scope);
  if (!keep)
    return std::nullopt;
  return Datum(Mask{false, keep});
}

Elaborator::MaybeDatum
Elaborator::documentsFunction(const CallArguments &arguments,
                              const Scope &scope) {
  Mask mask;
  mask.queryDocuments = evaluateTensor(*arguments.get("ids"), scope);
  const Expr *keys = arguments.get("keys");
  mask.keyDocuments = keys ? evaluateTensor(*keys, scope) : mask.queryDocuments;
  if (!mask.queryDocuments || !mask.keyDocuments)
    return std::nullopt;
  return Datum(mask);
}

Elaborator::MaybeDatum
Elaborator::windowFunction(const CallArguments &arguments, const Scope &scope) {
  Mask mask;
  auto before = evaluateInt(*arguments.get("before"), scope);
  const Expr *other = arguments.get("after");
  auto after = other ? evaluateInt(*other, scope) : before;
  if (!before || !after)
    return std::nullopt;
  if (*before < 0 || *after < 0) {
    error(arguments.call->range,
          "a window of " + std::to_string(*before) + " keys before and " +
              std::to_string(*after) + " after; expected at least 0");
    return std::nullopt;
  }
  mask.before = before;
  mask.after = after;
  return Datum(mask);
}

std::optional<Mask> Elaborator::maskOf(const CallArguments &arguments,
                                       const Scope &scope) {
  // A variant's mask takes the place of the one that the module states.
  const Expr *written = arguments.get("mask");
  const Scope *maskScope = &scope;
  Scope both(&scope);
  if (variant)
    for (size_t i = 0; i < variant->changes.size(); ++i) {
      const VariantDecl::Change &change = variant->changes[i];
      if (change.kind == VariantDecl::Change::Kind::Mask &&
          matchesPath(change.pattern, currentPath)) {
        ++variantHits[i];
        for (auto &entry : variantScope->names)
          both.names.insert(entry);
        written = change.value.get();
        maskScope = &both;
      }
    }
  if (!written)
    return Mask();
  MaybeDatum datum = evaluate(*written, *maskScope);
  if (!datum)
    return std::nullopt;
  return asMask(*datum, written->range);
}

std::optional<Mask> Elaborator::asMask(const Datum &datum, SourceRange range) {
  if (auto *given = datum.as<Mask>())
    return *given;
  if (datum.as<std::monostate>())
    return Mask();
  if (mlir::Value shown = datum.tensor()) {
    if (!mlir::getElementTypeOrSelf(shown).isInteger(1)) {
      error(range, "a mask that is a tensor is bool, but it is " +
                       nn::describe(shown.getType()))
          .note("compare it, as in mask = m != 0; what is added to scores is a "
                "bias: bias = m");
      return std::nullopt;
    }
    Mask mask;
    mask.shown = ofScores(shown, "mask", range);
    return mask.shown ? std::optional(mask) : std::nullopt;
  }
  error(range, std::string("expected a mask, found ") + datum.kindName())
      .note(
          "masks: none, causal, padding(keep), documents(ids), window(reach), "
          "a block layout such as bigbird(block), a bool tensor of [queries, "
          "keys], and products of them, or neighborhood(kernel)");
  return std::nullopt;
}

Elaborator::MaybeDatum Elaborator::maskProduct(const BinaryExpr &expr,
                                               const Mask &a, const Mask &b) {
  if (a.neighborhood || b.neighborhood) {
    error(expr.range, "a neighborhood mask combines with no other mask")
        .note("causality is an argument of it, one for all dims or one for "
              "each: neighborhood(kernel = 7, causal = (true, false))");
    return std::nullopt;
  }
  Mask product{a.causal || b.causal, a.keep ? a.keep : b.keep};
  auto narrower = [](std::optional<int64_t> x, std::optional<int64_t> y) {
    return x && y ? std::min(x, y) : x ? x : y;
  };
  if (a.layout && b.layout) {
    error(expr.range, "a mask has one block layout, not two")
        .note("a layout that is neither can be read from a file: "
              "layout(\"both.npy\", block = 16)");
    return std::nullopt;
  }
  if (a.keyDocuments && b.keyDocuments) {
    error(expr.range, "a mask has one numbering of documents, not two")
        .note("number what both tell apart, by a sum such as "
              "documents(first * 1000 + second)");
    return std::nullopt;
  }
  const Mask &numbered = a.keyDocuments ? a : b;
  product.queryDocuments = numbered.queryDocuments;
  product.keyDocuments = numbered.keyDocuments;
  product.layout = a.layout ? a.layout : b.layout;
  product.before = narrower(a.before, b.before);
  product.after = narrower(a.after, b.after);
  product.shown = a.shown ? a.shown : b.shown;
  for (mlir::Value Mask::*part : {&Mask::keep, &Mask::shown})
    if (a.*part && b.*part) {
      product.*part = emit<nn::BinaryOp>(expr.range, {a.*part, b.*part},
                                         kindOf(context, nn::BinaryKind::And));
      if (!(product.*part))
        return std::nullopt;
    }
  return Datum(product);
}
