//===- BodyFunctions.cpp - random functions that are made of others -------===//

#include "Body.h"

using namespace hocket::random;

/// Numbers for the places of a dim, as a constant is written.
static std::string listOf(int64_t count, Rng &apart, bool areFloats) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(apart.between(-2, 3)) +
            (areFloats ? ".5" : "");
  return "[" + text + "]";
}

Value Body::withFunction(const Value &x, Rng &apart) {
  if (x.rank() == 0)
    return x;
  size_t axis = apart.below(x.rank());
  int64_t size = x.shape[axis];
  std::string along = ", axis = " + std::to_string(axis) + ")";
  Value moved = x, made = x;
  made.isExact = made.isPositive = false;
  int64_t kind = apart.between(0, state.onlyMoves ? 3 : 8);
  if (kind == 0)
    return bind("roll(" + x.text + ", " +
                    std::to_string(apart.between(-size, size)) + along,
                moved);
  if (kind == 1)
    return bind("flip(" + x.text + along, moved);
  if (kind == 2) {
    moved.shape[axis] = apart.between(1, 5);
    std::string ids;
    for (int64_t i = 0; i < moved.shape[axis]; ++i)
      ids += (i ? ", " : "") + std::to_string(apart.between(-size, size - 1));
    return bind("take(" + x.text + ", [" + ids + "]" + along, moved);
  }
  if (kind == 3) {
    moved.shape.insert(moved.shape.begin(), 2);
    std::string dims = "2";
    for (int64_t dim : x.shape)
      dims += ", " + std::to_string(dim);
    return bind("broadcast(" + x.text + ", (" + dims + "))", moved);
  }
  if (kind == 4) {
    made.magnitude = x.magnitude * size;
    return bind("cumsum(" + x.text + along, made);
  }
  if (kind == 5) {
    made.magnitude = x.magnitude + 1;
    return bind("softplus(" + x.text + ", beta = 1.5)", made);
  }
  if (kind == 6) {
    made.magnitude = x.magnitude * 4;
    bool areFloats = apart.chance(0.5);
    std::string list = listOf(x.shape.back(), apart, areFloats);
    return bind(x.text + " * " + (areFloats ? "constant(" : "f32(constant(") +
                    list + (areFloats ? ")" : "))"),
                made);
  }
  if (kind == 7) {
    made.shape[axis] = std::min<int64_t>(size, 2);
    std::string name = "t" + std::to_string(bound++);
    statements += "    " + name + ", " + name + "i = topk(" + x.text + ", " +
                  std::to_string(made.shape[axis]) + along + "\n";
    made.text = name;
    return keep(made);
  }
  made.magnitude = x.magnitude + size;
  return bind(x.text + " + f32(argmax(" + x.text +
                  ", axis = " + std::to_string(axis) + ", keepdim = true))",
              made);
}
