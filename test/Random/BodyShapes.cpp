//===- BodyShapes.cpp - random rearrangements, slices and module calls ----===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

/// An axis of a rearrange pattern.
namespace {
struct Atom {
  std::string name;
  int64_t size;
};
} // namespace

static std::string join(const std::vector<Atom> &atoms) {
  if (atoms.empty())
    return "1";
  std::string text;
  for (const Atom &atom : atoms)
    text += (text.empty() ? "" : " ") + atom.name;
  return atoms.size() == 1 ? text : "(" + text + ")";
}

bool Body::tryRearrange() {
  const Value *x = pick([](const Value &v) { return v.rank() > 0; });
  if (!x)
    return false;
  std::vector<Atom> atoms;
  std::string left;
  static const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  size_t next = 0, cut = rng.below(2 * x->rank());
  for (size_t dim = 0; dim < x->rank(); ++dim) {
    int64_t size = x->shape[dim], part = 1;
    for (int64_t divisor = 2; divisor < size; ++divisor)
      if (size % divisor == 0 && (part == 1 || rng.chance(0.5)))
        part = divisor;
    std::vector<Atom> group;
    if (dim == cut && part > 1) {
      std::string known = "n" + std::to_string(bound++);
      statements += "    let " + known + " = " + std::to_string(part) + "\n";
      group = {{known, part}, {names[next++], size / part}};
      if (rng.chance(0.5))
        std::swap(group[0], group[1]);
    } else {
      group = {{names[next++], size}};
    }
    left += (left.empty() ? "" : " ") + join(group);
    atoms.insert(atoms.end(), group.begin(), group.end());
  }
  if (rng.chance(0.7))
    rng.shuffle(atoms);
  std::vector<std::vector<Atom>> groups;
  for (const Atom &atom : atoms) {
    int64_t last = 1;
    if (!groups.empty())
      for (const Atom &other : groups.back())
        last *= other.size;
    bool full = groups.size() == 4 && last * atom.size <= 300;
    if (!groups.empty() && last * atom.size <= 36 && rng.chance(0.35))
      full = true;
    if (full)
      groups.back().push_back(atom);
    else
      groups.push_back({atom});
  }
  if (groups.size() < 4 && rng.chance(0.15))
    groups.insert(groups.begin() + rng.below(groups.size() + 1),
                  std::vector<Atom>());
  Value result = *x;
  result.shape.clear();
  std::string right;
  for (const std::vector<Atom> &group : groups) {
    result.shape.push_back(1);
    for (const Atom &atom : group)
      result.shape.back() *= atom.size;
    right += (right.empty() ? "" : " ") + join(group);
  }
  bind("rearrange(" + x->text + ", \"" + left + " -> " + right + "\")", result);
  return true;
}

bool Body::tryTranspose() {
  const Value *x = pick([](const Value &v) { return v.rank() >= 2; });
  if (!x)
    return false;
  Value result = *x;
  if (rng.chance(0.5)) {
    std::swap(result.shape[x->rank() - 1], result.shape[x->rank() - 2]);
    bind("transpose(" + x->text + ")", result);
    return true;
  }
  size_t a = rng.below(x->rank()), b = rng.below(x->rank());
  std::swap(result.shape[a], result.shape[b]);
  bind("transpose(" + x->text + ", " + std::to_string(a) + ", " +
           std::to_string(b) + ")",
       result);
  return true;
}

bool Body::trySlice() {
  const Value *x = pick([](const Value &v) { return v.rank() > 0; });
  if (!x)
    return false;
  Value result = *x;
  size_t axis = rng.below(x->rank());
  int64_t size = rng.between(1, x->shape[axis]);
  int64_t start = rng.between(0, x->shape[axis] - size);
  result.shape[axis] = size;
  std::string before;
  for (size_t i = 0; i < axis; ++i)
    before += ":, ";
  switch (rng.below(3)) {
  case 0:
    bind("slice(" + x->text + ", axis = " + std::to_string(axis) +
             ", start = " + std::to_string(start) +
             ", size = " + std::to_string(size) + ")",
         result);
    return true;
  case 1:
    bind(x->text + "[" + before + std::to_string(start) + ":" +
             std::to_string(start + size) + "]",
         result);
    return true;
  default:
    result.shape.erase(result.shape.begin() + axis);
    bind(x->text + "[" + before + std::to_string(start) + "]", result);
    return true;
  }
}

