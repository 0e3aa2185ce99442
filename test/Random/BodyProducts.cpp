//===- BodyProducts.cpp - random products, attention and norms ------------===//

#include "Body.h"
#include <algorithm>

using namespace hocket::random;

static constexpr int64_t kMaxElements = 3000;

/// A dim as a member states it: a number, or a product of named factors.
std::string Body::dimText(int64_t size) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 2; divisor < size; ++divisor)
    if (size % divisor == 0)
      divisors.push_back(divisor);
  if (divisors.empty() || rng.chance(0.5))
    return std::to_string(size);
  int64_t major = rng.oneOf(divisors);
  std::string number = std::to_string(memberCount);
  return "(p" + number + " = " + std::to_string(major) + ", q" + number +
         " = " + std::to_string(size / major) + ")";
}

/// A new Linear or Conv1D applied to x; not bound.
Value Body::linear(const Value &x, int64_t out, const std::string &outText) {
  bool conv = rng.chance(0.3);
  std::string made =
      member(std::string(conv ? "Conv1D(" : "Linear(") +
             (rng.chance(0.5) ? std::to_string(x.shape.back())
                              : dimText(x.shape.back())) +
             ", " + outText + (rng.chance(0.5) ? ", bias = false)" : ")"));
  Value result = x;
  result.text = made + "(" + x.text + ")";
  result.shape.back() = out;
  result.isExact = result.isPositive = result.isIds = false;
  result.magnitude = x.magnitude * 0.06 * x.shape.back() + 0.1;
  return result;
}

bool Body::tryLinear() {
  const Value *x = pickFloat(1);
  if (!x || x->magnitude > 1e4)
    return false;
  int64_t out = rng.chance(0.4) ? x->shape.back() : rng.between(1, 12);
  if (x->elements() / x->shape.back() * out > kMaxElements)
    return false;
  Value result = linear(*x, out, dimText(out));
  bind(std::string(result.text), result);
  return true;
}

bool Body::tryEmbedding() {
  const Value *ids = pick([](const Value &v) { return v.isIds; });
  if (!ids || ids->rank() > 3)
    return false;
  int64_t width = rng.between(1, 12);
  if (ids->elements() * width > kMaxElements)
    return false;
  Value result = *ids;
  result.element = Element::F32;
  result.isIds = result.isPositive = false;
  result.shape.push_back(width);
  result.magnitude = 0.1;
  std::string table = member("Embedding(" + dimText(state.vocabulary) + ", " +
                             dimText(width) + ")");
  bind(table + "(" + ids->text + ")", result);
  if (rng.chance(0.3)) { // a tied use of the table
    result.text = table + ".weight";
    result.shape = {state.vocabulary, width};
    result.isExact = true;
    result.origin = {};
    pool.insert(pool.begin(), result);
  }
  return true;
}

bool Body::tryMatmul() {
  const Value *a = pickFloat(2);
  if (!a)
    return false;
  int64_t k = a->shape.back();
  auto leads = [&](const Value &v, std::vector<int64_t> &shape) {
    int64_t elements = 1;
    shape.assign(std::max(a->rank(), v.rank()) - 2, 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t x = i + 2 < a->rank() ? a->shape[a->rank() - 3 - i] : 1;
      int64_t y = i + 2 < v.rank() ? v.shape[v.rank() - 3 - i] : 1;
      if (x != y && x != 1 && y != 1)
        return false;
      elements *= shape[shape.size() - 1 - i] = std::max(x, y);
    }
    return elements * 144 <= kMaxElements;
  };
  std::vector<int64_t> shape;
  bool turned = rng.chance(0.6);
  const Value *b = pick([&](const Value &v) {
    std::vector<int64_t> ignored;
    return v.element == Element::F32 && v.rank() >= 2 &&
           v.shape[v.rank() - (turned ? 1 : 2)] == k && leads(v, ignored);
  });
  if (!b) {
    b = a;
    turned = true;
  }
  if (!leads(*b, shape))
    return false;
  Value result = *a;
  result.isExact = result.isPositive = false;
  result.magnitude = a->magnitude * b->magnitude * k;
  if (result.magnitude > 1e4)
    return false;
  shape.push_back(a->shape[a->rank() - 2]);
  shape.push_back(b->shape[b->rank() - (turned ? 2 : 1)]);
  result.shape = shape;
  bind("matmul(" + a->text + ", " +
           (turned ? "transpose(" + b->text + ")" : b->text) + ")",
       result);
  return true;
}

