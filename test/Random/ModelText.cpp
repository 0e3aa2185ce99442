//===- ModelText.cpp - inputs, body and outputs of a random model ---------===//

#include "ModelText.h"
#include "Body.h"

using namespace hocket::random;

namespace {
/// The arguments of the model: their types, and a parameter for each dim.
struct Arguments {
  Rng &rng;
  std::vector<Value> values;
  std::string parameters, types;

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
    std::string type;
    for (size_t i = 0; i < shape.size(); ++i) {
      std::string dim = name + "_" + std::to_string(i);
      std::string size = std::to_string(shape[i]);
      int64_t half = shape[i] % 3 == 0 ? 3 : 2;
      if (shape[i] > half && shape[i] % half == 0 && rng.chance(0.25)) {
        dim = "(" + dim + "a = " + std::to_string(half) + ", " + dim +
              "b = " + std::to_string(shape[i] / half) + ")";
      } else {
        parameters +=
            (parameters.empty() ? "" : ", ") + dim + ": int = " + size;
      }
      type += (i ? ", " : "") + dim;
    }
    static const char *elements[] = {"f32", "f64", "i32", "bool"};
    types += (types.empty() ? "" : ", ") + name + ": " +
             elements[int(element)] + "[" + type + "]";
    values.push_back(value);
  }
};
} // namespace

static std::vector<int64_t> makeShape(Rng &rng, int64_t maxRank) {
  std::vector<int64_t> shape(rng.between(1, maxRank));
  int64_t elements = 1;
  for (int64_t &size : shape) {
    size = rng.chance(0.15) ? 1 : rng.between(2, shape.size() > 2 ? 8 : 12);
    if (elements * size > 600)
      size = 2;
    elements *= size;
  }
  return shape;
}

ModelText hocket::random::makeModel(Rng &rng) {
  ModelState state{rng, rng.between(3, 12), rng.chance(0.12), 0, ""};
  Arguments arguments{rng, {}, "", ""};
  std::vector<int64_t> shape = makeShape(rng, rng.chance(0.7) ? 3 : 4);
  if (rng.chance(0.5) && shape.size() < 3)
    shape = {rng.between(1, 4), rng.between(2, 9), rng.between(2, 12)};
  arguments.add("x", Element::F32, shape);
  if (rng.chance(0.5)) {
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
  Body body(state, arguments.values, /*mayCall=*/true);
  Value first = body.fill(rng.between(3, 10));
  std::string returned = first.text;
  bool isExact = first.isExact;
  if (rng.chance(0.5)) { // nothing is computed in vain
    for (const Value &leaf : body.leaves())
      if (leaf.text != first.text) {
        returned += ", " + leaf.text;
        isExact &= leaf.isExact;
      }
  } else if (rng.chance(0.3)) {
    Value second = body.fill(rng.between(1, 3));
    if (second.text != first.text) {
      returned += ", " + second.text;
      isExact &= second.isExact;
    }
  }
  ModelText model;
  model.isExact = isExact;
  model.text = "hocket 1\n\n" + state.moduleText + "model Net(" +
               arguments.parameters + ") {\n" + body.members + "  forward(" +
               arguments.types + ") {\n" + body.statements + "    return " +
               returned + "\n  }\n}\n";
  return model;
}
