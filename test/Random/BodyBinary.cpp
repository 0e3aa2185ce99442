//===- BodyBinary.cpp - random functions of two elements ------------------===//

#include "Body.h"
#include <algorithm>
#include <cmath>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

/// NumPy broadcasting; false if the shapes do not.
bool Body::broadcast(const std::vector<int64_t> &a,
                     const std::vector<int64_t> &b,
                     std::vector<int64_t> &shape) {
  shape.assign(std::max(a.size(), b.size()), 1);
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return false;
    shape[shape.size() - 1 - i] = std::max(x, y);
    elements *= std::max(x, y);
  }
  return elements <= kMaxElements;
}

const Value *Body::partner(const Value &a, std::vector<int64_t> &shape) {
  std::vector<int64_t> ignored;
  const Value *b = pick([&](const Value &value) {
    return value.element == a.element && &value != &a &&
           broadcast(a.shape, value.shape, ignored);
  });
  if (!b)
    b = &a;
  broadcast(a.shape, b->shape, shape);
  return b;
}

bool Body::tryBinary() {
  const Value *a = pick([](const Value &v) { return v.isFloat(); });
  if (!a)
    return false;
  std::string kind = rng.oneOf<std::string>({"+", "+", "+", "-", "*", "*"});
  Value result = *a;
  result.isExact = false;
  if (rng.chance(0.25)) {
    std::string number = rng.oneOf<std::string>({"0.5", "2", "1.25", "-0.75"});
    result.isPositive = a->isPositive && kind != "-" && number[0] != '-';
    result.magnitude = a->magnitude * 2 + 2;
    bind(rng.chance(0.3) ? number + " " + kind + " " + a->text
                         : a->text + " " + kind + " " + number,
         result);
    return true;
  }
  const Value *b = partner(*a, result.shape);
  result.magnitude =
      kind == "*" ? a->magnitude * b->magnitude : a->magnitude + b->magnitude;
  if (result.magnitude > 1e4)
    return false;
  result.isPositive = a->isPositive && b->isPositive && kind == "+";
  bind(rng.chance(0.5) ? b->text + " " + kind + " " + a->text
                       : a->text + " " + kind + " " + b->text,
       result);
  return true;
}

Value Body::withParameter(const Value &x, Rng &apart) {
  std::string dims;
  for (size_t i = apart.below(x.rank() + 1); i < x.rank(); ++i) {
    std::string size = std::to_string(apart.chance(0.7) ? x.shape[i] : 1);
    std::string name = "own" + std::to_string(i);
    dims += (dims.empty() ? "" : ", ") +
            (apart.chance(0.5) ? size : "(" + name + " = " + size + ",)");
  }
  std::string own = member("Parameter(f32[" + dims + "])");
  bool isSum = apart.chance(0.5);
  Value result = x;
  result.isExact = result.isPositive = false;
  result.magnitude = isSum ? x.magnitude + 0.1 : x.magnitude * 1.1;
  return bind(isSum ? own + " + " + x.text : x.text + " * (" + own + " + 1)",
              result);
}

bool Body::tryExtremum() {
  const Value *a = pick(
      [](const Value &v) { return v.isFloat() || v.element == Element::I32; });
  if (!a)
    return false;
  std::string kind = rng.oneOf<std::string>({"maximum", "minimum"});
  Value result = *a;
  if (rng.chance(0.2) && a->isFloat()) {
    result.isPositive = a->isPositive && kind == "maximum";
    bind(kind + "(" + a->text + ", 0.25)", result);
    return true;
  }
  const Value *b = partner(*a, result.shape);
  result.magnitude = std::max(a->magnitude, b->magnitude);
  result.isExact = a->isExact && b->isExact;
  result.isPositive = a->isPositive && b->isPositive;
  result.isIds = a->isIds && b->isIds;
  if (rng.chance(0.5))
    std::swap(a, b);
  bind(kind + "(" + a->text + ", " + b->text + ")", result);
  return true;
}

const Value &Body::positiveOf(const Value &x) {
  Value made = x;
  made.isPositive = true;
  made.isExact = false;
  made.magnitude = x.magnitude + 0.5;
  return bindAlike("abs(" + x.text + ") + 0.5", made);
}

