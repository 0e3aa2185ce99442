//===- BodyElements.cpp - random element-wise operations and reductions ---===//

#include "Body.h"
#include <algorithm>
#include <cmath>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

/// NumPy broadcasting; false if the shapes do not.
static bool broadcast(const std::vector<int64_t> &a,
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

/// Over one axis: partial, where that is split.
const Value &Body::sumOf(const Value &x) {
  Value sum = x;
  size_t axis = rng.below(x.rank());
  sum.isExact = false;
  sum.magnitude *= x.shape[axis];
  sum.shape[axis] = 1;
  return bind("sum(" + x.text + ", axis = " + std::to_string(axis) +
                  ", keepdim = true)",
              sum);
}

bool Body::tryUnary() {
  const Value *x = pick([](const Value &v) { return v.isFloat(); });
  if (!x)
    return false;
  Value result = *x;
  result.isExact = false;
  if (x->isPositive && x->magnitude < 1e3 && rng.chance(0.7)) {
    if (x->rank() > 0 && rng.chance(0.4)) {
      x = &sumOf(*x);
      result = *x;
    }
    std::string kind = rng.oneOf<std::string>({"log", "sqrt", "rsqrt"});
    result.isPositive = kind == "sqrt";
    result.magnitude = std::max(2.0, std::sqrt(x->magnitude));
    bind(kind + "(" + x->text + ")", result);
    return true;
  }
  std::string kind = rng.oneOf<std::string>(
      {"gelu", "gelu_tanh", "silu", "relu", "sigmoid", "tanh", "exp", "erf",
       "abs", "neg", "sin", "cos"});
  if (kind == "exp" && x->magnitude > 6)
    kind = "tanh";
  if ((kind == "sin" || kind == "cos") && x->magnitude > 20)
    kind = "erf";
  result.isPositive = false;
  if (kind == "exp")
    result.magnitude = std::exp(x->magnitude);
  else if (kind == "sigmoid" || kind == "tanh" || kind == "erf" ||
           kind == "sin" || kind == "cos")
    result.magnitude = 1;
  else if (kind == "relu" || kind == "abs" || kind == "neg")
    result.isExact = x->isExact;
  bind(kind == "neg" ? "-" + x->text : kind + "(" + x->text + ")", result);
  return true;
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
  bind(rng.chance(0.5) && kind != "-" ? b->text + " " + kind + " " + a->text
                                      : a->text + " " + kind + " " + b->text,
       result);
  return true;
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
  bind(kind + "(" + a->text + ", " + b->text + ")", result);
  return true;
}

/// Division and powers need operands away from zero; makes one if there is
/// none.
bool Body::tryQuotient() {
  const Value *b = pick(
      [](const Value &v) { return v.isPositive && v.element == Element::F32; });
  if (!b || rng.chance(0.3)) {
    const Value *x = pickFloat();
    if (!x)
      return false;
    Value positive = *x;
    positive.isPositive = true;
    positive.isExact = false;
    positive.magnitude = x->magnitude + 0.5;
    b = &bind("abs(" + x->text + ") + 0.5", positive);
    if (rng.chance(0.3))
      return true;
  }
  if (b->rank() > 0 && b->magnitude < 100 && rng.chance(0.4))
    b = &sumOf(*b);
  Value result = *b;
  result.isExact = false;
  const Value *a = partner(*b, result.shape);
  if (rng.chance(0.3) && b->magnitude < 8) {
    result.isPositive = false;
    const Value *exponent = a;
    result.magnitude = std::pow(std::max(b->magnitude, 3.0),
                                std::min(exponent->magnitude, 50.0));
    if (exponent->magnitude > 5 || result.magnitude > 1e4 || rng.chance(0.5)) {
      result.shape = b->shape;
      result.magnitude = b->magnitude * b->magnitude;
      bind("pow(" + b->text + ", 1.5)", result);
    } else {
      bind(rng.chance(0.5) ? b->text + " ** " + exponent->text
                           : "pow(" + b->text + ", " + exponent->text + ")",
           result);
    }
    return true;
  }
  result.isPositive = false;
  result.magnitude = a->magnitude / 0.3;
  if (result.magnitude > 1e4)
    return false;
  bind(a->text + " / " + b->text, result);
  return true;
}

/// Only with constants that no computed value is likely to equal, or between
/// values that are exact on both sides.
bool Body::tryCompare() {
  const Value *a =
      pick([](const Value &v) { return v.element != Element::Bool; });
  if (!a)
    return false;
  Value result = *a;
  result.element = Element::Bool;
  result.isPositive = result.isIds = false;
  result.isExact = true;
  std::string kind = rng.oneOf<std::string>({"<", "<=", ">", ">=", "==", "!="});
  const Value *b = partner(*a, result.shape);
  if (a->isExact && b->isExact && rng.chance(0.6)) {
    bind(a->text + " " + kind + " " + b->text, result);
    return true;
  }
  if (a->rank() > 0 && a->element == Element::F32 && !a->isExact &&
      a->magnitude < 1e3 && rng.chance(0.4))
    a = &sumOf(*a);
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
  bind(a->text + rng.oneOf<std::string>({" and ", " or ", " == ", " != "}) +
           b->text,
       result);
  return true;
}

bool Body::tryWhere() {
  const Value *c =
      pick([](const Value &v) { return v.element == Element::Bool; });
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
  if (a->element == Element::F32 && rng.chance(0.4)) {
    broadcast(c->shape, a->shape, result.shape);
    result.isPositive = false;
    bind("where(" + c->text + ", " +
             (rng.chance(0.5) ? a->text + ", 0.0" : "0.0, " + a->text) + ")",
         result);
    return true;
  }
  result.isPositive = a->isPositive && b->isPositive;
  result.isExact = a->isExact && b->isExact;
  result.magnitude = std::max(a->magnitude, b->magnitude);
  bind("where(" + c->text + ", " + a->text + ", " + b->text + ")", result);
  return true;
}

bool Body::tryCast() {
  const Value *x = pick([](const Value &) { return true; });
  Value result = *x;
  result.isIds = false;
  switch (x->element) {
  case Element::F32:
    result.element = Element::F64;
    bind("f64(" + x->text + ")", result);
    return true;
  case Element::F64:
    result.isExact = false;
    break;
  case Element::I32:
    if (rng.chance(0.2)) {
      result.element = Element::Bool;
      bind("bool(" + x->text + ")", result);
      return true;
    }
    break;
  case Element::Bool:
    if (rng.chance(0.2)) {
      result.element = Element::I32;
      result.magnitude = 1;
      bind("i32(" + x->text + ")", result);
      return true;
    }
    result.magnitude = 1;
    break;
  }
  result.element = Element::F32;
  bind("f32(" + x->text + ")", result);
  return true;
}

/// Integer arithmetic is exact but loses that a value may look up a row.
bool Body::tryInts() {
  const Value *a = pick([](const Value &v) {
    return v.element == Element::I32 && v.magnitude < 1000;
  });
  if (!a)
    return false;
  Value result = *a;
  if (rng.chance(0.4) && a->rank() > 0) {
    int64_t axis = rng.below(a->rank());
    bool isMax = rng.chance(0.5);
    result.shape.erase(result.shape.begin() + axis);
    result.isIds = a->isIds && isMax;
    result.magnitude *= isMax ? 1 : a->shape[axis];
    bind((isMax ? "max(" : "sum(") + a->text +
             ", axis = " + std::to_string(axis) + ")",
         result);
    return true;
  }
  result.isIds = false;
  if (rng.chance(0.3)) {
    bind(rng.oneOf<std::string>({"-", "abs(", "relu("}) + a->text, result);
    std::string &written = statements;
    if (written[written.size() - 2 - a->text.size()] == '(')
      written.insert(written.size() - 1, ")");
    return true;
  }
  const Value *b = partner(*a, result.shape);
  std::string kind = rng.oneOf<std::string>({" + ", " - ", " * "});
  result.magnitude =
      kind == " * " ? a->magnitude * b->magnitude : a->magnitude + b->magnitude;
  bind(a->text + kind + b->text, result);
  return true;
}

bool Body::tryDropout() {
  const Value *x = pickFloat();
  if (!x)
    return false;
  if (rng.chance(0.5))
    bind(member("Dropout(0.1)") + "(" + x->text + ")", *x);
  else
    bind("dropout(" + x->text + ", 0.2)", *x);
  return true;
}

bool Body::tryReduce() {
  const Value *x = pick([](const Value &v) { return v.isFloat() && v.rank(); });
  if (!x)
    return false;
  std::string kind = rng.oneOf<std::string>({"sum", "mean", "max"});
  bool keep = rng.chance(0.4);
  Value result = *x;
  result.isExact = x->isExact && kind == "max";
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < x->rank(); ++axis)
    if (rng.chance(0.4))
      axes.push_back(axis);
  if (axes.empty())
    axes.push_back(rng.below(x->rank()));
  std::string list;
  int64_t reduced = 1;
  for (int64_t axis : axes) {
    list += (list.empty() ? "" : ", ") + std::to_string(axis);
    reduced *= x->shape[axis];
    result.shape[axis] = keep ? 1 : 0;
  }
  if (!keep)
    result.shape.erase(std::remove(result.shape.begin(), result.shape.end(), 0),
                       result.shape.end());
  if (kind == "sum")
    result.magnitude *= reduced;
  if (result.magnitude > 1e4)
    return false;
  if (axes.size() > 1)
    list = "(" + list + ")";
  bool all = axes.size() == x->rank() && !keep && rng.chance(0.5);
  bind(kind + "(" + x->text + (all ? "" : ", axis = " + list) +
           (keep ? ", keepdim = true)" : ")"),
       result);
  return true;
}
