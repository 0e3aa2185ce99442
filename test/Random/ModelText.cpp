//===- ModelText.cpp - inputs, body and outputs of a random model ---------===//

#include "ModelText.h"
#include "Body.h"

using namespace hocket::random;

namespace {
/// The arguments of the model: their types, and a parameter for each dim.
struct Arguments {
  Rng &rng;
  std::vector<Value> values = {};
  std::string parameters = "", types = "";
  bool hasFactors = true;   // dims may be named products
  std::string crossed = ""; // a dim of 6 that x and y factor differently

  void add(const std::string &name, Element element,
           const std::vector<int64_t> &shape) {
    Value value;
    value.text = name;
    value.element = element;
    value.shape = shape;
    value.isIds = element == Element::I32;
    value.magnitude = element == Element::Bool ? 1 : 5;
    if (element == Element::I32)
      value.magnitude = 12;
    value.origin.argument = name;
    std::string type;
    for (size_t i = 0; i < shape.size(); ++i)
      type += (i ? ", " : "") +
              dim(name + "_" + std::to_string(i), shape[i], value.origin);
    types += (types.empty() ? "" : ", ") + name + ": " + nameOf(element) + "[" +
             type + "]";
    values.push_back(value);
  }

  /// A parameter of the model, or two named factors.
  std::string dim(const std::string &name, int64_t size, Origin &origin) {
    std::vector<int64_t> divisors;
    for (int64_t divisor = 2; divisor < size; ++divisor)
      if (size % divisor == 0)
        divisors.push_back(divisor);
    if (divisors.empty() || !hasFactors ||
        (name != crossed && rng.chance(0.7))) {
      parameters += (parameters.empty() ? "" : ", ") + name +
                    ": int = " + std::to_string(size);
      origin.dims.push_back(name);
      origin.majors.push_back(0);
      return name;
    }
    int64_t major = rng.oneOf(divisors);
    if (name == crossed)
      major = name[0] == 'x' ? 2 : 3;
    origin.dims.push_back(name + (rng.chance(0.7) ? "a" : "b"));
    origin.majors.push_back(major);
    return "(" + name + "a = " + std::to_string(major) + ", " + name +
           "b = " + std::to_string(size / major) + ")";
  }
};
} // namespace

static std::vector<int64_t> makeShape(Rng &rng, int64_t maxRank) {
  std::vector<int64_t> shape(rng.between(1, maxRank));
  int64_t elements = 1;
  for (int64_t &size : shape) {
    size = rng.chance(0.15)  ? 1
           : rng.chance(0.2) ? 6
                             : rng.between(2, shape.size() > 2 ? 8 : 12);
    if (elements * size > 600)
      size = 2;
    elements *= size;
  }
  return shape;
}

/// x, and maybe y, tokens and keep. True if factors of x and y cross.
static bool addArguments(Arguments &arguments) {
  Rng &rng = arguments.rng;
  std::vector<int64_t> shape = makeShape(rng, rng.chance(0.7) ? 3 : 4);
  if (rng.chance(0.5) && shape.size() < 3)
    shape = {rng.between(1, 4), rng.between(2, 9), rng.between(2, 12)};
  bool isCrossed = rng.chance(0.04);
  size_t crossed = rng.below(shape.size());
  if (isCrossed) {
    shape[crossed] = 6;
    arguments.crossed = "x_" + std::to_string(crossed);
  }
  arguments.add("x", Element::F32, shape);
  if (isCrossed) {
    arguments.crossed[0] = 'y';
    arguments.add("y", Element::F32, shape);
  } else if (rng.chance(0.5)) {
    std::vector<int64_t> other = shape;
    if (rng.chance(0.5))
      other = makeShape(rng, 3);
    else if (rng.chance(0.4))
      other[rng.below(other.size())] = 1;
    arguments.add("y", Element::F32, other);
  }
  if (rng.chance(0.5)) {
    std::vector<int64_t> ids(shape.begin(), shape.end());
    if (ids.size() > 2 || (ids.size() == 2 && rng.chance(0.5)))
      ids.pop_back();
    arguments.add("tokens", Element::I32, ids);
  }
  if (rng.chance(0.25)) {
    std::vector<int64_t> keep(
        shape.begin(), shape.begin() + std::min<size_t>(2, shape.size()));
    arguments.add("keep", Element::Bool, keep);
  }
  return isCrossed;
}

