//===- Dims.cpp - dims, tensor types, selecting dims by name --------------===//

#include "Elaborator.h"
#include "FactorOrder.h"
#include "dialects/Nn/Values.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

/// What shapes may be: bytes of all tensors of a model can still be added up.
static constexpr size_t kMaxDims = 32;
static constexpr int64_t kMaxElements = int64_t(1) << 48;

static std::string nameOf(const Expr &expr) {
  auto *word = dynAs<NameExpr>(&expr);
  return word ? word->name : std::string();
}

std::optional<nn::DimAttr> Elaborator::evaluateDim(const Expr &expr,
                                                   const Scope &scope) {
  auto *tuple = dynAs<TupleExpr>(&expr);
  if (!tuple) {
    MaybeDatum datum = evaluate(expr, scope);
    if (!datum)
      return std::nullopt;
    if (auto *dim = datum->as<nn::DimAttr>())
      return *dim;
    auto size = datum->integer();
    if (!size || *size < 1) {
      error(expr.range,
            !size ? std::string("expected a dim, found ") + datum->kindName()
            : *size < 0
                ? "a dim of size " + std::to_string(*size) + " is negative"
                : "a dim of size 0 holds nothing; give 1 or more");
      return std::nullopt;
    }
    return nn::dimOf(context, nameOf(expr), *size);
  }
  if (tuple->items.empty()) {
    error(expr.range, "a dim has no factor; a dim of size 1 is 1");
    return std::nullopt;
  }
  llvm::SmallVector<nn::FactorAttr> factors;
  for (const Argument &item : tuple->items) {
    auto dim = evaluateDim(*item.value, scope);
    if (!dim)
      return std::nullopt;
    if (item.name)
      factors.push_back(nn::FactorAttr::get(
          context, builder.getStringAttr(item.name->text), dim->getSize()));
    else
      factors.append(dim->getFactors().begin(), dim->getFactors().end());
  }
  return nn::DimAttr::get(context, factors);
}

/// The declared factors when they refine or equal the actual ones; the actual
/// ones when those are finer (they say more).
static std::optional<nn::DimAttr> meetFactors(mlir::MLIRContext *context,
                                              nn::DimAttr declared,
                                              nn::DimAttr actual) {
  auto refined = nn::refineFactors(declared.getFactors(), actual.getFactors());
  if (mlir::failed(refined))
    return std::nullopt;
  if (refined->size() == declared.getFactors().size())
    return declared;
  return nn::DimAttr::get(context, *refined);
}

std::optional<nn::DimAttr>
Elaborator::bindDim(const Expr &expr, nn::DimAttr actual, Scope &scope) {
  std::string name = nameOf(expr);
  if (!name.empty() && !scope.find(name)) {
    bool single = actual.getFactors().size() <= 1;
    scope.names[name] = single ? Datum(actual.getSize()) : Datum(actual);
    return single ? nn::dimOf(context, name, actual.getSize()) : actual;
  }
  auto *tuple = dynAs<TupleExpr>(&expr);
  if (tuple && tuple->items.size() == actual.getFactors().size())
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      std::string item = nameOf(*tuple->items[i].value);
      if (!item.empty() && !tuple->items[i].name && !scope.find(item))
        scope.names[item] = Datum(actual.getFactors()[i].getSize());
    }
  auto declared = evaluateDim(expr, scope);
  if (!declared)
    return std::nullopt;
  if (declared->getSize() != actual.getSize()) {
    error(expr.range, "this dim is declared with size " +
                          std::to_string(declared->getSize()) +
                          ", the tensor has " +
                          std::to_string(actual.getSize()));
    return std::nullopt;
  }
  auto met = meetFactors(context, *declared, actual);
  if (!met)
    error(expr.range, "the factors of this dim don't fit those of the tensor");
  return met;
}

mlir::Type Elaborator::elementType(const Name &name) {
  mlir::Type type = llvm::StringSwitch<mlir::Type>(name.text)
                        .Case("f32", builder.getF32Type())
                        .Case("f64", builder.getF64Type())
                        .Case("f16", builder.getF16Type())
                        .Case("bf16", builder.getBF16Type())
                        .Case("i32", builder.getI32Type())
                        .Case("i64", builder.getI64Type())
                        .Case("bool", builder.getI1Type())
                        .Default({});
  if (!type)
    error(name.range, "'" + name.text + "' is not an element type")
        .note("element types: f32, f64, f16, bf16, i32, i64, bool");
  return type;
}

mlir::RankedTensorType Elaborator::evaluateType(const TensorType &type,
                                                const Scope &scope) {
  mlir::Type element = elementType(type.element);
  llvm::SmallVector<nn::DimAttr> dims;
  if (type.dims.size() > kMaxDims) {
    error(type.element.range,
          "a tensor of " + std::to_string(type.dims.size()) +
              " dims; expected at most " + std::to_string(kMaxDims));
    return {};
  }
  for (const ExprPtr &expr : type.dims) {
    auto dim = evaluateDim(*expr, scope);
    if (!dim)
      return {};
    dims.push_back(*dim);
  }
  if (!element)
    return {};
  auto tensor =
      nn::tensorOf(element, nn::LayoutAttr::get(context, dims, {}, {}));
  return isCountable(*this, tensor, type.range) ? tensor
                                                : mlir::RankedTensorType();
}

