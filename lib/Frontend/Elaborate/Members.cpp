//===- Members.cpp - the items of a module: members, arrays, tensors ------===//

#include "Elaborator.h"
#include "WeightNames.h"
#include "dialects/Nn/Buffer.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

static constexpr int64_t kMaxElements = 100000;

bool Elaborator::addItems(const ModuleDecl &decl, Instance &instance,
                          unsigned depth) {
  bool ok = true;
  for (const ItemPtr &item : decl.items) {
    MaybeDatum made;
    const Name *name = nullptr;
    if (auto *let = dynAs<LetItem>(item)) {
      name = &let->name;
      made = evaluate(*let->value, instance.scope);
    } else if (auto *member = dynAs<MemberItem>(item)) {
      name = &member->name;
      made = makeMember(*member->value, instance.scope,
                        joinPath(instance.path, name->text), depth + 1);
    } else if (auto *array = dynAs<MemberArrayItem>(item)) {
      name = &array->name;
      made = makeArray(*array, instance, depth + 1);
    } else {
      ok &= checkWeightNames(*item, decl, diagnostics);
      continue;
    }
    if (made)
      instance.scope.names[name->text] = *made;
    else
      instance.scope.failed.insert(name->text);
    ok &= made.has_value();
  }
  return ok;
}

/// What a conditional chooses, or the expression itself.
const Expr *Elaborator::chooseMember(const Expr &expr, const Scope &scope) {
  const Expr *chosen = &expr;
  while (auto *choice = dynAs<ConditionalExpr>(chosen)) {
    auto condition = evaluateBool(*choice->condition, scope);
    if (!condition)
      return nullptr;
    chosen = *condition ? choice->thenValue.get() : choice->elseValue.get();
  }
  return chosen;
}

/// A module, an array of members, a tensor, or `none` where there is none.
Elaborator::MaybeDatum Elaborator::makeMember(const Expr &expr,
                                              const Scope &scope,
                                              const std::string &path,
                                              unsigned depth) {
  const Expr *chosen = chooseMember(expr, scope);
  if (!chosen)
    return std::nullopt;
  if (chosen->kind == Expr::Kind::None)
    return Datum();
  if (auto *list = dynAs<ListExpr>(chosen))
    return makeList(*list, scope, path, depth);
  auto *call = dynAs<CallExpr>(chosen);
  auto *callee = call ? dynAs<NameExpr>(call->callee) : nullptr;
  bool isTensor =
      callee && (callee->name == "Parameter" || callee->name == "Buffer");
  if (isTensor && !moduleNamed(*callee))
    return makeTensor(*call, scope, path);
  InstancePtr made = instantiate(*chosen, scope, path, depth);
  return made ? MaybeDatum(Datum(made)) : std::nullopt;
}

//===-- Arrays ------------------------------------------------------------===//

static InstancePtr emptyArray(const std::string &path) {
  auto array = std::make_shared<Instance>();
  array->isArray = true;
  array->path = path;
  return array;
}

Elaborator::MaybeDatum Elaborator::makeArray(const MemberArrayItem &item,
                                             const Instance &instance,
                                             unsigned depth) {
  auto *bounds = dynAs<RangeExpr>(item.bounds);
  auto lo = evaluateInt(*bounds->lo, instance.scope);
  auto hi = evaluateInt(*bounds->hi, instance.scope);
  if (!lo || !hi)
    return std::nullopt;
  if (*hi < *lo || *hi - *lo > kMaxElements) {
    error(bounds->range, "a module array of " + std::to_string(*hi - *lo) +
                             " elements; expected 0 to " +
                             std::to_string(kMaxElements));
    return std::nullopt;
  }
  InstancePtr array = emptyArray(joinPath(instance.path, item.name.text));
  int64_t end = *lo + std::min(*hi - *lo, mostElements);
  for (int64_t i = *lo; i < end; ++i) {
    Scope scope(&instance.scope);
    scope.names[item.variable.text] = Datum(i);
    std::string path = array->path + "." + std::to_string(i - *lo);
    MaybeDatum made = makeMember(*item.element, scope, path, depth);
    if (!made)
      return std::nullopt;
    array->elements.push_back(*made);
  }
  return Datum(array);
}