/// x [batch, channels, 1 to 3 dims], and maybe y, as large or smaller. Some
/// spatial dim should be split.
static void addGrid(Arguments &arguments, std::vector<Wish> &wishes) {
  Rng &rng = arguments.rng;
  int64_t spatial = rng.oneOf<int64_t>({1, 1, 2, 2, 2, 3});
  static const int64_t longest[] = {24, 11, 6};
  std::vector<int64_t> shape = {rng.between(1, 3), rng.between(1, 4)};
  for (int64_t i = 0; i < spatial; ++i)
    shape.push_back(rng.between(3, longest[spatial - 1]));
  arguments.hasFactors = false;
  arguments.add("x", Element::F32, shape);
  if (rng.chance(0.3)) {
    if (rng.chance(0.5))
      shape.back() = rng.between(2, shape.back());
    arguments.add("y", Element::F32, shape);
  }
  if (rng.chance(0.9))
    wishes.push_back({"x",
                      "x_" + std::to_string(rng.between(2, spatial + 1)),
                      {},
                      /*isDomain=*/true});
}

/// x [(batch,) nodes, channels], and maybe y, which other nodes have.
static void addNodes(Arguments &arguments, std::vector<Wish> &wishes) {
  Rng &rng = arguments.rng;
  std::vector<int64_t> shape = {rng.between(3, 14)};
  if (rng.chance(0.9))
    shape.push_back(rng.between(1, 5));
  if (shape.size() > 1 && rng.chance(0.4))
    shape.insert(shape.begin(), rng.between(1, 3));
  size_t nodes = std::max<size_t>(shape.size(), 2) - 2;
  arguments.hasFactors = false;
  for (const char *name : {"x", "y"}) {
    arguments.add(name, Element::F32, shape);
    if (rng.chance(0.9))
      wishes.push_back({name,
                        name + ("_" + std::to_string(nodes)),
                        {},
                        /*isDomain=*/true});
    if (rng.chance(0.5))
      break;
    shape[nodes] = rng.between(2, 14);
  }
}

ModelText hocket::random::makeModel(Rng &rng, bool isGrid) {
  ModelState state{
      rng,    rng.between(3, 12),        rng.chance(0.12), rng.chance(0.05),
      isGrid, isGrid && rng.chance(0.15)};
  state.mayRound &= !state.onlyMoves && !isGrid;
  Arguments arguments{rng};
  bool isCrossed = false;
  if (state.isGraph)
    addNodes(arguments, state.wishes);
  else if (isGrid)
    addGrid(arguments, state.wishes);
  else
    isCrossed = addArguments(arguments);
  Body body(state, arguments.values, /*mayCall=*/true);
  if (isCrossed)
    body.tryCrossing();
  if (isGrid && !state.onlyMoves && rng.chance(0.15))
    body.tryChain();
  Value first = body.fill(isGrid ? rng.between(2, 6) : rng.between(3, 10));
  if (Rng apart = rng;
      !state.onlyMoves && first.element == Element::F32 && apart.chance(0.2))
    first = body.withParameter(first, apart);
  else if (first.element == Element::F32 && apart.chance(0.25))
    first = body.withFunction(first, apart);
  ModelText model;
  model.isExact = first.isExact;
  std::string returned = first.text;
  auto alsoReturn = [&](const Value &value) {
    if (value.text == first.text)
      return;
    returned += ", " + value.text;
    model.isExact &= value.isExact;
  };
  if (rng.chance(0.5)) // nothing is computed in vain
    for (const Value &leaf : body.leaves())
      alsoReturn(leaf);
  else if (rng.chance(0.3))
    alsoReturn(body.fill(rng.between(1, 3)));
  model.wishes = state.wishes;
  model.text = "hocket 1\n\n" + state.moduleText + "model Net(" +
               arguments.parameters + ") {\n" + body.members + "  forward(" +
               arguments.types + ") {\n" + body.statements + "    return " +
               returned + "\n  }\n}\n";
  return model;
}
