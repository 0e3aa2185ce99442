//===- FunctionsRotary.cpp - rotary, its styles and scalings --------------===//

#include "Functions.h"
#include "RotaryScaling.h"
#include "dialects/Nn/Elementwise.h"
#include "dialects/Nn/Norms.h"
#include "dialects/Nn/Ops/Shapes.h"

using namespace hocket;
using namespace hocket::frontend;
using namespace hocket::syntax;

namespace {
/// What `scaling` or `frequencies` say; without them the base alone counts.
struct Frequencies {
  std::vector<double> all = {};
  double attention = 1; // a factor of the result
};

/// The arguments of `yarn(...)` and the others: numbers above 0.
struct ScalingReader {
  Elaborator &elaborator;
  const Scope &scope;
  CallArguments arguments;

  bool number(const char *name, double &value) {
    const Expr *given = arguments.get(name);
    if (!given)
      return true;
    auto read = elaborator.evaluateFloat(*given, scope);
    if (!read)
      return false;
    value = *read;
    if (value > 0)
      return true;
    elaborator.error(given->range,
                     "'" + std::string(name) +
                         "' of a rotary scaling is above 0, found " +
                         llvm::formatv("{0}", value).str());
    return false;
  }
};
} // namespace

static bool readYarn(ScalingReader &reader, const Rotary &rotary,
                     Frequencies &into) {
  Yarn yarn;
  if (!reader.number("factor", yarn.factor) ||
      !reader.number("original", yarn.original) ||
      !reader.number("fast", yarn.fast) || !reader.number("slow", yarn.slow))
    return false;
  if (const Expr *given = reader.arguments.get("truncate")) {
    auto truncate = reader.elaborator.evaluateBool(*given, reader.scope);
    if (!truncate)
      return false;
    yarn.truncate = *truncate;
  }
  into.all = scaleYarn(rotary, yarn);
  into.attention = yarn.attention();
  return reader.number("attention", into.attention);
}

static bool readLlama3(ScalingReader &reader, const Rotary &rotary,
                       Frequencies &into) {
  Llama3 scaling;
  if (!reader.number("factor", scaling.factor) ||
      !reader.number("original", scaling.original) ||
      !reader.number("low", scaling.low) ||
      !reader.number("high", scaling.high))
    return false;
  if (scaling.low < scaling.high) {
    into.all = scaleLlama3(rotary, scaling);
    return true;
  }
  reader.elaborator.error(reader.arguments.call->range,
                          "'low' of a llama3 scaling is less than 'high'");
  return false;
}

/// `linear(4.0)`, `yarn(4.0, original = 4096)`, ...
static bool readScaling(Elaborator &elaborator, const Expr &given,
                        const Scope &scope, const Rotary &rotary,
                        int64_t positions, Frequencies &into) {
  auto *call = dynAs<CallExpr>(&given);
  auto *word = call ? dynAs<NameExpr>(call->callee) : nullptr;
  std::string kind = word ? word->name : "";
  llvm::SmallVector<llvm::StringRef> names = {"factor"};
  if (kind == "ntk")
    names = {"factor", "original"};
  else if (kind == "llama3")
    names = {"factor", "original", "low", "high"};
  else if (kind == "yarn")
    names = {"factor", "original", "fast", "slow", "attention", "truncate"};
  else if (kind != "linear") {
    elaborator.error(given.range, "a rotary scaling is linear(factor), "
                                  "ntk(factor, original), yarn(factor, "
                                  "original) or llama3(factor, original)");
    return false;
  }
  auto arguments =
      elaborator.matchArguments(*call, kind, names, kind == "linear" ? 1 : 2);
  if (!arguments)
    return false;
  ScalingReader reader{elaborator, scope, *arguments};
  if (kind == "yarn")
    return readYarn(reader, rotary, into);
  if (kind == "llama3")
    return readLlama3(reader, rotary, into);
  double factor = 1, original = 0;
  if (!reader.number("factor", factor) || !reader.number("original", original))
    return false;
  into.all = kind == "linear"
                 ? scaleLinear(rotary, factor)
                 : scaleNtk(rotary, factor, original, double(positions));
  return true;
}

