//===- Hook.cpp - shape, placement and derivative of nn.hook --------------===//

#include "dialects/Nn/Hook.h"
#include "dialects/Nn/Fields.h"
#include "dialects/Nn/Ops/RuleBuilder.h"
#include "dialects/Nn/Ops/Shapes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hocket;
using namespace hocket::nn;

LogicalResult nn::verifyMoveHook(Operation *op, DictionaryAttr hook,
                                 StringRef kind) {
  if (!hook)
    return success();
  if (failed(verifyFields(op, "hook", hook,
                          {{"name", isA<StringAttr>},
                           {"file", isA<StringAttr>, /*isOptional=*/true},
                           {"cuda", isA<StringAttr>, /*isOptional=*/true},
                           {"collective", isA<StringAttr>}})))
    return failure();
  StringRef does = hook.getAs<StringAttr>("collective").getValue();
  bool isHooked =
      kind == "all_reduce" || kind == "reduce_scatter" || kind == "all_gather";
  if (isHooked && does == kind)
    return success();
  return op->emitOpError() << "has a hook that does " << does << ", not "
                           << kind;
}

static auto tensorsOf(DictionaryAttr hook, StringRef list) {
  return hook.getAs<ArrayAttr>(list).getAsRange<DictionaryAttr>();
}

static auto namesOf(DictionaryAttr hook, StringRef list) {
  return hook.getAs<ArrayAttr>(list).getAsValueRange<StringAttr>();
}

/// "f32[rows, inner]", as it was declared.
static std::string describeDeclared(DictionaryAttr tensor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << tensor.getAs<TypeAttr>("element").getValue() << "[";
  llvm::interleaveComma(namesOf(tensor, "dims"), stream);
  stream << "]";
  return text;
}

static bool isListOfNames(Attribute attribute) {
  auto list = dyn_cast_if_present<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

static bool isListOfTensors(Attribute attribute) {
  auto list = dyn_cast_if_present<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [](Attribute each) {
           auto tensor = dyn_cast<DictionaryAttr>(each);
           return tensor && tensor.getAs<TypeAttr>("element") &&
                  isListOfNames(tensor.get("dims"));
         });
}

/// Of a file for a CPU, for GPUs, or both.
static bool namesFile(DictionaryAttr hook) {
  auto isName = [&](StringRef key) {
    return !hook.get(key) || isA<StringAttr>(hook.get(key));
  };
  return (hook.get("file") || hook.get("cuda")) && isName("file") &&
         isName("cuda");
}

/// Whether it says all that a declaration of a function on tensors says.
static bool isDeclaration(DictionaryAttr hook) {
  auto isNamed = [](Attribute input) {
    return bool(cast<DictionaryAttr>(input).getAs<StringAttr>("name"));
  };
  return hook.getAs<StringAttr>("name") && namesFile(hook) &&
         isListOfNames(hook.get("split")) &&
         isListOfTensors(hook.get("inputs")) &&
         isListOfTensors(hook.get("results")) &&
         llvm::all_of(hook.getAs<ArrayAttr>("inputs"), isNamed);
}

/// What the declared function makes of tensors of these types.
static LogicalResult inferResults(std::optional<Location> location,
                                  DictionaryAttr hook, TypeRange operands,
                                  SmallVectorImpl<Type> &types) {
  if (!hook || !isDeclaration(hook))
    return emitOptionalError(location, "a hook is declared by its name, file, "
                                       "inputs, results and split");
  std::string name = "hook '" + hook.getAs<StringAttr>("name").str() + "'";
  size_t count = hook.getAs<ArrayAttr>("inputs").size();
  if (operands.size() != count) // (C1)
    return emitOptionalError(location, name, " takes ", count,
                             " tensors, but gets ", operands.size());
  llvm::StringMap<DimAttr> dims;
  for (auto [x, input] : llvm::zip(operands, tensorsOf(hook, "inputs"))) {
    Type element = input.getAs<TypeAttr>("element").getValue();
    ArrayRef<DimAttr> has = layoutOf(x).getDims();
    if (getElementTypeOrSelf(x) != element ||
        has.size() != input.getAs<ArrayAttr>("dims").size()) // (C1)
      return emitOptionalError(location, name, " takes ",
                               describeDeclared(input), " as its '",
                               input.getAs<StringAttr>("name").getValue(),
                               "', but gets ", describe(x));
    for (auto [dim, of] : llvm::zip(has, namesOf(input, "dims"))) {
      DimAttr known = dims.try_emplace(of, dim).first->second;
      if (known.getSize() != dim.getSize()) // (C2)
        return emitOptionalError(location, name, " has one '", of,
                                 "', but gets one of ", known.getSize(),
                                 " and one of ", dim.getSize());
    }
  }
  for (DictionaryAttr result : tensorsOf(hook, "results")) {
    SmallVector<DimAttr> own;
    for (StringRef of : namesOf(result, "dims")) {
      auto found = dims.find(of);
      if (found == dims.end()) // (C3)
        return emitOptionalError(location, name, " gives a dim '", of,
                                 "' that none of its tensors has");
      own.push_back(found->second);
    }
    types.push_back(tensorOf(result.getAs<TypeAttr>("element").getValue(),
                             LayoutAttr::get(hook.getContext(), own, {}, {})));
  }
  return success();
}

