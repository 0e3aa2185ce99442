//===- Values.cpp - inputs at which instructions differ -------------------===//

#include "test/Gpu/Vectors/Values.h"
#include <cstring>

using namespace hocket::vectors;

using Values = std::vector<uint64_t>;

/// A binary format: bits of the fraction and of the exponent.
struct Format {
  unsigned fraction, exponent;
  uint64_t infinity() const {
    return ((uint64_t(1) << exponent) - 1) << fraction;
  }
  uint64_t sign() const { return uint64_t(1) << (fraction + exponent); }
  uint64_t one() const { return (infinity() >> fraction) / 2 << fraction; }
};

static Format formatOf(Kind kind) {
  switch (kind) {
  case Kind::Half:
    return {10, 5};
  case Kind::Brain:
    return {7, 8};
  case Kind::Double:
    return {52, 11};
  default:
    return {23, 8};
  }
}

static Values specialFloats(Kind kind) {
  Format format = formatOf(kind);
  uint64_t inf = format.infinity(), one = format.one();
  uint64_t least = uint64_t(1) << format.fraction; // the least normal one
  Values positive = {
      0,
      1,
      least - 1,
      least,
      least + 1,
      one - 1,
      one,
      one + 1,
      one + least,                                          // 2
      one + least / 2,                                      // 1.5
      one + (uint64_t(format.fraction) << format.fraction), // 2^fraction
      one + (uint64_t(format.fraction + 1) << format.fraction) + 1,
      one - (uint64_t(format.fraction + 1) << format.fraction),
      inf - 1,
      inf,
      inf + 1,         // a signaling NaN
      inf + least / 2, // a quiet one
      inf + least - 1,
  };
  Values all = positive;
  for (uint64_t value : positive)
    all.push_back(value | format.sign());
  return all;
}

static Values specialIntegers(unsigned bytes) {
  uint64_t top = uint64_t(1) << (bytes * 8 - 1);
  Values all = {0,       1,           2,           3,       7,          8,
                31,      32,          0x80,        0xff,    top - 1,    top,
                top + 1, 2 * top - 1, 2 * top - 2, top / 2, top / 2 * 3};
  if (bytes >= 4)
    for (uint64_t value : {0x7fffull, 0x8000ull, 0xffffull, 0x10000ull,
                           0x12345678ull, 0xfffe7654ull})
      all.push_back(value);
  if (bytes == 8)
    for (uint64_t value : {0x7fffffffull, 0x80000000ull, 0xffffffffull,
                           0x100000000ull, 0x123456789abcdef0ull})
      all.push_back(value);
  return all;
}

static bool isLeast(Type type, uint64_t value) {
  return value == uint64_t(1) << (type.bytes * 8 - 1);
}

/// The value that stands for one that the operand does not take.
static uint64_t allowed(const Source &source, uint64_t value) {
  uint64_t mask = source.type.bytes == 8
                      ? ~uint64_t(0)
                      : (uint64_t(1) << source.type.bytes * 8) - 1;
  value &= mask;
  bool isInteger = source.type.kind == Kind::Integer;
  if (source.draw == Draw::NotZero && isInteger && value == 0)
    return 1;
  if (source.draw == Draw::NotLeast && source.type.isSigned &&
      isLeast(source.type, value))
    return value + 1;
  return value;
}

static uint64_t angle(double value) {
  float narrow = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

Values hocket::vectors::specialValues(const Source &source) {
  if (source.draw == Draw::Bit || source.type.kind == Kind::Predicate)
    return {0, 1};
  if (source.draw == Draw::Shift)
    return {0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, ~0u};
  if (source.draw == Draw::Place)
    return {0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255};
  if (source.draw == Draw::Angle)
    return {angle(0), angle(-0.0), angle(1e-20), angle(3), angle(-3)};
  Values all = source.type.kind == Kind::Integer
                   ? specialIntegers(source.type.bytes)
                   : specialFloats(source.type.kind);
  Values found;
  for (size_t i = 0; i < all.size(); ++i) {
    uint64_t value = all[i];
    if (source.type.numbers == 2)
      value |= all[(i * 7 + 3) % all.size()] << source.type.numberBytes() * 8;
    found.push_back(allowed(source, value));
  }
  return found;
}

uint64_t hocket::vectors::valueNearOne(Kind kind, Random &random) {
  Format format = formatOf(kind);
  uint64_t spread = uint64_t(16) << format.fraction;
  uint64_t bits = format.one() - spread / 2 + random() % spread;
  return random() % 2 ? bits | format.sign() : bits;
}

uint64_t hocket::vectors::randomValue(const Source &source, Random &random) {
  if (source.draw == Draw::Bit || source.type.kind == Kind::Predicate)
    return random() % 2;
  if (source.draw == Draw::Shift || source.draw == Draw::Place)
    return random() % 70;
  if (source.draw == Draw::Angle)
    return angle(double(random() % 6000000) / 1e6 - 3);
  uint64_t value = random();
  bool isFloat = source.type.kind != Kind::Integer;
  if (isFloat && random() % 2) {
    value = valueNearOne(source.type.kind, random);
    if (source.type.numbers == 2)
      value |= valueNearOne(source.type.kind, random)
               << source.type.numberBytes() * 8;
  } else if (!isFloat && random() % 4 == 0) {
    value >>= random() % 64; // small ones, too
  }
  return allowed(source, value);
}

std::vector<std::byte> hocket::vectors::bytesOfValues(Type type,
                                                      const Values &values) {
  std::vector<std::byte> bytes(values.size() * type.bytes);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&bytes[i * type.bytes], &values[i], type.bytes);
  return bytes;
}

std::vector<std::byte> hocket::vectors::drawValues(const Source &source,
                                                   uint64_t count,
                                                   Random &random) {
  Values values(count);
  for (uint64_t &value : values)
    value = randomValue(source, random);
  return bytesOfValues(source.type, values);
}

std::vector<std::vector<std::byte>>
hocket::vectors::drawTuples(const std::vector<Source> &sources,
                            uint64_t threads, Random &random) {
  uint64_t most = threads / 4 * 3, tuples = 1;
  std::vector<Values> specials;
  for (const Source &source : sources) {
    specials.push_back(specialValues(source));
    tuples *= specials.back().size();
  }
  std::vector<Values> values(sources.size());
  for (uint64_t i = 0; i < threads; ++i) {
    uint64_t tuple = tuples <= most ? i : random() % tuples;
    for (size_t j = 0; j < sources.size(); ++j) {
      bool isSpecial = i < most && (tuples > most || i < tuples);
      values[j].push_back(isSpecial ? specials[j][tuple % specials[j].size()]
                                    : randomValue(sources[j], random));
      tuple /= specials[j].size();
    }
  }
  std::vector<std::vector<std::byte>> bytes;
  for (size_t j = 0; j < sources.size(); ++j)
    bytes.push_back(bytesOfValues(sources[j].type, values[j]));
  return bytes;
}

Random hocket::vectors::randomFor(const Form &form) {
  uint64_t seed = 0xcbf29ce484222325; // FNV-1a
  for (char letter : form.text())
    seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return Random(seed);
}
