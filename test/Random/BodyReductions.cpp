//===- BodyReductions.cpp - random reductions, also of split dims ---------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

/// The sum or maximum over one axis, which the schedule is asked to split.
const Value &Body::reducedOver(const Value &x, size_t axis, bool isMax,
                               bool keepdim) {
  Value made = x;
  if (!isMax) {
    made.isExact &= x.element == Element::I32;
    made.isIds = false;
    made.magnitude *= x.shape[axis];
  }
  if (!x.origin.argument.empty())
    state.wishes.push_back({x.origin.argument, x.origin.dims[axis]});
  if (keepdim)
    made.shape[axis] = 1;
  else
    made.shape.erase(made.shape.begin() + axis);
  return bind((isMax ? "max(" : "sum(") + x.text + ", axis = " +
                  std::to_string(axis) + (keepdim ? ", keepdim = true)" : ")"),
              made);
}

size_t Body::axisOf(const Value &x) {
  size_t axis = rng.below(x.rank());
  for (int i = 0; i < 3 && x.shape[axis] == 1; ++i)
    axis = rng.below(x.rank());
  return axis;
}

const Value &Body::reduced(const Value &x, bool keepdim) {
  bool isMax = state.onlyMoves || rng.chance(0.5);
  return reducedOver(x, axisOf(x), isMax, keepdim);
}

/// One operation on two values that are partial over the same axes.
void Body::joinPartials(const Value &x) {
  Value other = x;
  other.isExact = other.isPositive = false;
  other.magnitude += 1;
  const Value first = x; // the pool may move
  const Value second = bindAlike("0.5 - " + x.text, other);
  size_t axis = axisOf(first);
  bool isMax = rng.chance(0.5), keepdim = rng.chance(0.5);
  const Value a = reducedOver(first, axis, isMax, keepdim);
  const Value b = reducedOver(second, axis, isMax, keepdim);
  std::string kind = rng.oneOf<std::string>(
      {" + ", " - ", " * ", "maximum(", "minimum(", "minimum("});
  Value result = b;
  result.magnitude =
      kind == " * " ? a.magnitude * b.magnitude : a.magnitude + b.magnitude;
  if (result.magnitude > 1e4)
    return;
  bool isCall = kind[0] == 'm';
  bind(isCall ? kind + a.text + ", " + b.text + ")" : a.text + kind + b.text,
       result);
}

/// A value that is partial if the schedule grants the wish, sometimes joined
/// with one that is whole.
bool Body::tryPartial() {
  const Value *x = pick([](const Value &v) {
    return !v.origin.argument.empty() && v.elements() > 1 &&
           v.magnitude < 100 && v.element != Element::Bool;
  });
  if (!x)
    return false;
  if (x->element == Element::F32 && rng.chance(0.2))
    x = &positiveOf(*x); // so that its sum may divide and be raised to powers
  if (x->element == Element::F32 && !state.onlyMoves && rng.chance(0.2)) {
    joinPartials(*x);
    return true;
  }
  const Value *made = &reduced(*x, /*keepdim=*/rng.chance(0.6));
  bool isMax = statements.find(made->text + " = max(") != std::string::npos;
  if (rng.chance(0.5)) {
    std::vector<int64_t> shape;
    const Value *whole = pick([&](const Value &v) {
      return v.element == made->element && &v != made &&
             v.origin.argument != x->origin.argument &&
             broadcast(v.shape, made->shape, shape) && shape == v.shape;
    });
    if (whole) {
      Value joined = *made;
      joined.shape = whole->shape;
      joined.magnitude += whole->magnitude;
      joined.isExact &= whole->isExact && (isMax || !made->isFloat());
      joined.isPositive &= whole->isPositive;
      joined.isIds &= whole->isIds && isMax;
      made = &bind(isMax ? "maximum(" + whole->text + ", " + made->text + ")"
                         : whole->text + " + " + made->text,
                   joined);
    }
  }
  if (made->element == Element::F32 && rng.chance(0.1)) {
    Value wide = *made;
    wide.element = Element::F64;
    made = &bind("f64(" + made->text + ")", wide);
  }
  consume(*made);
  return true;
}

/// One operation on the value, any of those that have a rule of their own.
void Body::consume(const Value &value) {
  using Try = bool (Body::*)();
  static const std::vector<Try> moves = {
      &Body::tryRearrange, &Body::trySlice, &Body::tryConcat,
      &Body::tryExtremum,  &Body::tryWhere, &Body::tryDropout};
  static const std::vector<Try> all = {
      &Body::tryUnary,          &Body::tryUnary,    &Body::tryUnary,
      &Body::tryUnary,          &Body::tryBinary,   &Body::tryBinary,
      &Body::tryExtremum,       &Body::tryQuotient, &Body::tryPower,
      &Body::tryCompare,        &Body::tryCompare,  &Body::tryWhere,
      &Body::tryWhere,          &Body::tryCast,     &Body::tryCast,
      &Body::tryInts,           &Body::tryDropout,  &Body::tryReduce,
      &Body::tryLinear,         &Body::tryMatmul,   &Body::tryEmbedding,
      &Body::tryPlainAttention, &Body::tryNorm,     &Body::trySoftmax,
      &Body::tryRotary,         &Body::trySlice,    &Body::tryConcat,
      &Body::tryRearrange};
  wanted = &value;
  for (int attempt = 0; attempt < 5; ++attempt)
    if ((this->*rng.oneOf(state.onlyMoves ? moves : all))())
      break;
  wanted = nullptr;
}

bool Body::tryReduce() {
  const Value *x = pick([](const Value &v) { return v.isFloat() && v.rank(); });
  if (!x)
    return false;
  std::string kind = rng.oneOf<std::string>({"sum", "mean", "max", "min"});
  bool keep = rng.chance(0.4);
  Value result = *x;
  result.isExact = x->isExact && (kind == "max" || kind == "min");
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

/// Integer arithmetic is exact but loses that a value may look up a row.
bool Body::tryInts() {
  const Value *a = pick([](const Value &v) {
    return v.element == Element::I32 && v.magnitude < 1000;
  });
  if (!a)
    return false;
  Value result = *a;
  bool divides = rng.chance(a == wanted ? 0.5 : 0.1);
  if (!divides && rng.chance(0.4) && a->rank() > 0) {
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
  if (!divides && rng.chance(0.3)) {
    bind(rng.oneOf<std::string>({"-", "abs(", "relu("}) + a->text, result);
    std::string &written = statements;
    if (written[written.size() - 2 - a->text.size()] == '(')
      written.insert(written.size() - 1, ")");
    return true;
  }
  if (divides) { // rounds towards zero
    bind(a->text + rng.oneOf<std::string>({" / 2", " / 3", " / -2"}), result);
    return true;
  }
  const Value *b = partner(*a, result.shape);
  std::string kind = rng.oneOf<std::string>({" + ", " - ", " * "});
  result.magnitude =
      kind == " * " ? a->magnitude * b->magnitude : a->magnitude + b->magnitude;
  bind(a->text + kind + b->text, result);
  return true;
}