LogicalResult HookOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferResults(location, adaptor.getHook(), adaptor.getXs().getTypes(),
                      types);
}

/// It takes what the hook takes and gives, and gives a gradient of each tensor
/// of floats that the hook takes.
static LogicalResult verifyDerivative(HookOp op, DictionaryAttr derivative) {
  SmallVector<Type> taken(op->getOperandTypes()), wanted, given;
  for (Type type : op->getOperandTypes())
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      wanted.push_back(type);
  llvm::append_range(taken, op->getResultTypes());
  if (failed(inferResults(op.getLoc(), derivative, taken, given)))
    return failure();
  if (haveSameShapes(given, wanted)) // (C4)
    return success();
  return op.emitOpError() << "has a derivative that gives " << given.size()
                          << " tensors of other shapes than its "
                          << wanted.size() << " of floats";
}

LogicalResult HookOp::verify() {
  SmallVector<Type> types;
  if (failed(inferResults(getLoc(), getHook(), getOperandTypes(), types)))
    return failure();
  if (!haveSameShapes(types, getResultTypes()))
    return emitOpError() << "gives " << types.size()
                         << " tensors of other shapes than its results";
  Attribute derivative = getHook().get("derivative");
  return derivative
             ? verifyDerivative(*this, dyn_cast<DictionaryAttr>(derivative))
             : success();
}

/// Dims of one name are one index. A rank may hold a part of those in `split`;
/// a result without such a dim is then a sum over it.
PlacementRule HookOp::getPlacementRule() {
  std::string name = "hook '" + getHookName().str() + "'";
  RuleBuilder rule(*this, name + " takes no partial sums");
  llvm::MapVector<StringRef, SmallVector<DimOf>> dims;
  llvm::StringSet<> given;
  for (auto [number, input] : llvm::enumerate(tensorsOf(getHook(), "inputs")))
    for (auto [dim, of] : llvm::enumerate(namesOf(input, "dims")))
      dims[of].push_back(operand(number, dim));
  for (auto [number, result] : llvm::enumerate(tensorsOf(getHook(), "results")))
    for (auto [dim, of] : llvm::enumerate(namesOf(result, "dims"))) {
      dims[of].push_back(resultOf(number, dim));
      given.insert(of);
    }
  for (auto &[of, places] : dims)
    if (!llvm::is_contained(namesOf(getHook(), "split"), of))
      rule.add(places, FactorUse::Whole,
               name + " does not list '" + of.str() + "' in 'split'");
    else if (given.contains(of))
      rule.add(places);
    else
      rule.contract(places, Reduction::Sum);
  return rule.take();
}

void HookOp::differentiate(Derivative &d) {
  auto gradient = getHook().getAs<DictionaryAttr>("derivative");
  if (!gradient) {
    d.refuse(("hook '" + getHookName() + "' without a derivative").str());
    return;
  }
  SmallVector<Value> operands;
  SmallVector<unsigned> floats;
  for (auto [number, x] : llvm::enumerate(getXs())) {
    operands.push_back(d.read(x));
    if (isa<FloatType>(elementTypeOf(x)))
      floats.push_back(number);
  }
  for (auto [number, result] : llvm::enumerate(getResults())) {
    Value cotangent = d.cotangent(number);
    if (!cotangent)
      cotangent = d.spreadTo(d.scalar(0, result), result);
    operands.push_back(cotangent);
  }
  auto made = d.make<HookOp>(operands, gradient);
  for (auto [number, value] : llvm::zip(floats, made.getResults()))
    if (d.isWanted(number))
      d.give(number, value);
}