bool frontend::isCountable(Elaborator &elaborator, mlir::Type type,
                           SourceRange range) {
  nn::LayoutAttr layout = nn::layoutOf(type);
  int64_t room = kMaxElements;
  for (nn::DimAttr dim : layout.getDims())
    for (nn::FactorAttr factor : dim.getFactors()) {
      if (factor.getSize() == 0)
        return true;
      room /= factor.getSize();
    }
  if (room > 0)
    return true;
  elaborator
      .error(range, "a tensor of more than " + std::to_string(kMaxElements) +
                        " elements: " + nn::describe(type))
      .note("make its dims smaller");
  return false;
}

mlir::Value Elaborator::bindTensor(mlir::Value value,
                                   const TensorType *declared,
                                   const std::string &path, nn::ValueRole role,
                                   Scope &scope, SourceRange use,
                                   const std::string &what) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  if (!declared)
    return emitValue(value, path, role, type, use);
  nn::LayoutAttr layout = nn::layoutOf(type);
  if (declared->dims.size() != layout.getDims().size()) {
    error(use, what + " is declared with " +
                   std::to_string(declared->dims.size()) + " dims, found " +
                   nn::describe(type))
        .note(declared->range, "declared here");
    return {};
  }
  mlir::Type element = elementType(declared->element);
  if (!element || element != type.getElementType()) {
    if (element)
      error(use, what + " is declared as " + declared->element.text +
                     ", found " + nn::describe(type))
          .note(declared->range, "declared here");
    return {};
  }
  llvm::SmallVector<nn::DimAttr> dims;
  bool refines = false;
  for (size_t i = 0; i < declared->dims.size(); ++i) {
    size_t before = diagnostics.getNumErrors();
    auto dim = bindDim(*declared->dims[i], layout.getDims()[i], scope);
    if (!dim) {
      if (diagnostics.getNumErrors() > before)
        const_cast<syntax::Diagnostic &>(diagnostics.getDiagnostics().back())
            .note(use, what + " is " + nn::describe(type) + " here");
      return {};
    }
    refines |=
        dim->getFactors().size() != layout.getDims()[i].getFactors().size();
    dims.push_back(*dim);
  }
  if (refines)
    value = emitRearrange(value, dims, factorOrder(dims), dims, use);
  if (!value)
    return {};
  auto bound =
      nn::tensorOf(element, nn::LayoutAttr::get(context, dims, {}, {}));
  return emitValue(value, path, role, bound, use);
}

std::optional<int64_t> Elaborator::selectDim(const Expr &expr,
                                             mlir::Value tensor,
                                             const Scope &scope) {
  auto dims = nn::layoutOf(tensor).getDims();
  std::string name = nameOf(expr);
  if (!name.empty()) {
    std::optional<int64_t> found;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].getDisplayName() != name)
        continue;
      if (found) {
        error(expr.range, "'" + name + "' names more than one dim of " +
                              nn::describe(tensor.getType()) +
                              "; use a position");
        return std::nullopt;
      }
      found = i;
    }
    if (found)
      return found;
    // A product dim passed as a `dim` is named by its parameter.
    if (const Datum *datum = scope.find(name))
      if (auto *dim = datum->as<nn::DimAttr>())
        for (size_t i = 0; i < dims.size(); ++i)
          if (dims[i] == *dim)
            return i;
    std::vector<std::string> names, listed;
    for (size_t i = 0; i < dims.size(); ++i) {
      names.push_back(dims[i].getDisplayName());
      listed.push_back((names[i].empty() ? std::to_string(i) : names[i]) +
                       " (" + std::to_string(dims[i].getSize()) + ")");
    }
    error(expr.range,
          "no dim '" + name + "' in " + nn::describe(tensor.getType()))
        .note("its dims: " + llvm::join(listed, ", "))
        .suggest(name, names);
    return std::nullopt;
  }
  auto index = evaluateInt(expr, scope);
  if (!index)
    return std::nullopt;
  int64_t rank = dims.size();
  int64_t position = *index < 0 ? *index + rank : *index;
  if (position < 0 || position >= rank) {
    error(expr.range, "dim " + std::to_string(*index) + " is outside of " +
                          nn::describe(tensor.getType()));
    return std::nullopt;
  }
  return position;
}

std::optional<llvm::SmallVector<int64_t>>
Elaborator::selectDims(const Expr &expr, mlir::Value tensor,
                       const Scope &scope) {
  llvm::SmallVector<int64_t> positions;
  auto add = [&](const Expr &item) {
    auto dim = selectDim(item, tensor, scope);
    if (dim && llvm::is_contained(positions, *dim))
      error(item.range, "this dim is named twice");
    else if (dim)
      positions.push_back(*dim);
    return dim.has_value();
  };
  auto *tuple = dynAs<TupleExpr>(&expr);
  if (!tuple)
    return add(expr) ? std::optional(positions) : std::nullopt;
  for (const Argument &item : tuple->items)
    if (!add(*item.value))
      return std::nullopt;
  return positions;
}