/// A list of numbers.
static bool readFrequencies(Elaborator &elaborator, const Expr &given,
                            const Scope &scope, Frequencies &into) {
  auto datum = elaborator.evaluate(given, scope);
  if (!datum)
    return false;
  auto *list = datum->as<std::shared_ptr<Tuple>>();
  for (size_t i = 0; list && i < (*list)->size(); ++i)
    if (auto number = (**list)[i].number())
      into.all.push_back(*number);
  if (list && !into.all.empty() && into.all.size() == (*list)->size())
    return true;
  elaborator.error(given.range, "'frequencies' are a list of numbers, one for "
                                "each pair of the last dim");
  return false;
}

static std::optional<Frequencies>
frequenciesOf(Elaborator &elaborator, const CallArguments &arguments,
              const Scope &scope, const Rotary &rotary, int64_t positions) {
  Frequencies found;
  const Expr *scaling = arguments.get("scaling");
  const Expr *listed = arguments.get("frequencies");
  if (scaling && listed) {
    elaborator.error(listed->range, "a rotary embedding has a 'scaling' or "
                                    "'frequencies', not both");
    return std::nullopt;
  }
  if (scaling &&
      !readScaling(elaborator, *scaling, scope, rotary, positions, found))
    return std::nullopt;
  auto *scaled = scaling ? dynAs<CallExpr>(scaling) : nullptr;
  auto *word = scaled ? dynAs<NameExpr>(scaled->callee) : nullptr;
  if (word && word->name == "ntk" && arguments.get("positions")) {
    elaborator
        .error(scaling->range, "an ntk scaling follows how many positions "
                               "there are, which given positions do not say")
        .note("write the base that it comes to: base = ...");
    return std::nullopt;
  }
  if (listed && !readFrequencies(elaborator, *listed, scope, found))
    return std::nullopt;
  return found;
}

Elaborator::MaybeDatum
Elaborator::rotaryFunction(const CallArguments &arguments, const Scope &scope) {
  mlir::Value x = evaluateTensor(*arguments.get("x"), scope);
  if (!x)
    return std::nullopt;
  auto dim = selectDim(*arguments.get("axis"), x, scope);
  std::optional<double> base = 10000.0;
  if (const Expr *given = arguments.get("base"))
    base = evaluateFloat(*given, scope);
  std::optional<nn::RotaryStyle> style = nn::RotaryStyle::Half;
  if (const Expr *given = arguments.get("style")) {
    auto *word = dynAs<NameExpr>(given);
    auto *text = dynAs<StringExpr>(given);
    std::string name = word ? word->name : text ? text->value : std::string();
    style = nn::symbolizeRotaryStyle(name);
    if (!style) {
      error(given->range,
            "a rotary style is half or interleaved, found '" + name + "'");
      return std::nullopt;
    }
  }
  if (!dim || !base)
    return std::nullopt;
  mlir::Value given;
  if (const Expr *written = arguments.get("positions")) {
    given = positionsOf(*written, x, *dim, scope);
    if (!given)
      return std::nullopt;
  }
  auto shape = nn::layoutOf(x).getShape();
  auto frequencies = frequenciesOf(*this, arguments, scope,
                                   {*base, shape.back()}, shape[*dim]);
  if (!frequencies)
    return std::nullopt;
  callRange = arguments.call->range;
  llvm::SmallVector<mlir::NamedAttribute> attributes = {
      named("dim", builder.getI64IntegerAttr(*dim)),
      named("base", builder.getF64FloatAttr(*base)),
      named("style", nn::RotaryStyleAttr::get(context, *style))};
  if (!frequencies->all.empty())
    attributes.push_back(
        named("frequencies", builder.getDenseF64ArrayAttr(frequencies->all)));
  mlir::Value turned = emit<nn::RotaryOp>(callRange, x, attributes);
  if (turned && given) { // it was for its checks
    turned.getDefiningOp()->erase();
    Rotary plain{*base, shape.back()};
    return wrap(rotaryAt(x, given,
                         frequencies->all.empty() ? plain.frequencies()
                                                  : frequencies->all,
                         frequencies->attention, *style));
  }
  if (turned && frequencies->attention != 1)
    turned = callBinary(
        nn::BinaryKind::Mul, turned,
        callNumber(frequencies->attention, nn::elementTypeOf(turned)));
  return turned ? MaybeDatum(Datum(turned)) : std::nullopt;
}
