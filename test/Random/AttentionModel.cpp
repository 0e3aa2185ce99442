//===- AttentionModel.cpp - random models of attention --------------------===//

#include "AttentionModel.h"
#include <algorithm>

using namespace hocket::random;

namespace {
/// What all layers of a model have in common.
struct Sizes {
  int64_t batch, queries, keys, heads, groups, width, channels;
};

class Writer {
public:
  explicit Writer(Rng &rng) : rng(rng) {}
  ModelText make();

private:
  void drawSizes();
  void makeGrid();
  void makePlain();
  void makeTransformer();
  std::string turned(const std::string &x);
  std::string attention(const std::string &q, const std::string &k,
                        const std::string &v, const std::string &mask);
  std::string layer(int number);
  void addMerged(const std::string &text);
  void addArgument(const std::string &name, const std::string &type,
                   const std::string &sequence, const std::string &heads = "");
  void addBias(Rng &aside, const std::string &keys);
  void finish(const std::string &members, const std::string &statements,
              const std::string &returned);

  Rng &rng;
  Sizes sizes;
  ModelText model;
  std::string modules, arguments, parameters;
  bool readsKeep = false, isMaskGiven = false;
  std::string scoreBias; // of the next attention, or its mask
};
} // namespace

static std::string number(int64_t value) { return std::to_string(value); }

/// Even and uneven lengths, and some below the number of ranks.
static int64_t drawLength(Rng &rng) {
  switch (rng.below(4)) {
  case 0:
    return rng.between(1, 7);
  case 1:
    return rng.oneOf<int64_t>({5, 7, 9, 10, 11, 13, 14, 15});
  default:
    return rng.oneOf<int64_t>({8, 12, 12, 16, 18, 24});
  }
}

void Writer::drawSizes() {
  static const std::vector<std::pair<int64_t, int64_t>> heads = {
      {8, 1},  {8, 2},   {8, 4}, {8, 8}, {12, 1}, {12, 2}, {12, 3}, {12, 4},
      {12, 6}, {12, 12}, {1, 1}, {2, 1}, {2, 2},  {3, 1},  {3, 3},  {4, 2},
      {4, 4},  {5, 1},   {5, 5}, {6, 2}, {6, 3},  {7, 7}};
  std::tie(sizes.heads, sizes.groups) = rng.oneOf(heads);
  sizes.batch = rng.between(1, 3);
  sizes.width = rng.oneOf<int64_t>({1, 2, 2, 2, 4, 4});
  sizes.channels = rng.oneOf<int64_t>({3, 4, 6});
  sizes.queries = sizes.keys = drawLength(rng);
}

/// By its positions, where rotary fits.
std::string Writer::turned(const std::string &x) {
  if (sizes.width % 2 != 0 || !rng.chance(0.35))
    return x;
  return "rotary(" + x + ", axis = 2, base = 100.0" +
         (rng.chance(0.4) ? ", style = interleaved)" : ")");
}

std::string Writer::attention(const std::string &q, const std::string &k,
                              const std::string &v, const std::string &mask) {
  std::string text = "attention(" + q + ", " + k + ", " + v;
  readsKeep |= mask.find("padding(keep)") != std::string::npos;
  std::string all = mask;
  if (!scoreBias.empty() && isMaskGiven)
    all += (all.empty() ? "" : " * ") + scoreBias;
  if (!all.empty())
    text += ", mask = " + all;
  if (!scoreBias.empty() && !isMaskGiven)
    text += ", bias = " + scoreBias;
  if (rng.chance(0.3) && mask.rfind("neighborhood", 0) != 0)
    text += ", dropout = " + rng.oneOf<std::string>({"0.1", "0.25", "0.5"});
  return text + (rng.chance(0.1) ? ", scale = 0.4)" : ")");
}

/// A model's argument; `sequence` and `heads` name dims of it.
void Writer::addArgument(const std::string &name, const std::string &type,
                         const std::string &sequence,
                         const std::string &heads) {
  arguments += (arguments.empty() ? "" : ", ") + name + ": " + type;
  if (!sequence.empty())
    model.sequences.push_back({name, sequence});
  model.batches.push_back({name, "batch"});
  if (!heads.empty())
    model.heads.push_back({name, heads});
}

/// An argument `b` of all or of some of batch, heads and queries; a third are
/// bool, masks.
void Writer::addBias(Rng &aside, const std::string &keys) {
  isMaskGiven = aside.chance(0.33);
  std::string type;
  auto add = [&](const char *dim, std::vector<Wish> &wishes) {
    bool isThere = aside.chance(0.6);
    type += std::string(isThere ? dim : "1") + ", ";
    if (isThere)
      wishes.push_back({"b", dim});
  };
  add("batch", model.batches);
  add("heads", model.heads);
  add("seq", model.sequences);
  arguments += std::string(", b: ") + (isMaskGiven ? "bool[" : "f32[") + type +
               "(all = " + keys + ")]";
}

