//===- Convert.cpp - cvt --------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Rounding.h"
#include <algorithm>

using namespace hocket::ptx;

namespace {

enum Type : uint8_t {
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  F32,
  F64
};
const char *const typeNames[] = {"u8",  "s8",  "u16", "s16",  "u32", "s32",
                                 "u64", "s64", "f16", "bf16", "f32", "f64"};

bool isFloat(Type type) { return type >= F16; }
bool isSignedInteger(Type type) { return !isFloat(type) && type % 2; }
unsigned widthOf(Type type) { return bytesOf(typeNames[type]); }

/// What a conversion does besides: bits of Step::target.
constexpr uint32_t ToWhole = 1, Ftz = 2, Sat = 4, Relu = 8;

/// Every value of every type is one of x86's long doubles, of 64 digits.
static_assert(std::numeric_limits<long double>::digits == 64);

long double valueOf(Type type, uint64_t bits) {
  switch (type) {
  case U8:
    return static_cast<uint8_t>(bits);
  case S8:
    return static_cast<int8_t>(bits);
  case U16:
    return static_cast<uint16_t>(bits);
  case S16:
    return static_cast<int16_t>(bits);
  case U32:
    return static_cast<uint32_t>(bits);
  case S32:
    return static_cast<int32_t>(bits);
  case U64:
    return bits;
  case S64:
    return static_cast<int64_t>(bits);
  case F16: {
    Float16 half;
    half.bits = bits;
    return static_cast<float>(half);
  }
  case BF16:
    return bitsAs<float>(static_cast<uint32_t>(bits << 16));
  case F32:
    return bitsAs<float>(static_cast<uint32_t>(bits));
  case F64:
    break;
  }
  return bitsAs<double>(bits);
}

uint64_t floatBits(Type type, long double value, Rounding rounding) {
  if (value != value)
    return type == F64   ? 0x7ff8000000000000
           : type == F32 ? 0x7fffffffu
                         : 0x7fffu;
  switch (type) {
  case F16:
    return Float16(float(rounded(value, formatF16, rounding))).bits;
  case BF16:
    return BFloat16(float(rounded(value, formatBF16, rounding))).bits;
  case F32:
    return bitsAs<uint32_t>(float(rounded(value, formatF32, rounding)));
  default:
    return bitsAs<uint64_t>(double(rounded(value, formatF64, rounding)));
  }
}

/// Numbers past the ends become the ends. NaN is 0, or the highest bit alone
/// where one of the types has 64 bits.
uint64_t integerBits(Type from, Type type, long double value) {
  unsigned width = widthOf(type) * 8;
  if (value != value)
    return from == F64 || width == 64 ? uint64_t(1) << (width - 1) : 0;
  bool sign = isSignedInteger(type);
  long double top = std::ldexp(1.0L, sign ? width - 1 : width);
  value = std::clamp(value, sign ? -top : 0.0L, top - 1);
  return sign ? static_cast<uint64_t>(static_cast<int64_t>(value))
              : static_cast<uint64_t>(value);
}

uint64_t extended(Type type, uint64_t bits) {
  unsigned unused = 64 - widthOf(type) * 8;
  return isSignedInteger(type)
             ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >>
                                     unused)
             : bits << unused >> unused;
}

uint64_t converted(Type from, Type to, Rounding rounding, uint32_t flags,
                   uint64_t bits) {
  if (!isFloat(from) && !isFloat(to) && !(flags & Sat))
    return extended(to, extended(from, bits));
  long double value = valueOf(from, bits);
  if (flags & Ftz && from == F32)
    value = flushed(static_cast<float>(value));
  if (flags & ToWhole)
    value = toWhole(value, rounding);
  if (!isFloat(to))
    return integerBits(from, to, value);
  if (flags & Sat)
    value = saturate(value);
  if (flags & Relu && value < 0)
    value = 0;
  uint64_t result = floatBits(to, value, rounding);
  if (flags & Ftz && to == F32)
    result = bitsAs<uint32_t>(flushed(bitsAs<float>(uint32_t(result))));
  return result;
}

uint64_t readRegister(const std::byte *lanes, unsigned lane, unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, lanes + lane * bytes, bytes);
  return bits;
}

/// width: from; count: to; offset: bytes of the registers.
void convert(Warp &warp, const Step &step, uint32_t active) {
  unsigned toBytes = step.offset & 255, fromBytes = step.offset >> 8;
  std::byte *to = warp.lanes<std::byte>(step.operands[0]);
  const std::byte *from = warp.lanes<std::byte>(step.operands[1]);
  eachLane(active, [&](unsigned lane) {
    uint64_t bits =
        converted(Type(step.width), Type(step.count), Rounding(step.option),
                  step.target, readRegister(from, lane, fromBytes));
    std::memcpy(to + lane * toBytes, &bits, toBytes);
  });
}

// The frequent ones once more, for many lanes at a time.
template <typename To, typename From>
void cast(Warp &warp, const Step &step, uint32_t active) {
  const From *from = warp.lanes<From>(step.operands[1]);
  To values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = static_cast<To>(from[lane]);
  put(warp, step.operands[0], active, values);
}
template <typename H>
void narrow(Warp &warp, const Step &step, uint32_t active) {
  const float *from = warp.lanes<float>(step.operands[1]);
  H values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = toHalf<H>(from[lane]);
  put(warp, step.operands[0], active, values);
}

