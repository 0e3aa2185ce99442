//===- BodyUnary.cpp - random functions of one element --------------------===//

#include "Body.h"
#include <algorithm>
#include <cmath>

using namespace hocket::random;

bool Body::tryUnary() {
  const Value *x = pick([](const Value &v) { return v.isFloat(); });
  if (!x)
    return false;
  Value result = *x;
  result.isExact = false;
  if (x->isPositive && x->magnitude < 1e3 && rng.chance(0.7)) {
    if (x->rank() > 0 && rng.chance(0.4)) {
      x = &reduced(*x, /*keepdim=*/true);
      result = *x;
      result.isExact = false;
    }
    std::string kind = rng.oneOf<std::string>({"log", "sqrt", "rsqrt"});
    result.isPositive = kind == "sqrt";
    result.magnitude = std::max(2.0, std::sqrt(x->magnitude));
    bindAlike(kind + "(" + x->text + ")", result);
    return true;
  }
  std::string kind = rng.oneOf<std::string>(
      {"gelu", "gelu_tanh", "silu", "relu", "sigmoid", "tanh", "exp", "erf",
       "abs", "neg", "sin", "cos"});
  if (kind == "exp" && x->magnitude > 6)
    kind = "tanh";
  if ((kind == "sin" || kind == "cos") && x->magnitude > 20)
    kind = "erf";
  result.isPositive = kind == "exp" && x->magnitude < 1;
  if (kind == "exp")
    result.magnitude = std::exp(x->magnitude);
  else if (kind == "sigmoid" || kind == "tanh" || kind == "erf" ||
           kind == "sin" || kind == "cos")
    result.magnitude = 1;
  else if (kind == "relu" || kind == "abs" || kind == "neg")
    result.isExact = x->isExact;
  bindAlike(kind == "neg" ? "-" + x->text : kind + "(" + x->text + ")", result);
  return true;
}

bool Body::tryCast() {
  const Value *x = pick([](const Value &) { return true; });
  Value result = *x;
  result.isIds = false;
  switch (x->element) {
  case Element::F32:
    if (state.mayRound && rng.chance(0.6)) {
      result.element = rng.chance(0.5) ? Element::F16 : Element::BF16;
      result.isExact = false;
      bindAlike(nameOf(result.element) + ("(" + x->text + ")"), result);
      return true;
    }
    if (!state.mayRound && x->magnitude < 100 && rng.chance(0.3)) {
      result.element = Element::I32;
      result.magnitude *= 3;
      bindAlike("i32(" + x->text + " * 3.1)", result);
      return true;
    }
    result.element = Element::F64;
    bindAlike("f64(" + x->text + ")", result);
    return true;
  case Element::F64:
  case Element::F16:
  case Element::BF16:
    result.isExact = false;
    break;
  case Element::I32:
    if (rng.chance(0.2)) {
      result.element = Element::Bool;
      bindAlike("bool(" + x->text + ")", result);
      return true;
    }
    break;
  case Element::Bool:
    if (rng.chance(0.2)) {
      result.element = Element::I32;
      result.magnitude = 1;
      bindAlike("i32(" + x->text + ")", result);
      return true;
    }
    result.magnitude = 1;
    break;
  }
  result.element = Element::F32;
  bindAlike("f32(" + x->text + ")", result);
  return true;
}

bool Body::tryDropout() {
  const Value *x = pickFloat();
  if (!x)
    return false;
  if (rng.chance(0.5))
    bindAlike(member("Dropout(0.1)") + "(" + x->text + ")", *x);
  else
    bindAlike("dropout(" + x->text + ", 0.2)", *x);
  return true;
}
