//===- BodyNeighborhoods.cpp - random neighborhoods and other sizes -------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

/// "a" of one, "(a, b)" of several.
static std::string tupleText(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : ", ") + text;
  return texts.size() == 1 ? all : "(" + all + ")";
}

/// A mask of neighborhoods in these dims, or nothing where they have no room.
static std::string maskText(Rng &rng, const std::vector<int64_t> &extents) {
  std::vector<std::string> kernels, strides, dilations, causal;
  for (int64_t extent : extents) {
    int64_t dilation = extent > 3 && rng.chance(0.3) ? rng.between(2, 3) : 1;
    int64_t most = std::min<int64_t>(extent / dilation, 5);
    if (most < 1)
      return "";
    int64_t kernel = rng.between(std::min<int64_t>(2, most), most);
    int64_t stride = rng.chance(0.6) ? 1 : rng.between(1, kernel);
    kernels.push_back(std::to_string(kernel));
    strides.push_back(std::to_string(stride));
    dilations.push_back(std::to_string(dilation));
    causal.push_back(rng.chance(0.25) ? "true" : "false");
  }
  return "neighborhood(" + tupleText(kernels) +
         ", stride = " + tupleText(strides) +
         ", dilation = " + tupleText(dilations) +
         ", causal = " + tupleText(causal) + ")";
}

/// The channels of a grid are heads with one number each, or one head's.
bool Body::tryNeighborhood() {
  auto fits = [](const Value &v) {
    return v.element == Element::F32 && v.rank() >= 3 && v.rank() <= 5 &&
           v.magnitude < 30;
  };
  const Value *x = pick(fits);
  if (!x)
    return false;
  const Value *y =
      pick([&](const Value &v) { return fits(v) && v.shape == x->shape; });
  std::vector<int64_t> extents(x->shape.begin() + 2, x->shape.end());
  std::string mask = maskText(rng, extents);
  if (mask.empty())
    return false;
  std::string number = std::to_string(bound), places;
  for (size_t i = 0; i < extents.size(); ++i)
    places += " n" + number + std::string(1, char('a' + i));
  std::string batch = "b" + number, channels = "c" + number;
  bool areHeads = rng.chance(0.5);
  std::string turned = areHeads ? batch + " " + channels + places + " 1"
                                : batch + " 1" + places + " " + channels;
  std::string plain = batch + " " + channels + places;
  auto turn = [&](const Value &from) {
    Value made = from;
    made.shape = {from.shape[0], areHeads ? from.shape[1] : 1};
    made.shape.insert(made.shape.end(), extents.begin(), extents.end());
    made.shape.push_back(areHeads ? 1 : from.shape[1]);
    return bind("rearrange(" + from.text + ", \"" + plain + " -> " + turned +
                    "\")",
                made);
  };
  Value from = *y, q = turn(*x), k = turn(from), v = k;
  if (areHeads && rng.chance(0.3)) // one head of k and v for all of q
    k = v = reducedOver(k, /*axis=*/1, /*isMax=*/true, /*keepdim=*/true);
  else if (rng.chance(0.4))
    v = q;
  q.isExact = q.isPositive = false;
  q.magnitude = v.magnitude;
  Value out = bind("attention(" + q.text + ", " + k.text + ", " + v.text +
                       ", mask = " + mask + ")",
                   q);
  Value result = out;
  result.shape = from.shape;
  bind("rearrange(" + out.text + ", \"" + turned + " -> " + plain + "\")",
       result);
  return true;
}

/// The last dim of a grid is a sequence, the one before it goes with images.
bool Body::tryWindowAttention() {
  auto fits = [](const Value &v) {
    return v.element == Element::F32 && (v.rank() == 3 || v.rank() == 4) &&
           v.magnitude < 30;
  };
  const Value *x = pick(fits);
  if (!x)
    return false;
  const Value *y =
      pick([&](const Value &v) { return fits(v) && v.shape == x->shape; });
  bool isPlane = x->rank() == 4, areHeads = rng.chance(0.5);
  std::string number = std::to_string(bound);
  std::string b = "b" + number, c = "c" + number, r = "r" + number,
              n = "n" + number;
  std::string plain = b + " " + c + " " + (isPlane ? r + " " : "") + n;
  if (isPlane) // which merged dims do not tell
    statements += "    let " + r + " = " + std::to_string(x->shape[2]) + "\n";
  std::string images = isPlane ? "(" + b + " " + r + ")" : b;
  std::string turned =
      images + (areHeads ? " " + c + " " + n + " 1" : " 1 " + n + " " + c);
  auto turn = [&](const Value &from) {
    Value made = from;
    int64_t count = from.shape[0] * (isPlane ? from.shape[2] : 1);
    made.shape = {count, areHeads ? from.shape[1] : 1, from.shape.back(),
                  areHeads ? 1 : from.shape[1]};
    return bind("rearrange(" + from.text + ", \"" + plain + " -> " + turned +
                    "\")",
                made);
  };
  Value to = *x, from = *y, q = turn(to), k = turn(from);
  q.isExact = q.isPositive = false;
  q.magnitude = k.magnitude;
  std::string mask =
      attentionMask(k, k.shape[0], k.shape[2], /*queries=*/q.shape[2]);
  Value out = bind(
      "attention(" + q.text + ", " + k.text + ", " + k.text + mask + ")", q);
  Value result = out;
  result.shape = to.shape;
  bind("rearrange(" + out.text + ", \"" + turned + " -> " + plain + "\")",
       result);
  return true;
}

bool Body::tryInterpolate() {
  const Value *x = pickGrid();
  if (!x)
    return false;
  Value result = *x;
  bool scales = rng.chance(0.5);
  std::vector<std::string> numbers;
  for (size_t dim = 2; dim < x->rank(); ++dim) {
    int64_t extent = x->shape[dim];
    int64_t number = scales ? rng.between(1, 3)
                     : extent % 2 == 0 && rng.chance(0.4)
                         ? extent / 2
                         : rng.between(1, 2 * extent);
    numbers.push_back(std::to_string(number));
    result.shape[dim] = scales ? extent * number : number;
    if (result.shape[dim] > 40)
      return false;
  }
  if (result.elements() > kMaxElements)
    return false;
  bool isLinear = rng.chance(0.5);
  std::string more = isLinear ? ", mode = linear" : "";
  if (isLinear && rng.chance(0.3))
    more += ", align_corners = true";
  result.isExact = result.isPositive = false;
  bind("interpolate(" + x->text + ", " + (scales ? "scale" : "size") + " = " +
           tupleText(numbers) + more + ")",
       result);
  return true;
}
