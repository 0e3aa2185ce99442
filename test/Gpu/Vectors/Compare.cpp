//===- Compare.cpp - two results of a vector side by side -----------------===//

#include "test/Gpu/Vectors/Compare.h"
#include "test/Gpu/Ptx/Rounding.h"
#include <cstdio>

using namespace hocket;
using namespace hocket::vectors;

static uint64_t bitsAt(const std::byte *array, unsigned bytes, uint64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, array + i * bytes, bytes);
  return bits;
}

double hocket::vectors::numberAt(Type type, const std::byte *array,
                                 uint64_t i) {
  uint64_t bits = bitsAt(array, type.numberBytes(), i);
  ptx::Float16 half;
  ptx::BFloat16 brain;
  switch (type.kind) {
  case Kind::Half:
    half.bits = uint16_t(bits);
    return float(half);
  case Kind::Brain:
    brain.bits = uint16_t(bits);
    return float(brain);
  case Kind::Float:
    return ptx::bitsAs<float>(uint32_t(bits));
  case Kind::Double:
    return ptx::bitsAs<double>(bits);
  case Kind::Integer:
  case Kind::Predicate:
    break;
  }
  return double(bits);
}

/// How far apart two numbers are, 1 at most if the rule allows it.
static double apart(const Rule &rule, double expected, double found,
                    size_t number) {
  if (rule.of == Rule::Bits)
    return INFINITY;
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found) ? 0 : INFINITY;
  if (rule.of == Rule::AnyNan)
    return INFINITY;
  double allowed =
      rule.of == Rule::Bounds
          ? rule.bounds[number]
          : std::max(rule.relative * std::fabs(expected), rule.absolute);
  double difference = std::fabs(expected - found);
  if (difference == 0) // zeros of two signs
    return 0;
  // A subnormal result may come out as zero.
  if (rule.of == Rule::Relative)
    allowed = std::max(allowed, 0x1p-126);
  return std::isfinite(difference) && allowed > 0 ? difference / allowed
                                                  : INFINITY;
}

static std::string spell(Type type, uint64_t bits, double number) {
  char text[64];
  if (type.kind == Kind::Integer || type.kind == Kind::Predicate)
    std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)bits);
  else
    std::snprintf(text, sizeof text, "%.9g (0x%llx)", number,
                  (unsigned long long)bits);
  return text;
}

/// "of 1, 2 expected 3, found 4"; sources of a thread are where there is one
/// of each.
static std::string describe(const Vector &vector, const Section &output,
                            uint64_t i, const std::vector<std::byte> &expected,
                            const std::vector<std::byte> &found) {
  std::string text;
  unsigned bytes = output.type.numberBytes();
  uint64_t element = i / output.type.numbers;
  for (const Section &input : vector.inputs)
    if (input.count == output.count && input.type.numbers == 1)
      text +=
          (text.empty() ? "of " : ", ") +
          spell(input.type,
                bitsAt(&vector.input[input.offset], input.type.bytes, element),
                numberAt(input.type, &vector.input[input.offset], element));
  auto result = [&](const std::vector<std::byte> &of) {
    return spell(output.type, bitsAt(&of[output.offset], bytes, i),
                 numberAt(output.type, &of[output.offset], i));
  };
  return text + (text.empty() ? "" : " ") + "expected " + result(expected) +
         ", found " + result(found);
}

Comparison hocket::vectors::compare(const Vector &vector,
                                    const std::vector<std::byte> &expected,
                                    const std::vector<std::byte> &found) {
  Comparison result;
  for (const Section &output : vector.outputs) {
    unsigned bytes = output.type.numberBytes();
    uint64_t numbers = output.count * output.type.numbers;
    for (uint64_t i = 0; i < numbers; ++i, ++result.numbers) {
      const std::byte *left = &expected[output.offset],
                      *right = &found[output.offset];
      if (bitsAt(left, bytes, i) == bitsAt(right, bytes, i))
        continue;
      ++result.otherBits;
      double distance = apart(vector.rule, numberAt(output.type, left, i),
                              numberAt(output.type, right, i), result.numbers);
      result.worst = std::max(result.worst, distance);
      if (distance > 1 && result.wrong++ == 0)
        result.first = describe(vector, output, i, expected, found);
    }
  }
  return result;
}