/// Whatever a NaN was, it becomes the one of f32.
void widenHalf(Warp &warp, const Step &step, uint32_t active) {
  const Float16 *from = warp.lanes<Float16>(step.operands[1]);
  float values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = canonical(static_cast<float>(from[lane]));
  put(warp, step.operands[0], active, values);
}

Handler fast(Type from, Type to) {
  static const std::map<std::pair<Type, Type>, Handler> table = {
      {{U32, U64}, cast<uint64_t, uint32_t>},
      {{S32, S64}, cast<int64_t, int32_t>},
      {{S32, U64}, cast<int64_t, int32_t>},
      {{U32, S64}, cast<uint64_t, uint32_t>},
      {{U64, U32}, cast<uint32_t, uint64_t>},
      {{S64, S32}, cast<uint32_t, uint64_t>},
      {{S64, U32}, cast<uint32_t, uint64_t>},
      {{U64, S32}, cast<uint32_t, uint64_t>},
      {{U16, U32}, cast<uint32_t, uint16_t>},
      {{S16, S32}, cast<int32_t, int16_t>},
      {{U32, U16}, cast<uint16_t, uint32_t>},
      {{S32, F32}, cast<float, int32_t>},
      {{U32, F32}, cast<float, uint32_t>},
      {{F32, F64}, cast<double, float>},
      {{F32, F16}, narrow<Float16>},
      {{F32, BF16}, narrow<BFloat16>},
      {{F16, F32}, widenHalf},
      {{BF16, F32}, cast<float, BFloat16>}};
  auto found = table.find({from, to});
  return found == table.end() ? nullptr : found->second;
}

/// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
template <typename H>
void convertPair(Warp &warp, const Step &step, uint32_t active) {
  const float *high = warp.lanes<float>(step.operands[1]);
  const float *low = warp.lanes<float>(step.operands[2]);
  constexpr Type type = std::is_same_v<H, Float16> ? F16 : BF16;
  bool plain = step.option == 0 && step.target == 0;
  uint32_t values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    auto half = [&](float value) -> uint32_t {
      return plain ? toHalf<H>(value).bits
                   : converted(F32, type, Rounding(step.option), step.target,
                               bitsAs<uint32_t>(value));
    };
    values[lane] = half(high[lane]) << 16 | half(low[lane]);
  }
  put(warp, step.operands[0], active, values);
}

/// To 10 digits after the point; .rna takes ties away from zero.
void convertTf32(Warp &warp, const Step &step, uint32_t active) {
  const uint32_t *from = warp.lanes<uint32_t>(step.operands[1]);
  uint32_t values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    uint32_t bits = from[lane], rest = bits & 0x7fffffff;
    uint32_t half = step.flag ? 0x1000 : 0xfff + (bits >> 13 & 1);
    values[lane] = rest > 0x7f800000    ? 0x7fffffff
                   : rest == 0x7f800000 ? bits
                                        : (bits + half) & ~0x1fffu;
  }
  put(warp, step.operands[0], active, values);
}

Type typeOf(Decoder &decoder, const std::string &name) {
  for (unsigned i = 0; i < std::size(typeNames); ++i)
    if (name == typeNames[i])
      return Type(i);
  decoder.refuse("the type '." + name + "' is not supported here");
}

void takeFlags(Decoder &decoder, Step &step) {
  static const char *const modes[] = {"rn",  "rz",  "rm",  "rp",
                                      "rni", "rzi", "rmi", "rpi"};
  for (unsigned i = 0; i < 8; ++i)
    if (decoder.take(modes[i])) {
      step.option = i % 4;
      step.target |= i >= 4 ? ToWhole : 0;
    }
  step.target |= decoder.take("ftz") ? Ftz : 0;
  step.target |= decoder.take("sat") ? Sat : 0;
  step.target |= decoder.take("relu") ? Relu : 0;
}

void decodeConvert(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Convert;
  step.flag = decoder.take("rna");
  takeFlags(decoder, step);
  std::string toName = decoder.takeType(), fromName = decoder.takeType();
  if (toName == "f16x2" || toName == "bf16x2") {
    step.run = toName == "f16x2" ? convertPair<Float16> : convertPair<BFloat16>;
    decoder.to(decoder.operand(0), 4);
    decoder.from(decoder.operand(1), 4);
    return decoder.from(decoder.operand(2), 4);
  }
  if (toName == "tf32") {
    step.run = convertTf32;
    return decoder.plain(4, 1);
  }
  Type to = typeOf(decoder, toName), from = typeOf(decoder, fromName);
  auto bytes = [&](const Operand &operand, Type type) {
    unsigned has = decoder.bytesOfRegister(operand);
    return has == 255 ? std::max(widthOf(type), 2u) : has;
  };
  unsigned toBytes = bytes(decoder.operand(0), to);
  unsigned fromBytes = bytes(decoder.operand(1), from);
  if (!toBytes || !fromBytes || toBytes < widthOf(to) ||
      fromBytes < widthOf(from))
    decoder.refuse("a register is too narrow");
  step.width = from;
  step.count = to;
  step.offset = toBytes | fromBytes << 8;
  step.run = convert;
  if (!step.target && !step.option && toBytes == widthOf(to) &&
      fromBytes == widthOf(from) && fast(from, to))
    step.run = fast(from, to);
  decoder.to(decoder.operand(0), toBytes);
  decoder.from(decoder.operand(1), fromBytes);
}

} // namespace

void hocket::ptx::addConversions(Opcodes &opcodes) {
  opcodes["cvt"] = decodeConvert;
}