/// Division and powers need operands away from zero; makes one if there is
/// none.
const Value *Body::positive() {
  const Value *b = pick(
      [](const Value &v) { return v.isPositive && v.element == Element::F32; });
  if (!b || rng.chance(0.3)) {
    const Value *x = pickFloat();
    if (!x)
      return nullptr;
    b = &positiveOf(*x);
  }
  if (b->rank() > 0 && b->magnitude < 100 && rng.chance(0.4))
    b = &reduced(*b, /*keepdim=*/true);
  return b;
}

bool Body::tryQuotient() {
  const Value *b = positive();
  if (!b)
    return false;
  Value result = *b;
  result.isExact = result.isPositive = false;
  if (rng.chance(0.3)) { // a numerator that is whole, whatever b is
    result.magnitude = 2 / 0.3;
    bind("2 / " + b->text, result);
    return true;
  }
  const Value *a = partner(*b, result.shape);
  result.magnitude = a->magnitude / 0.3;
  if (result.magnitude > 1e4)
    return false;
  bind(a->text + " / " + b->text, result);
  return true;
}

/// Of a positive value that is not too large, with a constant or a computed
/// exponent of at most 2.
bool Body::tryPower() {
  const Value *b = positive();
  if (!b || b->magnitude > 40)
    return false;
  Value result = *b;
  result.isExact = result.isPositive = false;
  result.magnitude = b->magnitude * b->magnitude + 10;
  if (rng.chance(0.3)) {
    bind("pow(" + b->text + ", 1.5)", result);
    return true;
  }
  const Value *exponent = partner(*b, result.shape);
  if (exponent->magnitude > 2) {
    Value scaled = *exponent;
    scaled.isExact = scaled.isPositive = false;
    scaled.magnitude = 2;
    std::string factor = std::to_string(2 / exponent->magnitude);
    exponent = &bindAlike(exponent->text + " * " + factor, scaled);
  }
  bind(rng.chance(0.5) ? b->text + " ** " + exponent->text
                       : "pow(" + b->text + ", " + exponent->text + ")",
       result);
  return true;
}

/// Two values whose factors of one dim cross, as 2 by 3 and 3 by 2 do.
bool Body::tryCrossing() {
  auto isFactored = [](const Value &v) {
    return v.element == Element::F32 && v.magnitude < 10 &&
           std::count(v.origin.majors.begin(), v.origin.majors.end(), 0) <
               int64_t(v.origin.majors.size());
  };
  const Value *a = pick(isFactored);
  if (!a)
    return false;
  size_t dim = 0;
  const Value *b = pick([&](const Value &v) {
    if (!isFactored(v) || v.shape != a->shape)
      return false;
    for (size_t i = 0; i < v.rank(); ++i) {
      int64_t x = a->origin.majors[i], y = v.origin.majors[i];
      if (x && y && x % y && y % x) {
        dim = i;
        return true;
      }
    }
    return false;
  });
  if (!b)
    return false;
  return joinCrossing(*a, *b, dim);
}

bool Body::joinCrossing(const Value &a, const Value &b, size_t dim) {
  std::string kind = rng.oneOf<std::string>(
      {" + ", " - ", " * ", " / ", " ** ", " < ", " <= ", " > ",
       " >= ", " == ", " != ", "maximum(", "minimum(", "matmul("});
  bool isComparison = std::string("<>=!").find(kind[1]) != std::string::npos;
  if ((isComparison && state.mayRound) ||
      (kind == "matmul(" && (a.rank() < 2 || dim == a.rank() - 2)))
    return false;
  state.wishes.push_back({a.origin.argument, a.origin.dims[dim]});
  Value result = a;
  result.isExact = result.isPositive = false;
  result.magnitude = 100;
  std::string left = a.text, right = b.text;
  if (kind == "matmul(") {
    result.shape.back() = a.shape[a.rank() - 2];
    result.magnitude *= a.shape.back();
    right = "transpose(" + right + ")";
  }
  if (kind == " / ")
    right = "(abs(" + right + ") + 0.5)";
  if (kind == " ** ") {
    left = "(abs(" + left + ") + 0.5)";
    right = "(" + right + " * 0.2)";
  }
  if (isComparison) {
    result.element = Element::Bool;
    result.isExact = true;
    result.magnitude = 1;
  }
  bind(kind[0] == 'm' ? kind + left + ", " + right + ")" : left + kind + right,
       result);
  return true;
}