/// Numbers that there are, or two: by the largest of the elements at a
/// position.
std::string Body::documents(const Value &keys, int64_t batch, int64_t length) {
  const Value *ids = pick([&](const Value &v) {
    return v.element == Element::I32 && v.magnitude < 1000 &&
           v.shape == std::vector<int64_t>{batch, length};
  });
  if (ids && rng.chance(0.5))
    return ids->text;
  Value made;
  made.element = Element::I32;
  made.shape = {batch, length};
  made.magnitude = 1;
  std::string axes = keys.rank() == 3 ? "2" : "(1, 3)";
  return bind("i32(max(" + keys.text + ", axis = " + axes + ") > 0.0137)", made)
      .text;
}

/// Keys are hidden where the largest of their elements is small.
std::string Body::attentionMask(const Value &keys, int64_t batch,
                                int64_t length, int64_t queries) {
  std::string mask = rng.chance(0.4) ? "causal" : "";
  if (state.isGrid && length == queries && rng.chance(0.8))
    mask += std::string(mask.empty() ? "" : " * ") + "window(" +
            std::to_string(rng.between(0, 4)) + ", " +
            std::to_string(rng.between(0, 4)) + ")";
  if (rng.chance(0.4) && !state.mayRound) {
    const Value *keep = pick([&](const Value &v) {
      return v.element == Element::Bool &&
             v.shape == std::vector<int64_t>{batch, length};
    });
    Value made;
    made.element = Element::Bool;
    made.shape = {batch, length};
    std::string text;
    if (keep)
      text = keep->text;
    else if (keys.rank() == 3)
      text = bind("max(" + keys.text + ", axis = 2) > 0.0137", made).text;
    else
      text = bind("max(" + keys.text + ", axis = (1, 3)) > 0.0137", made).text;
    mask += (mask.empty() ? "" : " * ") + ("padding(" + text + ")");
  }
  if (length == queries && rng.chance(0.3) && !state.mayRound)
    mask += (mask.empty() ? "" : " * ") +
            ("documents(" + documents(keys, batch, length) + ")");
  return mask.empty() ? "" : ", mask = " + mask;
}

bool Body::tryAttention() {
  auto isSequence = [](const Value &v) {
    return v.element == Element::F32 && v.rank() == 3 && v.magnitude < 200;
  };
  const Value *x = pick(isSequence);
  if (!x)
    return false;
  const Value *y = pick([&](const Value &v) {
    return isSequence(v) && v.shape[0] == x->shape[0];
  });
  Value turned;
  if (state.isGrid && rng.chance(0.8)) { // its domain is the sequence
    std::string number = std::to_string(bound);
    std::string b = "b" + number, c = " c" + number, s = " s" + number;
    turned = *x;
    std::swap(turned.shape[1], turned.shape[2]);
    turned = bind("rearrange(" + x->text + ", \"" + b + c + s + " -> " + b + s +
                      c + "\")",
                  turned);
    x = y = &turned;
  }
  int64_t groups = rng.between(1, 3), heads = groups * rng.between(1, 3);
  int64_t width = 2 * rng.between(1, 2);
  if (x->shape[0] * std::max(x->shape[1], y->shape[1]) * heads * width >
      kMaxElements)
    return false;
  std::string number = std::to_string(bound);
  std::vector<Wish> weights; // of q, k and v, split by heads
  auto project = [&](const Value &from, int64_t count, const std::string &h) {
    Value made =
        linear(from, count * width,
               "(" + h + number + " = " + std::to_string(count) + ", d" +
                   number + " = " + std::to_string(width) + ")");
    made.shape = {from.shape[0], count, from.shape[1], width};
    weights.push_back(
        {made.text.substr(0, made.text.find('(')) + ".weight", h + number});
    std::string text = "rearrange(" + made.text + ", \"b s (" + h + number +
                       " d" + number + ") -> b " + h + number + " s d" +
                       number + "\")";
    return bind(std::string(text), made);
  };
  Value keys = *y;
  Value q = project(*x, heads, "h");
  Value k = project(keys, groups, "g");
  Value v = project(keys, groups, "g");
  if (1 < groups && groups < heads) // axes that nest in another order
    state.wishes.push_back(
        {weights[0].path, weights[0].axis, {weights[1], weights[2]}});
  if (rng.chance(0.4)) {
    std::string style = rng.chance(0.5) ? ", style = interleaved" : "";
    q = bind("rotary(" + q.text + ", axis = 2, base = 100.0" + style + ")", q);
    k = bind("rotary(" + k.text + ", axis = 2, base = 100.0" + style + ")", k);
  }
  std::string mask =
      attentionMask(keys, keys.shape[0], keys.shape[1], x->shape[1]);
  Value o = q;
  o.magnitude = v.magnitude;
  o = bind("attention(" + q.text + ", " + k.text + ", " + v.text + mask + ")",
           o);
  Value merged = o;
  merged.shape = {o.shape[0], o.shape[2], heads * width};
  merged = bind("rearrange(" + o.text + ", \"b h s d -> b s (h d)\")", merged);
  if (rng.chance(0.6)) {
    Value out = linear(merged, x->shape[2], std::to_string(x->shape[2]));
    bind(std::string(out.text), out);
  }
  return true;
}

