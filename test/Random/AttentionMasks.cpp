//===- AttentionMasks.cpp - random masks of every kind --------------------===//

#include "AttentionModel.h"
#include <algorithm>

using namespace hocket::random;

static std::string number(int64_t value) { return std::to_string(value); }

/// "(a, b)" of several, "(a,)" would be a number in brackets: "[a]".
static std::string listText(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + number(value);
  return "[" + text + "]";
}

static std::string windowText(Rng &rng) {
  int64_t before = rng.between(0, 5);
  return rng.chance(0.5) ? "window(" + number(before) + ")"
                         : "window(" + number(before) + ", " +
                               number(rng.between(0, 4)) + ")";
}

namespace {
/// The parameters of one layout, in any order that the kind has.
class LayoutWriter {
public:
  LayoutWriter(Rng &rng, int64_t length) : rng(rng), length(length) {}
  std::string text();

private:
  void add(const std::string &name, const std::string &value) {
    parameters += ", " + name + " = " + value;
  }
  void add(const std::string &name, int64_t value) { add(name, number(value)); }
  void drawBlock();
  void drawHeads();
  bool drawDirection();
  void drawFixed();
  void drawVariable();
  void drawGlobals();

  Rng &rng;
  int64_t length, block = 1, blocks = 1;
  std::string parameters = "";
  bool isPerHead = false;
};
} // namespace

/// Mostly of two elements or more, of which there are two or more.
void LayoutWriter::drawBlock() {
  std::vector<int64_t> all, good;
  for (int64_t divisor = 1; divisor <= length; ++divisor)
    if (length % divisor == 0) {
      all.push_back(divisor);
      if (divisor > 1 && length / divisor > 1)
        good.push_back(divisor);
    }
  block = rng.oneOf(good.empty() || rng.chance(0.1) ? all : good);
  blocks = length / block;
}

void LayoutWriter::drawHeads() {
  isPerHead = rng.chance(0.6);
  if (isPerHead)
    add("per_head", "true");
}

/// True if no block sees what is after it.
bool LayoutWriter::drawDirection() {
  bool isForward = rng.chance(0.4);
  if (isForward || rng.chance(0.2))
    add("attention", isForward ? "unidirectional" : "bidirectional");
  return isForward;
}

void LayoutWriter::drawFixed() {
  int64_t global = rng.between(1, std::min<int64_t>(2, blocks));
  int64_t local = global * rng.between(1, 4);
  add("local", local);
  add("global", global);
  drawHeads();
  if (isPerHead && rng.chance(0.6))
    add("patterns", rng.between(1, local / global));
  if (!drawDirection() && rng.chance(0.4))
    add("horizontal", "true");
}

/// Blocks by number, of which some may lie beyond the sequence, or ranges.
void LayoutWriter::drawGlobals() {
  if (rng.chance(0.3))
    return;
  std::vector<int64_t> globals, ends;
  for (int64_t i = rng.between(1, 2); i > 0; --i) {
    globals.push_back(rng.between(0, blocks));
    ends.push_back(globals.back() + rng.between(1, 2));
  }
  add("global", listText(globals));
  if (rng.chance(0.3))
    add("global_end", listText(ends));
}

void LayoutWriter::drawVariable() {
  std::vector<int64_t> locals;
  for (int64_t i = rng.between(1, 3); i > 0; --i)
    locals.push_back(rng.between(1, 3));
  add("local", listText(locals));
  drawGlobals();
  add("random", rng.between(0, std::min<int64_t>(blocks, 2)));
  add("seed", rng.between(0, 9));
  drawHeads();
  if (!drawDirection() && rng.chance(0.4))
    add("horizontal", "true");
}

std::string LayoutWriter::text() {
  static const std::vector<std::string> kinds = {
      "dense",   "fixed",        "variable",
      "bigbird", "bslongformer", "local_sliding_window"};
  std::string kind = rng.oneOf(kinds);
  drawBlock();
  int64_t window = rng.between(1, std::min<int64_t>(blocks, 4));
  if (kind == "fixed") {
    drawFixed();
  } else if (kind == "variable") {
    drawVariable();
  } else if (kind == "dense") {
    drawHeads();
  } else if (kind == "bigbird") {
    add("random", rng.between(0, std::min<int64_t>(blocks, 3)));
    add("window", window);
    add("global", rng.between(0, std::min<int64_t>(blocks, 2)));
    add("seed", rng.between(0, 9));
    drawHeads();
    drawDirection();
  } else if (kind == "bslongformer") {
    add("window", window);
    drawGlobals();
    drawHeads();
    drawDirection();
  } else {
    add("window", window);
    drawDirection();
  }
  return kind + "(block = " + number(block) + parameters + ")";
}

std::string hocket::random::drawLayout(Rng &rng, int64_t length) {
  std::string text = LayoutWriter(rng, length).text();
  if (rng.chance(0.35))
    text = "causal * " + text;
  if (rng.chance(0.15))
    text += " * padding(keep)";
  return rng.chance(0.12) ? text + " * " + windowText(rng) : text;
}

std::string hocket::random::drawMask(Rng &rng, int64_t queries, int64_t keys) {
  if (queries == keys && rng.chance(0.33))
    return drawLayout(rng, keys);
  std::string text;
  auto join = [&](const std::string &factor) {
    text += (text.empty() ? "" : " * ") + factor;
  };
  if (rng.chance(0.4))
    join("causal");
  if (rng.chance(0.35))
    join(windowText(rng));
  if (rng.chance(0.3))
    join("padding(keep)");
  return text;
}

std::string
hocket::random::drawNeighborhood(Rng &rng,
                                 const std::vector<int64_t> &extents) {
  std::string kernels, strides, dilations, causal;
  auto join = [](std::string &list, const std::string &value) {
    list += (list.empty() ? "" : ", ") + value;
  };
  for (int64_t extent : extents) {
    int64_t dilation = extent > 3 && rng.chance(0.3) ? rng.between(2, 3) : 1;
    int64_t most = std::min<int64_t>(extent / dilation, 5);
    if (most < 1)
      return "";
    int64_t kernel = rng.between(std::min<int64_t>(2, most), most);
    join(kernels, number(kernel));
    join(strides, number(rng.chance(0.6) ? 1 : rng.between(1, kernel)));
    join(dilations, number(dilation));
    join(causal, rng.chance(0.25) ? "true" : "false");
  }
  auto tuple = [&](const std::string &list) {
    return extents.size() == 1 ? list : "(" + list + ")";
  };
  return "neighborhood(" + tuple(kernels) + ", stride = " + tuple(strides) +
         ", dilation = " + tuple(dilations) + ", causal = " + tuple(causal) +
         ")";
}
