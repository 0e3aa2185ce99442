//===- Half.cpp - arithmetic of f16, bf16 and pairs of them ---------------===//
//
// Sums and products are made in f32 and rounded again, which gives what one
// rounding would, as f32 has more than twice the digits. Fused products are cut
// to odd first.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Rounding.h"

using namespace hocket::ptx;

namespace {

enum : uint8_t { Ftz = 1, Sat = 2, Relu = 4 };

struct Add {
  static float of(float a, float b) { return a + b; }
};
struct Sub {
  static float of(float a, float b) { return a - b; }
};
struct Mul {
  static float of(float a, float b) { return a * b; }
};
struct Fma {
  static float of(float a, float b, float c) {
    return cutToOdd(fmaToOdd(a, b, c));
  }
};
struct Min {
  static float of(float a, float b) { return lesser(a, b); }
};
struct Max {
  static float of(float a, float b) { return greater(a, b); }
};
template <typename Operation> struct OfNaN {
  static float of(float a, float b) {
    return a != a || b != b ? NAN : Operation::of(a, b);
  }
};
struct Ex2 {
  static float of(float a) { return cutToOdd(std::exp2(double(a))); }
};
struct Tanh {
  static float of(float a) { return cutToOdd(std::tanh(double(a))); }
};

template <typename H> H made(float value, uint8_t flags) {
  H half = toHalf<H>(value);
  uint16_t normal = std::is_same_v<H, Float16> ? 0x400 : 0x80;
  if (flags & Ftz && (half.bits & 0x7fff) < normal)
    half.bits &= 0x8000;
  if (flags & Sat)
    half = H(saturate(float(half)));
  if (flags & Relu && half < 0)
    half.bits = 0;
  return half;
}
template <typename H> float given(H half, uint8_t flags) {
  uint16_t normal = std::is_same_v<H, Float16> ? 0x400 : 0x80;
  if (flags & Ftz && (half.bits & 0x7fff) < normal)
    half.bits &= 0x8000;
  return half;
}

/// `each` halves to a lane: 1, or 2 of a pair.
template <typename H, typename Operation, unsigned sources, unsigned each>
void run(Warp &warp, const Step &step, uint32_t active) {
  const H *a = warp.lanes<H>(step.operands[1]);
  const H *b = sources > 1 ? warp.lanes<H>(step.operands[2]) : a;
  const H *c = sources > 2 ? warp.lanes<H>(step.operands[3]) : a;
  struct Lane {
    H part[each];
  } values[32];
  for (unsigned i = 0; i < lanesOfWarp * each; ++i) {
    float value;
    if constexpr (sources == 1)
      value = Operation::of(given(a[i], step.option));
    else if constexpr (sources == 2)
      value = Operation::of(given(a[i], step.option), given(b[i], step.option));
    else
      value = Operation::of(given(a[i], step.option), given(b[i], step.option),
                            given(c[i], step.option));
    values[i / each].part[i % each] = made<H>(value, step.option);
  }
  put(warp, step.operands[0], active, values);
}

template <typename Operation, unsigned sources>
void choose(Decoder &decoder, const std::string &type) {
  Step &step = decoder.step;
  decoder.take("rn");
  step.option = (decoder.take("ftz") ? Ftz : 0) |
                (decoder.take("sat") ? Sat : 0) |
                (decoder.take("relu") ? Relu : 0);
  step.run = type == "f16"     ? run<Float16, Operation, sources, 1>
             : type == "f16x2" ? run<Float16, Operation, sources, 2>
             : type == "bf16"  ? run<BFloat16, Operation, sources, 1>
                               : run<BFloat16, Operation, sources, 2>;
  decoder.plain(bytesOf(type), sources);
}

template <typename Operation>
void extreme(Decoder &decoder, const std::string &type) {
  decoder.take("NaN") ? choose<OfNaN<Operation>, 2>(decoder, type)
                      : choose<Operation, 2>(decoder, type);
}

/// neg and abs change the sign bits, of a NaN as well.
template <typename T, bool isAbs>
void sign(Warp &warp, const Step &step, uint32_t active) {
  constexpr T bits = static_cast<T>(0x80008000u);
  const T *a = warp.lanes<T>(step.operands[1]);
  T values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = isAbs ? a[lane] & static_cast<T>(~bits) : a[lane] ^ bits;
  put(warp, step.operands[0], active, values);
}
template <bool isAbs>
void chooseSign(Decoder &decoder, const std::string &type) {
  decoder.take("ftz");
  decoder.step.run = bytesOf(type) == 2 ? Handler(sign<uint16_t, isAbs>)
                                        : Handler(sign<uint32_t, isAbs>);
  decoder.plain(bytesOf(type), 1);
}

using Choose = void (*)(Decoder &, const std::string &);
const std::map<std::string, Choose> forms = {
    {"add", choose<Add, 2>},    {"sub", choose<Sub, 2>},
    {"mul", choose<Mul, 2>},    {"fma", choose<Fma, 3>},
    {"min", extreme<Min>},      {"max", extreme<Max>},
    {"neg", chooseSign<false>}, {"abs", chooseSign<true>},
    {"ex2", choose<Ex2, 1>},    {"tanh", choose<Tanh, 1>}};

const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                   "ge",  "equ", "neu", "ltu", "leu",
                                   "gtu", "geu", "num", "nan"};