/// q, k and v from what there is.
bool Body::tryPlainAttention() {
  const Value *x = pick([](const Value &v) {
    return v.element == Element::F32 && v.rank() == 4 && v.magnitude < 30;
  });
  if (!x)
    return false;
  const Value *y = pick([&](const Value &v) {
    return v.element == Element::F32 && v.rank() == 4 && v.magnitude < 30 &&
           v.shape[0] == x->shape[0] && v.shape[3] == x->shape[3] &&
           x->shape[1] % v.shape[1] == 0;
  });
  Value q = *x, k = *y;
  std::string mask = attentionMask(k, k.shape[0], k.shape[2], q.shape[2]);
  q.isExact = q.isPositive = false;
  q.magnitude = k.magnitude;
  std::string values = k.text;
  if (rng.chance(0.4)) { // partial, where the keys are not
    const Value &made =
        reducedOver(k, /*axis=*/3, /*isMax=*/rng.chance(0.5), /*keepdim=*/true);
    values = made.text;
    q.shape[3] = 1;
    q.magnitude = made.magnitude;
  }
  bind("attention(" + q.text + ", " + k.text + ", " + values + mask + ")", q);
  return true;
}

bool Body::tryNorm() {
  const Value *x = pickFloat(1);
  if (!x || x->shape.back() < 2)
    return false;
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude = 4;
  bool layer = rng.chance(0.6);
  std::string dim = rng.chance(0.5) ? std::to_string(x->shape.back())
                                    : dimText(x->shape.back());
  std::string made =
      member((layer ? "LayerNorm(" : "RmsNorm(") + dim +
             rng.oneOf<std::string>({", 1e-2", ", 1e-1"}) +
             (layer && rng.chance(0.3) ? ", bias = false)" : ")"));
  bind(made + "(" + x->text + ")", result);
  return true;
}

bool Body::trySoftmax() {
  const Value *x = pickFloat(1);
  if (!x || x->magnitude > 100)
    return false;
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude = 1;
  bind("softmax(" + x->text +
           ", axis = " + std::to_string(rng.below(x->rank())) + ")",
       result);
  return true;
}

bool Body::tryRotary() {
  const Value *x = pick([](const Value &v) {
    return v.element == Element::F32 && v.rank() >= 2 &&
           v.shape.back() % 2 == 0;
  });
  if (!x)
    return false;
  if (rng.chance(0.3) && x->rank() > 2 && !x->origin.argument.empty())
    x = &reducedOver(*x, /*axis=*/0, /*isMax=*/rng.chance(0.5),
                     /*keepdim=*/true);
  Value result = *x;
  result.isExact = result.isPositive = false;
  result.magnitude *= 2;
  bind("rotary(" + x->text +
           ", axis = " + std::to_string(rng.below(x->rank() - 1)) +
           ", base = 50.0" + (rng.chance(0.5) ? ", style = interleaved)" : ")"),
       result);
  return true;
}
