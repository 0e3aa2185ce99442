//===- BodyGrids.cpp - norms, chains and choices over a grid --------------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

bool Body::tryGroupNorm() {
  const Value *x = pickGrid();
  if (!x)
    return false;
  int64_t channels = x->shape[1], groups = rng.between(1, channels);
  int64_t values = x->elements() / (x->shape[0] * groups);
  if (channels % groups || values < 2)
    return false;
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude = 4;
  bind(member("GroupNorm(" + std::to_string(groups) + ", " +
              std::to_string(channels) + ", 1e-1)") +
           "(" + x->text + ")",
       result);
  return true;
}

/// Of each channel and image, of each channel, or of the last dims.
bool Body::tryGridNorm() {
  const Value *x = pickGrid();
  if (!x || x->magnitude > 100)
    return false;
  int64_t channels = x->shape[1], rank = x->rank();
  int64_t positions = x->elements() / (x->shape[0] * channels);
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude = 4;
  std::string dims = std::to_string(rank - 2) + "d(" +
                     std::to_string(channels) + ", eps = 1e-1";
  std::string constructor;
  if (rng.chance(0.3)) {
    int64_t first = rng.between(2, rank - 1);
    std::string sizes;
    for (int64_t dim = first; dim < rank; ++dim)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(x->shape[dim]);
    constructor = "LayerNorm([" + sizes + "], eps = 1e-1" +
                  (rng.chance(0.3) ? ", bias = false)" : ")");
  } else if (rng.chance(0.5)) {
    constructor =
        "InstanceNorm" + dims + (rng.chance(0.5) ? ", affine = true)" : ")");
  } else {
    if (x->shape[0] * positions < 2)
      return false;
    // Running statistics may be small against what they are not of.
    result.magnitude = 4 * x->magnitude + 4;
    constructor =
        "BatchNorm" + dims + (rng.chance(0.3) ? ", affine = false)" : ")");
  }
  bind(member(constructor) + "(" + x->text + ")", result);
  return true;
}

bool Body::tryChain() {
  wanted = pickGrid();
  if (!wanted)
    return false;
  mustTake = true;
  int64_t made = 0;
  for (int64_t i = rng.between(2, 4); i > 0; --i) {
    bool isNext = rng.chance(0.65) ? tryConvolution() : tryPooling();
    if (!isNext)
      continue;
    ++made;
    inChain = true;
    wanted = &pool.back();
    if (i > 1 && rng.chance(0.5) && tryUnary())
      wanted = &pool.back();
  }
  wanted = nullptr;
  mustTake = inChain = false;
  return made > 0;
}

/// A value and what comes back of it, down and up by one stride, with zeros for
/// the positions that fit no stride.
bool Body::trySkip() {
  const Value *x = pickGrid();
  int64_t stride = rng.between(2, 3);
  if (!x)
    return false;
  std::string pads, ends;
  for (size_t dim = 2; dim < x->rank(); ++dim) {
    if (x->shape[dim] < stride)
      return false;
    if (int64_t rest = x->shape[dim] % stride) {
      pads += "pad(";
      ends += ", axis = " + std::to_string(dim) +
              ", before = 0, after = " + std::to_string(rest) + ")";
    }
  }
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude *= 2;
  std::string text = x->text, number = std::to_string(stride);
  std::string down = (rng.chance(0.5) ? "max_pool" : "avg_pool") +
                     std::to_string(x->rank() - 2) + "d(" + text + ", " +
                     number + ")";
  std::string up = "interpolate(" + down + ", scale = " + number +
                   (rng.chance(0.5) ? ", mode = linear)" : ")");
  bind(text + " + " + pads + up + ends, result);
  return true;
}

/// One of two values, where two comparisons hold.
bool Body::tryConjunction() {
  auto fits = [](const Value &v) {
    return v.element == Element::F32 && v.rank() > 0;
  };
  const Value *a = pick(fits);
  if (!a)
    return false;
  const Value *b =
      pick([&](const Value &v) { return fits(v) && v.shape == a->shape; });
  Value result = *a, other = *b, bools = *a;
  bools.element = Element::Bool;
  bools.isExact = true;
  bools.isPositive = false;
  std::string c = bindAlike(result.text + " > -0.7713", bools).text;
  std::string d = bind(other.text + " < 0.1371", bools).text;
  std::string both =
      bind(c + (rng.chance(0.7) ? " and " : " or ") + d, bools).text;
  result.isExact &= other.isExact;
  result.isPositive &= other.isPositive;
  result.magnitude = std::max(result.magnitude, other.magnitude);
  bind("where(" + both + ", " + result.text + ", " + other.text + ")", result);
  return true;
}
