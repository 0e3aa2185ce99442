//===- Members.cpp - the items of a module: members, arrays, tensors ------===//

#include "Elaborator.h"
#include "WeightNames.h"

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
  if (callee && callee->name == "Parameter" && !moduleNamed(*callee))
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

/// The dims of `f32[a, (b, c)]`, a type that stands in the place of a value.
std::optional<llvm::SmallVector<nn::DimAttr>>
Elaborator::parameterDims(const Expr &expr, const Scope &scope) {
  auto *typed = dynAs<IndexExpr>(&expr);
  auto *element = typed ? dynAs<NameExpr>(typed->base) : nullptr;
  if (!element) {
    error(expr.range, "expected the type of a tensor such as f32[hidden]");
    return std::nullopt;
  }
  mlir::Type type = elementType({element->name, element->range});
  if (!type)
    return std::nullopt;
  if (!type.isF32()) {
    error(element->range, "a parameter is f32, found " + element->name);
    return std::nullopt;
  }
  llvm::SmallVector<nn::DimAttr> dims;
  for (const Subscript &subscript : typed->subscripts) {
    if (subscript.isSlice) {
      error(subscript.range, "expected a dim, found a slice");
      return std::nullopt;
    }
    auto dim = evaluateDim(*subscript.lo, scope);
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// `Parameter(f32[...], init = 1.0)`: a tensor of the module's own.
Elaborator::MaybeDatum Elaborator::makeTensor(const CallExpr &call,
                                              const Scope &scope,
                                              const std::string &path) {
  if (!countExpansion(call.range))
    return std::nullopt;
  auto arguments = matchArguments(call, "Parameter", {"type", "init"}, 1);
  auto dims =
      arguments ? parameterDims(*arguments->get("type"), scope) : std::nullopt;
  if (!dims)
    return std::nullopt;
  std::optional<double> init = 0.0;
  const Expr *given = arguments->get("init");
  if (given)
    init = evaluateFloat(*given, scope);
  if (!init)
    return std::nullopt;
  mlir::Value value = addParameter(path, *dims, {}, call.range);
  if (given && isTraining)
    lastParameter->setAttr("init",
                           nn::InitAttr::get(context, nn::InitKind::Constant,
                                             builder.getF64FloatAttr(*init)));
  return Datum(value);
}