/// `[A(...), B(...)]`: the path of an element is its place.
Elaborator::MaybeDatum Elaborator::makeList(const ListExpr &list,
                                            const Scope &scope,
                                            const std::string &path,
                                            unsigned depth) {
  InstancePtr array = emptyArray(path);
  for (const ExprPtr &item : list.items) {
    std::string place = path + "." + std::to_string(array->elements.size());
    MaybeDatum made = makeMember(*item, scope, place, depth + 1);
    if (!made)
      return std::nullopt;
    array->elements.push_back(*made);
  }
  return Datum(array);
}

//===-- Tensors -----------------------------------------------------------===//

/// What a Parameter or a Buffer may be made of.
static const char *whyNoTensor(mlir::Type element, bool isBuffer) {
  if (element.isF32())
    return nullptr;
  if (!isBuffer)
    return "a parameter is f32, found ";
  bool fits =
      element.isInteger(1) || element.isInteger(32) || element.isInteger(64);
  return fits ? nullptr : "a buffer is f32, i32, i64 or bool, found ";
}

/// `f32[a, (b, c)]`, a type that stands in the place of a value.
mlir::RankedTensorType Elaborator::tensorMemberType(const Expr &expr,
                                                    const Scope &scope,
                                                    bool isBuffer) {
  auto *typed = dynAs<IndexExpr>(&expr);
  auto *word = typed ? dynAs<NameExpr>(typed->base) : nullptr;
  if (!word) {
    error(expr.range, "expected the type of a tensor such as f32[hidden]");
    return {};
  }
  mlir::Type element = elementType({word->name, word->range});
  if (!element)
    return {};
  if (const char *why = whyNoTensor(element, isBuffer)) {
    auto &diagnostic = error(word->range, why + word->name);
    if (!isBuffer)
      diagnostic.note("what is not trained is a Buffer, of f32, i32, i64 or "
                      "bool");
    return {};
  }
  llvm::SmallVector<nn::DimAttr> dims;
  for (const Subscript &subscript : typed->subscripts) {
    if (subscript.isSlice) {
      error(subscript.range, "expected a dim, found a slice");
      return {};
    }
    auto dim = evaluateDim(*subscript.lo, scope);
    if (!dim)
      return {};
    dims.push_back(*dim);
  }
  return nn::tensorOf(element, nn::LayoutAttr::get(context, dims, {}, {}));
}

/// `Parameter(f32[...], init = 1.0)` or `Buffer(i64[...])`: a tensor of the
/// module's own.
Elaborator::MaybeDatum Elaborator::makeTensor(const CallExpr &call,
                                              const Scope &scope,
                                              const std::string &path) {
  if (!countExpansion(call.range))
    return std::nullopt;
  const std::string &callee = dynAs<NameExpr>(call.callee)->name;
  bool isBuffer = callee == "Buffer";
  auto arguments = matchArguments(call, callee, {"type", "init"}, 1);
  auto type = arguments
                  ? tensorMemberType(*arguments->get("type"), scope, isBuffer)
                  : mlir::RankedTensorType();
  if (!type)
    return std::nullopt;
  const Expr *given = arguments->get("init");
  std::optional<double> init = given ? evaluateFloat(*given, scope) : 0.0;
  if (!init)
    return std::nullopt;
  mlir::Value value = addParameter(path, type, {}, call.range);
  if (isBuffer)
    lastParameter->setAttr(nn::kBuffer, builder.getUnitAttr());
  if ((given || isBuffer) && isTraining)
    lastParameter->setAttr("init",
                           nn::InitAttr::get(context, nn::InitKind::Constant,
                                             builder.getF64FloatAttr(*init)));
  return Datum(value);
}
