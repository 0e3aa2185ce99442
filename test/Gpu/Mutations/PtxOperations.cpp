//===- PtxOperations.cpp - what instructions do ---------------------------===//

#include "test/Gpu/Mutations/PtxMutation.h"
#include "test/Gpu/Ptx/Syntax.h"
#include <algorithm>

namespace hocket::mutations {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Puts, for one of the modifiers that are first in a pair, the second.
static bool replaceOne(Draft &draft, const Pairs &pairs) {
  std::vector<std::pair<std::string, std::string>> possible;
  for (const auto &pair : pairs)
    if (draft.line.has(pair.first))
      possible.push_back(pair);
  if (possible.empty())
    return false;
  const auto &[from, to] = draft.rng.oneOf(possible);
  draft.line.replace(from, to);
  return draft.write();
}

bool changeOperator(Draft &draft) {
  static const Pairs pairs = {{"add", "sub"}, {"sub", "add"},  {"min", "max"},
                              {"max", "min"}, {"and", "or"},   {"or", "and"},
                              {"xor", "or"},  {"shl", "shr"},  {"shr", "shl"},
                              {"neg", "abs"}, {"abs", "neg"},  {"ex2", "lg2"},
                              {"lg2", "ex2"}, {"rcp", "sqrt"}, {"sqrt", "rcp"},
                              {"div", "rem"}, {"rem", "div"},  {"div", "mul"}};
  PtxLine &line = draft.line;
  if (line.base() == "fma") { // a * b + c, of which one is turned around
    std::swap(line.operands.at(2), line.operands.at(3));
    return draft.write();
  }
  if (line.base() == "mul" || line.base() == "mad")
    return replaceOne(draft, {{"lo", "hi"}, {"hi", "lo"}});
  const bool isFloat = line.opcode.back()[0] == 'f';
  for (const auto &[from, to] : pairs) {
    if (line.base() != from || (from == "div" && isFloat != (to == "mul")))
      continue;
    line.opcode[0] = to;
    if (from == "shl")
      line.opcode.back()[0] = 'u';
    if (from == "shr")
      line.opcode.back()[0] = 'b';
    return draft.write();
  }
  return false;
}

bool changeComparison(Draft &draft) {
  static const Pairs pairs = {
      {"lt", "le"},   {"le", "lt"},   {"gt", "ge"},   {"ge", "gt"},
      {"eq", "ne"},   {"ne", "eq"},   {"lt", "gt"},   {"gt", "lt"},
      {"ltu", "leu"}, {"leu", "ltu"}, {"gtu", "geu"}, {"geu", "gtu"},
      {"equ", "neu"}, {"neu", "equ"}, {"nan", "num"}, {"num", "nan"},
      {"lo", "ls"},   {"ls", "lo"},   {"hi", "hs"},   {"hs", "hi"}};
  const std::string &base = draft.line.base();
  return (base == "setp" || base == "set") && replaceOne(draft, pairs);
}

static bool isInteger(const std::string &type) {
  return (type[0] == 's' || type[0] == 'u') && ptx::bytesOf(type);
}

/// Of what depends on it: of a conversion what it reads, if it becomes wider.
bool changeSign(Draft &draft) {
  static const std::set<std::string> depend = {"setp", "shr", "div",
                                               "rem",  "min", "max"};
  PtxLine &line = draft.line;
  std::string &type = line.opcode.back();
  bool isWider = line.base() == "cvt" &&
                 ptx::bytesOf(type) < ptx::bytesOf(*(line.opcode.end() - 2));
  bool isNarrow = line.base() == "ld" && ptx::bytesOf(type) < 4;
  bool depends =
      depend.count(line.base()) && !line.has("eq") && !line.has("ne");
  if (!isInteger(type) ||
      !(isWider || isNarrow || depends || line.has("wide") || line.has("hi")))
    return false;
  type[0] = type[0] == 's' ? 'u' : 's';
  return draft.write();
}

/// What is computed in 64 bits keeps the lower half, with its sign.
bool changeWidth(Draft &draft) {
  static const std::set<std::string> arithmetic = {"add", "sub", "mul", "mad",
                                                   "shl", "and", "or"};
  PtxLine &line = draft.line;
  const std::string &type = line.opcode.back();
  if (!arithmetic.count(line.base()) || !line.guard.empty() ||
      (type != "s64" && type != "u64" && type != "b64"))
    return false;
  const std::string &result = line.operands.at(0);
  line.after = "; cvt.s64.s32 " + result + ", " + result + line.after;
  return draft.write();
}

bool changeRounding(Draft &draft) {
  static const Pairs pairs = {{"rn", "rz"},   {"rn", "rm"},   {"rn", "rp"},
                              {"rz", "rp"},   {"rm", "rp"},   {"rp", "rm"},
                              {"rni", "rzi"}, {"rmi", "rpi"}, {"rpi", "rmi"},
                              {"rzi", "rmi"}, {"sat", ""},    {"ftz", ""}};
  return replaceOne(draft, pairs);
}

bool changeSpace(Draft &draft) {
  const std::string &base = draft.line.base();
  if (base != "ld" && base != "st")
    return false;
  Pairs pairs = {{"shared", "global"}, {"global", "shared"}};
  if (base == "ld" && draft.line.has("global") && !draft.line.has("nc"))
    pairs = {{"global", "global.nc"}};
  return replaceOne(draft, pairs);
}

/// Of as many bits, or of half of them.
bool changeElementType(Draft &draft) {
  PtxLine &line = draft.line;
  const std::string &base = line.base();
  if (base == "ld" || base == "st")
    return !line.has("param") && replaceOne(draft, {{"u32", "u16"},
                                                    {"b32", "b16"},
                                                    {"u16", "u8"},
                                                    {"b16", "b8"},
                                                    {"u64", "u32"},
                                                    {"b64", "b32"}});
  if (base == "setp" || base == "min" || base == "max" || base == "neg" ||
      base == "abs")
    return replaceOne(draft, {{"f32", "s32"}, {"f64", "s64"}});
  if (base == "mma" && line.has("f16")) {
    std::replace(line.opcode.begin(), line.opcode.end(), std::string("f16"),
                 std::string("bf16"));
    return draft.write();
  }
  if (base == "mma") {
    std::replace(line.opcode.begin(), line.opcode.end(), std::string("bf16"),
                 std::string("f16"));
    return draft.write();
  }
  return replaceOne(draft, {{"f16", "bf16"},
                            {"bf16", "f16"},
                            {"f16x2", "bf16x2"},
                            {"bf16x2", "f16x2"}});
}

bool changeLayout(Draft &draft) {
  PtxLine &line = draft.line;
  if (line.base() != "ldmatrix" && line.base() != "stmatrix")
    return false;
  if (line.has("trans"))
    line.replace("trans", "");
  else // "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
    line.opcode.insert(line.opcode.end() - 2, "trans");
  return draft.write();
}

/// shfl.sync.bfly.b32 d|p, a, lanes, clamp, mask; vote.sync.any.pred p, q,
/// mask.
bool changeExchange(Draft &draft) {
  PtxLine &line = draft.line;
  Rng &rng = draft.rng;
  if (line.base() == "vote")
    return replaceOne(draft, {{"any", "all"}, {"all", "any"}});
  if (line.base() != "shfl" || line.operands.size() < 5)
    return false;
  static const std::vector<std::string> modes = {"up", "down", "bfly", "idx"};
  static const std::vector<std::string> lanes = {"0", "1", "2", "4", "8", "16"};
  static const std::vector<std::string> clamps = {"0", "31", "7199"};
  static const std::vector<std::string> masks = {"0x7fffffff", "0xffff",
                                                 "0xfffffffe"};
  switch (rng.below(4)) {
  case 0:
    for (std::string &part : line.opcode)
      if (std::find(modes.begin(), modes.end(), part) != modes.end())
        part = rng.oneOf(modes);
    break;
  case 1:
    line.operands[2] = rng.oneOf(lanes);
    break;
  case 2:
    line.operands[3] = rng.oneOf(clamps);
    break;
  default:
    line.operands[4] = rng.oneOf(masks);
  }
  return draft.write();
}

/// Another operation, or none that is atomic.
bool changeAtomic(Draft &draft) {
  PtxLine &line = draft.line;
  if (line.base() != "atom" && line.base() != "red")
    return false;
  if (draft.rng.chance(0.5))
    return replaceOne(draft, {{"add", "max"},
                              {"max", "min"},
                              {"min", "max"},
                              {"or", "and"},
                              {"max", "exch"}});
  std::string type = line.opcode.back();
  std::string space = line.has("shared") ? "shared" : "global";
  size_t address = line.firstSource();
  std::vector<std::string> operands = {line.operands.at(address),
                                       line.operands.at(address + 1)};
  line.opcode = {"st", space, type};
  line.operands = operands;
  return draft.write();
}

} // namespace hocket::mutations