void Writer::finish(const std::string &members, const std::string &statements,
                    const std::string &returned) {
  model.text = "hocket 1\n\n" + modules +
               "model Net(batch: int = " + number(sizes.batch) + parameters +
               ") {\n" + members + "  forward(" + arguments + ") {\n" +
               statements + "    return " + returned + "\n  }\n}\n";
}

/// Queries, keys and values of what a grid reads, next to each other.
void Writer::makeGrid() {
  static const int64_t longest[] = {16, 8, 5};
  size_t rank = rng.oneOf<size_t>({1, 1, 2, 2, 3});
  std::vector<int64_t> extents;
  std::string dims;
  for (size_t i = 0; i < rank; ++i) {
    std::string name = "n" + number(i);
    extents.push_back(rng.between(2, longest[rank - 1]));
    dims += name + ", ";
    parameters += ", " + name + ": int = " + number(extents.back());
  }
  std::string place = "n" + number(rng.below(rank));
  std::string d = number(rng.between(1, 3)), h = "heads", g = "groups";
  parameters += ", heads: int = " + number(sizes.heads) +
                ", groups: int = " + number(sizes.groups);
  addArgument("x", "f32[batch, heads, " + dims + d + "]", place, h);
  bool hasKeys = sizes.groups != sizes.heads || rng.chance(0.5);
  if (hasKeys)
    addArgument("k", "f32[batch, groups, " + dims + d + "]", place, g);
  std::string y = "x", k = hasKeys ? "k" : "x", statements;
  for (int64_t i = 0, count = rng.between(1, 2); i < count; ++i) {
    std::string value = rng.chance(0.5) ? k : "sin(" + k + ")";
    statements += "    y" + number(i) + " = " +
                  attention(y, k, value, drawNeighborhood(rng, extents)) + "\n";
    y = "y" + number(i);
  }
  finish("", statements, y);
}

/// Attentions of arguments as they are: of keys, of queries as keys, of another
/// sequence.
void Writer::makePlain() {
  bool isCross = rng.chance(0.15);
  if (isCross)
    sizes.keys = drawLength(rng);
  std::string n = "seq", m = isCross ? "memory" : "seq";
  parameters += ", seq: int = " + number(sizes.queries);
  if (isCross)
    parameters += ", memory: int = " + number(sizes.keys);
  parameters += ", heads: int = " + number(sizes.heads) +
                ", groups: int = " + number(sizes.groups);
  std::string d = ", " + number(sizes.width) + "]";
  addArgument("x", "f32[batch, heads, seq" + d, n, "heads");
  bool isSame = !isCross && sizes.groups == sizes.heads && rng.chance(0.3);
  if (!isSame)
    addArgument("k", "f32[batch, groups, " + m + d, m, "groups");
  bool hasValues = !isSame && rng.chance(0.3);
  if (hasValues)
    addArgument("v", "f32[batch, groups, " + m + d, m, "groups");
  std::string y = "x", k = isSame ? "x" : "k", statements, members;
  Rng aside = rng; // other cases are what they are without a bias
  bool hasBias = aside.chance(0.35);
  if (hasBias)
    addBias(aside, m);
  for (int64_t i = 0, count = rng.between(1, 3); i < count; ++i) {
    std::string keys = isSame && rng.chance(0.5) ? y : k;
    std::string values = hasValues ? "v" : keys;
    if (rng.chance(0.3))
      values = "sin(" + values + ")";
    std::string mask = drawMask(rng, sizes.queries, sizes.keys);
    bool isSelf = keys == y && rng.chance(0.6);
    std::string name = "y" + number(i);
    scoreBias = hasBias && (i == 0 || aside.chance(0.4)) ? "b" : "";
    statements += "    " + name + " = " +
                  attention(isSelf ? y : turned(y), isSelf ? y : turned(keys),
                            isSelf ? y : values, mask) +
                  "\n";
    if (rng.chance(0.3))
      statements += "    " + name + " = " + name + " + " + y + "\n";
    y = name;
  }
  if (readsKeep)
    addArgument("keep", "bool[batch, " + m + "]", m);
  finish(members, statements, y);
}