bool Body::tryConcat() {
  const Value *a = pick([](const Value &v) { return v.rank() > 0; });
  if (!a)
    return false;
  size_t axis = rng.below(a->rank());
  const Value *b = pick([&](const Value &v) {
    if (v.element != a->element || v.rank() != a->rank())
      return false;
    for (size_t i = 0; i < v.rank(); ++i)
      if (i != axis && v.shape[i] != a->shape[i])
        return false;
    return v.shape[axis] + a->shape[axis] <= 24;
  });
  if (!b)
    return false;
  Value result = *a;
  result.shape[axis] += b->shape[axis];
  result.isExact = a->isExact && b->isExact;
  result.isPositive = a->isPositive && b->isPositive;
  result.isIds = a->isIds && b->isIds;
  result.magnitude = std::max(a->magnitude, b->magnitude);
  bind("concat(" + a->text + ", " + b->text +
           ", axis = " + std::to_string(axis) + ")",
       result);
  return true;
}

bool Body::trySplit() {
  const Value *x = pick([](const Value &v) {
    return v.rank() > 0 && (v.shape.back() % 2 == 0 || v.shape[0] % 3 == 0);
  });
  if (!x)
    return false;
  bool last = x->shape.back() % 2 == 0;
  size_t axis = last ? x->rank() - 1 : 0;
  int64_t parts = last ? 2 : 3;
  Value result = *x;
  result.shape[axis] /= parts;
  std::string names, text = x->text;
  for (int64_t i = 0; i < parts; ++i) {
    result.text = "v" + std::to_string(bound++);
    names += (i ? ", " : "") + result.text;
    keep(result);
  }
  statements += "    " + names + " = split(" + text + ", " +
                std::to_string(parts) + ", axis = " + std::to_string(axis) +
                ")\n";
  return true;
}

bool Body::tryUnbind() {
  const Value *x = pick([](const Value &v) {
    return v.rank() > 1 && (v.shape[0] == 2 || v.shape[0] == 3);
  });
  if (!x)
    return false;
  Value result = *x;
  result.shape.erase(result.shape.begin());
  std::string names, text = x->text;
  for (int64_t i = 0, count = x->shape[0]; i < count; ++i) {
    result.text = "v" + std::to_string(bound++);
    names += (i ? ", " : "") + result.text;
    keep(result);
  }
  statements += "    " + names + " = " + text + "\n";
  return true;
}

bool Body::tryIota() {
  const Value *x = pickFloat(1);
  if (!x)
    return false;
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude += 12;
  if (rng.chance(0.3)) {
    result.shape = {x->shape.back()};
    result.magnitude = 12;
    result.isExact = true;
    result.element = Element::I32;
    result.isIds = x->shape.back() <= state.vocabulary;
    bind("iota(" + std::to_string(x->shape.back()) + ")", result);
    return true;
  }
  if (rng.chance(0.3))
    bind(x->text + " + fill(0.5, like = " + x->text + ")", result);
  else
    bind(x->text + " + f32(iota(" + std::to_string(x->shape.back()) + "))",
         result);
  return true;
}

/// A module of its own, called once, twice, or in an array of two.
bool Body::tryCall() {
  if (!mayCall || state.modules >= 3)
    return false;
  const Value *x = pickFloat(1);
  const Value *y = pick([](const Value &) { return true; });
  if (!x)
    return false;
  std::string name = "Block" + std::to_string(state.modules++);
  std::vector<Value> arguments;
  std::string types, operands;
  auto argument = [&](const Value &value, const std::string &as) {
    arguments.push_back(value);
    arguments.back().text = as;
    std::string type;
    for (size_t i = 0; i < value.rank(); ++i)
      type += (i ? ", " : "") + as + "_d" + std::to_string(i);
    types += (types.empty() ? "" : ", ") + as + ": " + nameOf(value.element) +
             "[" + type + "]";
    operands += (operands.empty() ? "" : ", ") + value.text;
  };
  argument(*x, "x");
  if (rng.chance(0.4) && y->text != x->text)
    argument(*y, "y");
  Value input = *x;
  Body body(state, arguments, /*mayCall=*/rng.chance(0.2));
  Value result = body.fill(rng.between(1, 5));
  bool keepsShape = result.shape == input.shape && arguments.size() == 1 &&
                    result.magnitude < 50;
  std::string text = "x + " + result.text;
  bool isResidual = keepsShape && !state.onlyMoves && rng.chance(0.6);
  state.moduleText += "module " + name + "() {\n" + body.members +
                      "  forward(" + types + ") {\n" + body.statements +
                      "    return " + (isResidual ? text : result.text) +
                      "\n  }\n}\n\n";
  if (isResidual) {
    result.isExact = result.isPositive = false;
    result.magnitude += input.magnitude;
  }
  if (keepsShape && rng.chance(0.6)) {
    std::string array = "m" + std::to_string(memberCount++);
    members += "  " + array + " = [" + name + "() for i in 0..2]\n";
    std::string now = "v" + std::to_string(bound++);
    statements += "    " + now + " = " + input.text + "\n    for block in " +
                  array + " { " + now + " = block(" + now + ") }\n";
    result.text = now;
    result.magnitude *= 2;
    result.isPositive = false;
    keep(result);
    return true;
  }
  bind(member(name + "()") + "(" + operands + ")", result);
  return true;
}