bool holds(unsigned comparison, float a, float b) {
  bool unordered = a != a || b != b;
  if (comparison >= 12)
    return unordered == (comparison == 13);
  if (unordered)
    return comparison >= 6;
  const bool answers[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return answers[comparison % 6];
}

/// Which elements of the sources compare so, a bit each.
template <typename H>
uint64_t compared(Warp &warp, const Step &step, unsigned each) {
  const H *a = warp.lanes<H>(step.operands[step.destinations]);
  const H *b = warp.lanes<H>(step.operands[step.destinations + 1]);
  uint64_t bits = 0;
  for (unsigned i = 0; i < lanesOfWarp * each; ++i)
    bits |= uint64_t(holds(step.option, a[i], b[i])) << i;
  return bits;
}

/// count: elements of a lane. Of a pair, two predicates.
template <typename H>
void setPredicates(Warp &warp, const Step &step, uint32_t active) {
  uint64_t bits = compared<H>(warp, step, step.count);
  uint32_t low = 0, high = 0;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    low |= uint32_t(bits >> lane * step.count & 1) << lane;
    high |= uint32_t(step.count == 2 ? bits >> (lane * 2 + 1) & 1
                                     : !(bits >> lane & 1))
            << lane;
  }
  putBits(warp, step.operands[0], active, low);
  if (step.destinations == 2)
    putBits(warp, step.operands[1], active, high);
}

/// Ones in the type of the operands, or all bits of an element where flag is.
template <typename H>
void setHalves(Warp &warp, const Step &step, uint32_t active) {
  uint64_t bits = compared<H>(warp, step, step.count);
  uint16_t truth = step.flag ? 0xffff : H(1.0f).bits;
  std::byte *to = warp.lanes<std::byte>(step.operands[0]);
  eachLane(active, [&](unsigned lane) {
    for (unsigned i = 0; i < step.count; ++i) {
      uint16_t value = bits >> (lane * step.count + i) & 1 ? truth : 0;
      std::memcpy(to + lane * 2 * step.count + 2 * i, &value, 2);
    }
  });
}

} // namespace

void hocket::ptx::halfArithmetic(Decoder &decoder, const std::string &type) {
  auto form = forms.find(decoder.statement().opcode);
  if (form == forms.end())
    decoder.refuse("the type '." + type + "' is not supported here");
  decoder.step.kind = Class::Half;
  form->second(decoder, type);
}

void hocket::ptx::comparedHalves(Decoder &decoder, const std::string &name,
                                 const std::string &type, bool isSet,
                                 bool toInteger) {
  Step &step = decoder.step;
  bool f16 = type == "f16" || type == "f16x2";
  unsigned bytes = bytesOf(type);
  decoder.take("ftz");
  while (step.option < std::size(comparisons) &&
         name != comparisons[step.option])
    ++step.option;
  if (step.option == std::size(comparisons))
    decoder.refuse("no comparison '." + name + "' of '." + type + "'");
  step.count = bytes / 2;
  step.flag = toInteger;
  if (isSet) {
    step.run = f16 ? setHalves<Float16> : setHalves<BFloat16>;
    decoder.to(decoder.operand(0), bytes);
  } else {
    step.run = f16 ? setPredicates<Float16> : setPredicates<BFloat16>;
    decoder.to(decoder.operand(0), 0);
    for (const Operand &second : decoder.operand(0).also)
      decoder.to(second, 0);
  }
  decoder.from(decoder.operand(1), bytes);
  decoder.from(decoder.operand(2), bytes);
}
