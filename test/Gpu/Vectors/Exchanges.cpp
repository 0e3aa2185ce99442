//===- Exchanges.cpp - vectors of what lanes of a warp exchange -----------===//

#include "test/Gpu/Vectors/KernelText.h"
#include "test/Gpu/Vectors/Values.h"

using namespace hocket::vectors;

static constexpr uint32_t blocks = 4, threads = 256, all = blocks * threads;

/// The clamp and the segments of a shuffle, the same for a warp's lanes.
static std::vector<std::byte> segments(bool isUp, Random &random) {
  static const uint64_t masks[] = {0, 0x10, 0x18, 0x1c, 0x1e};
  std::vector<uint64_t> values;
  for (uint32_t warp = 0; warp < all / 32; ++warp)
    values.insert(values.end(), 32, masks[random() % 5] << 8 | (isUp ? 0 : 31));
  return bytesOfValues(word, values);
}

static std::vector<std::byte> below(uint64_t end, Random &random) {
  std::vector<uint64_t> values(all);
  for (uint64_t &value : values)
    value = random() % end;
  return bytesOfValues(word, values);
}

static Vector shuffle(const Form &form) {
  Random random = randomFor(form);
  KernelText text(form, blocks, threads);
  Type type = typeOf(form.types().back());
  std::string to = text.destination(type);
  if (form.operands[0] == "x|x")
    to += "|" + text.destination(typeOf("pred"));
  std::string value = text.source(type, drawValues({type}, all, random));
  std::string lane = text.source(word, below(32, random));
  std::string ends = text.source(word, segments(form.has("up"), random));
  text.line(form.instruction() + " " + to + ", " + value + ", " + lane + ", " +
            ends + ", 0xffffffff;");
  return text.finish();
}

/// One value a lane of all of them: match, vote, redux.
static Vector agreement(const Form &form) {
  bool isVote = form.opcode == "vote";
  Random random = randomFor(form);
  KernelText text(form, blocks, threads);
  Type type = isVote ? typeOf("pred") : typeOf(form.types().back());
  bool isPredicate = isVote && !form.has("ballot");
  std::string to = text.destination(isPredicate ? type : word);
  if (form.operands[0] == "x|x")
    to += "|" + text.destination(typeOf("pred"));
  // Few different ones, so that some match.
  std::string value = text.source(type, below(isVote ? 2 : 5, random));
  text.line(form.instruction() + " " + to + ", " + value + ", 0xffffffff;");
  return text.finish();
}

std::optional<Vector> hocket::vectors::exchangeVector(const Form &form) {
  if (form.opcode == "shfl" && form.has("b32"))
    return shuffle(form);
  bool matches = form.opcode == "match" && form.has("b32");
  if (matches || form.opcode == "vote" || form.opcode == "redux")
    return agreement(form);
  if (form.opcode != "activemask")
    return std::nullopt;
  KernelText text(form, blocks, threads);
  text.line(form.instruction() + " " + text.destination(word) + ";");
  return text.finish();
}