/// The module of a layer: x to x, [batch, seq, c].
std::string Writer::layer(int index) {
  std::string name = "Layer" + number(index);
  std::string q =
      "(heads = " + number(sizes.heads) + ", d = " + number(sizes.width) + ")";
  std::string g = "(groups = " + number(sizes.groups) +
                  ", d = " + number(sizes.width) + ")";
  bool isFused = sizes.groups == sizes.heads && rng.chance(0.4);
  bool hasNorm = rng.chance(0.4), hasMlp = rng.chance(0.3);
  std::string bias = rng.chance(0.5) ? ", bias = false)\n" : ")\n";
  std::string members, body, x = "x";
  if (hasNorm) {
    members += "  norm = LayerNorm(c, 1e-2)\n";
    x = "norm(x)";
  }
  if (isFused) {
    members += "  qkv = Linear(c, (qkv = 3, heads = " + number(sizes.heads) +
               ", d = " + number(sizes.width) + ")" + bias;
    body += "    q, k, v = rearrange(qkv(" + x +
            "), \"batch seq (qkv heads d) -> qkv batch heads seq d\")\n";
  } else {
    members += "  q = Linear(c, " + q + bias + "  k = Linear(c, " + g + bias +
               "  v = Linear(c, " + g + bias;
    body += "    z = " + x + "\n";
    for (const char *each : {"q", "k", "v"}) {
      std::string h = each[0] == 'q' ? "heads" : "groups";
      body += std::string("    ") + each + "s = rearrange(" + each +
              "(z), \"batch seq (" + h + " d) -> batch " + h + " seq d\")\n";
    }
  }
  members += "  o = Linear(" + q + ", c)\n";
  std::string s = isFused ? "" : "s";
  body += "    y = " +
          attention(turned("q" + s), turned("k" + s), "v" + s,
                    drawMask(rng, sizes.queries, sizes.keys)) +
          "\n";
  std::string out = "o(rearrange(y, \"batch heads seq d -> batch seq (heads "
                    "d)\"))";
  if (rng.chance(0.15))
    out = "dropout(" + out + ", 0.2)";
  body += "    x = x + " + out + "\n";
  if (hasMlp) {
    members += "  up = Linear(c, 2 * c)\n  down = Linear(2 * c, c)\n";
    body += "    x = x + down(gelu(up(x)))\n";
  }
  modules += "module " + name + "(c: dim) {\n" + members +
             "  forward(x: f32[batch, seq, c], keep: bool[batch, seq]) -> "
             "f32[batch, seq, c] {\n" +
             body + "    return x\n  }\n}\n\n";
  return name;
}

/// Projections and residuals; positions and losses at times.
void Writer::makeTransformer() {
  parameters += ", seq: int = " + number(sizes.queries) +
                ", c: dim = " + number(sizes.channels);
  bool hasTokens = rng.chance(0.35), hasLoss = hasTokens && rng.chance(0.5);
  std::string members, statements;
  if (hasTokens) {
    addArgument("tokens", "i32[batch, seq]", "seq");
    members += "  words = Embedding(9, c)\n  places = Embedding(32, c)\n";
    statements += "    x = words(tokens) + places(iota(seq))\n";
  } else {
    addArgument("x", "f32[batch, seq, c]", "seq");
  }
  addArgument("keep", "bool[batch, seq]", "seq");
  auto wish = [&](const std::string &path, const std::string &text) {
    for (const char *each : {"qkv", "q", "o"})
      if (text.find(std::string("  ") + each + " = ") != std::string::npos)
        model.heads.push_back({path + "." + each + ".weight", "heads"});
    for (const char *each : {"k", "v"})
      if (text.find(std::string("  ") + each + " = ") != std::string::npos)
        model.heads.push_back({path + "." + each + ".weight", "groups"});
  };
  if (rng.chance(0.25)) {
    std::string name = layer(0);
    members += "  h = [" + name + "(c) for i in 0..2]\n";
    statements += "    for each in h { x = each(x, keep) }\n";
    wish("h.*", modules);
  } else {
    for (int i = 0, count = rng.between(1, 2); i < count; ++i) {
      size_t before = modules.size();
      std::string path = "h" + number(i);
      members += "  " + path + " = " + layer(i) + "(c)\n";
      statements += "    x = " + path + "(x, keep)\n";
      wish(path, modules.substr(before));
    }
  }
  std::string returned = "x";
  if (hasLoss) {
    addArgument("targets", "i32[batch, seq]", "seq");
    members += "  head = Linear(c, 9)\n";
    returned = rng.chance(0.5) ? "x, cross_entropy(head(x), targets)"
                               : "cross_entropy(head(x), targets)";
  }
  finish(members, statements, returned);
}

ModelText Writer::make() {
  model.isAttention = true;
  drawSizes();
  switch (rng.below(8)) {
  case 0:
    makeGrid();
    break;
  case 1:
  case 2:
  case 3:
  case 4:
    makePlain();
    break;
  default:
    makeTransformer();
  }
  return model;
}

ModelText hocket::random::makeAttentionModel(Rng &rng) {
  return Writer(rng).make();
}
