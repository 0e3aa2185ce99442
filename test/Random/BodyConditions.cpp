//===- BodyConditions.cpp - random comparisons and what they choose -------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

/// Only with constants that no computed value is likely to equal, or between
/// values that are exact on both sides.
bool Body::tryCompare() {
  const Value *a = pick([&](const Value &v) {
    return v.element == Element::I32 || (v.isFloat() && !state.mayRound);
  });
  if (!a)
    return false;
  Value result = *a;
  result.element = Element::Bool;
  result.isPositive = result.isIds = false;
  result.isExact = true;
  std::string kind = rng.oneOf<std::string>({"<", "<=", ">", ">=", "==", "!="});
  const Value *b = partner(*a, result.shape);
  if (a->isExact && b->isExact && rng.chance(0.6)) {
    if (rng.chance(0.5))
      std::swap(a, b);
    bind(a->text + " " + kind + " " + b->text, result);
    return true;
  }
  if (a->rank() > 0 && a->element == Element::F32 && !a->isExact &&
      a->magnitude < 1e3 && rng.chance(0.4))
    a = &reduced(*a, /*keepdim=*/true);
  result.shape = a->shape;
  std::string number = a->isFloat() ? "0.1371" : "1";
  bind(rng.chance(0.5) ? a->text + " " + kind + " " + number
                       : number + " " + kind + " " + a->text,
       result);
  return true;
}

bool Body::tryLogic() {
  const Value *a =
      pick([](const Value &v) { return v.element == Element::Bool; });
  if (!a)
    return false;
  Value result = *a;
  if (rng.chance(0.4)) {
    bind("not " + a->text, result);
    return true;
  }
  const Value *b = partner(*a, result.shape);
  if (rng.chance(0.5))
    std::swap(a, b);
  bind(a->text + rng.oneOf<std::string>({" and ", " or ", " == ", " != "}) +
           b->text,
       result);
  return true;
}

/// Bools, made of exact numbers if there are none.
const Value *Body::condition() {
  const Value *c =
      pick([](const Value &v) { return v.element == Element::Bool; });
  if (c && !rng.chance(0.2))
    return c;
  const Value *x =
      pick([](const Value &v) { return v.isExact && v.isFloat(); });
  if (!x)
    return c;
  Value made = *x;
  made.element = Element::Bool;
  made.isPositive = false;
  return &bindAlike(x->text + " > 0.1371", made);
}

bool Body::tryWhere() {
  const Value *c = condition();
  if (!c)
    return false;
  std::vector<int64_t> shape, both;
  const Value *a = pick([&](const Value &v) {
    return v.element != Element::F64 && broadcast(c->shape, v.shape, shape);
  });
  if (!a)
    return false;
  Value result = *a;
  const Value *b = partner(*a, both);
  if (!broadcast(c->shape, both, result.shape))
    b = a;
  if (!broadcast(c->shape, b == a ? a->shape : both, result.shape))
    return false;
  result.isIds = a->isIds && b->isIds;
  if (a->element == Element::F32 && rng.chance(0.6)) {
    broadcast(c->shape, a->shape, result.shape);
    result.isPositive = false;
    result.magnitude = std::max(a->magnitude, 0.75);
    // Nothing is drawn, so that other cases stay what they are.
    std::string number = bound % 2 ? "0.0" : "0.75";
    bind("where(" + c->text + ", " +
             (rng.chance(0.5) ? a->text + ", " + number
                              : number + ", " + a->text) +
             ")",
         result);
    return true;
  }
  if (rng.chance(0.5))
    std::swap(a, b);
  result.isPositive = a->isPositive && b->isPositive;
  result.isExact = a->isExact && b->isExact;
  result.magnitude = std::max(a->magnitude, b->magnitude);
  bind("where(" + c->text + ", " + a->text + ", " + b->text + ")", result);
  return true;
}
