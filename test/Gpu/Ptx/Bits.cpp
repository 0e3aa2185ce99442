//===- Bits.cpp - logic, shifts and permutations --------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include <algorithm>

using namespace hocket::ptx;

namespace {

struct And {
  template <typename T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T of(T a, T b) { return a ^ b; }
};
struct Not {
  template <typename T> static T of(T a) { return ~a; }
};
struct CNot {
  template <typename T> static T of(T a) { return a == 0; }
};

template <typename Operation>
void predicates(Warp &warp, const Step &step, uint32_t active) {
  uint32_t a = warp.reg(step.operands[1]).bits;
  uint32_t b = warp.reg(step.operands[2]).bits;
  putBits(warp, step.operands[0], active, Operation::of(a, b));
}
void notPredicate(Warp &warp, const Step &step, uint32_t active) {
  putBits(warp, step.operands[0], active, ~warp.reg(step.operands[1]).bits);
}

template <typename Operation> void logic(Decoder &decoder) {
  std::string type = decoder.takeType();
  decoder.step.kind = Class::Integer;
  if (type == "pred") {
    decoder.step.run = predicates<Operation>;
    return decoder.plain(0, 2);
  }
  unsigned bytes = bytesOf(type);
  decoder.step.run = bytes == 2   ? Handler(binary<uint16_t, Operation>)
                     : bytes == 4 ? Handler(binary<uint32_t, Operation>)
                                  : Handler(binary<uint64_t, Operation>);
  decoder.plain(bytes, 2);
}

template <typename Operation> void complement(Decoder &decoder) {
  std::string type = decoder.takeType();
  decoder.step.kind = Class::Integer;
  if (type == "pred") {
    decoder.step.run = notPredicate;
    return decoder.plain(0, 1);
  }
  unsigned bytes = bytesOf(type);
  decoder.step.run = bytes == 2 ? Handler(unary<uint16_t, uint16_t, Operation>)
                     : bytes == 4
                         ? Handler(unary<uint32_t, uint32_t, Operation>)
                         : Handler(unary<uint64_t, uint64_t, Operation>);
  decoder.plain(bytes, 1);
}

/// Amounts past the width count as the width.
struct Shl {
  template <typename T> static T of(T a, uint32_t by) {
    return by >= sizeof(T) * 8 ? T(0) : static_cast<T>(a << by);
  }
};
struct Shr {
  template <typename T> static T of(T a, uint32_t by) {
    constexpr uint32_t width = sizeof(T) * 8;
    if (by >= width)
      return std::is_signed_v<T> ? static_cast<T>(a >> (width - 1)) : T(0);
    return static_cast<T>(a >> by);
  }
};

template <typename T, typename Operation>
void shift(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  const uint32_t *by = warp.lanes<uint32_t>(step.operands[2]);
  T values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = Operation::of(a[lane], by[lane]);
  put(warp, step.operands[0], active, values);
}

template <typename Operation> void shifts(Decoder &decoder) {
  std::string type = decoder.takeType();
  unsigned bytes = bytesOf(type);
  decoder.step.kind = Class::Integer;
  if (isSigned(type))
    decoder.step.run = bytes == 2   ? Handler(shift<int16_t, Operation>)
                       : bytes == 4 ? Handler(shift<int32_t, Operation>)
                                    : Handler(shift<int64_t, Operation>);
  else
    decoder.step.run = bytes == 2   ? Handler(shift<uint16_t, Operation>)
                       : bytes == 4 ? Handler(shift<uint32_t, Operation>)
                                    : Handler(shift<uint64_t, Operation>);
  decoder.to(decoder.operand(0), bytes);
  decoder.from(decoder.operand(1), bytes);
  decoder.from(decoder.operand(2), 4);
}

template <bool left, bool wrap> struct Funnel {
  static uint32_t of(uint32_t low, uint32_t high, uint32_t by) {
    by = wrap ? by & 31 : std::min(by, 32u);
    uint64_t both = uint64_t(high) << 32 | low;
    return left ? (by == 32 ? low : uint32_t(both << by >> 32))
                : uint32_t(by == 32 ? high : both >> by);
  }
};

template <typename Operation>
constexpr Handler ternary32 =
    ternary<uint32_t, uint32_t, uint32_t, uint32_t, Operation>;

void funnelShift(Decoder &decoder) {
  static const Handler forms[2][2] = {
      {ternary32<Funnel<true, false>>, ternary32<Funnel<true, true>>},
      {ternary32<Funnel<false, false>>, ternary32<Funnel<false, true>>}};
  decoder.step.kind = Class::Integer;
  unsigned right = decoder.takeOne({"l", "r"});
  unsigned wrap = decoder.takeOne({"clamp", "wrap"});
  decoder.takeOne({"b32"});
  decoder.step.run = forms[right][wrap];
  decoder.plain(4, 3);
}

/// Four bytes of b:a, each chosen by a nibble; its highest bit spreads the
/// sign.
struct Permute {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t choice) {
    uint64_t both = uint64_t(b) << 32 | a;
    uint32_t made = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t nibble = choice >> 4 * i & 15;
      uint32_t byte = both >> 8 * (nibble & 7) & 255;
      if (nibble & 8)
        byte = byte & 128 ? 255 : 0;
      made |= byte << 8 * i;
    }
    return made;
  }
};

void permute(Decoder &decoder) {
  decoder.takeOne({"b32"});
  decoder.step.kind = Class::Integer;
  decoder.step.run = ternary32<Permute>;
  decoder.plain(4, 3);
}

/// Any function of three bits, by its truth table.
void logic3(Warp &warp, const Step &step, uint32_t active) {
  const uint32_t *a = warp.lanes<uint32_t>(step.operands[1]);
  const uint32_t *b = warp.lanes<uint32_t>(step.operands[2]);
  const uint32_t *c = warp.lanes<uint32_t>(step.operands[3]);
  uint32_t values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    values[lane] = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (step.option >> row & 1)
        values[lane] |= (row & 4 ? a[lane] : ~a[lane]) &
                        (row & 2 ? b[lane] : ~b[lane]) &
                        (row & 1 ? c[lane] : ~c[lane]);
  }
  put(warp, step.operands[0], active, values);
}

void decodeLogic3(Decoder &decoder) {
  decoder.takeOne({"b32"});
  decoder.step.kind = Class::Integer;
  decoder.step.run = logic3;
  decoder.step.option = decoder.number(decoder.operand(4));
  decoder.to(decoder.operand(0), 4);
  for (unsigned i = 1; i < 4; ++i)
    decoder.from(decoder.operand(i), 4);
}

} // namespace

void hocket::ptx::addBits(Opcodes &opcodes) {
  opcodes["and"] = logic<And>;
  opcodes["or"] = logic<Or>;
  opcodes["xor"] = logic<Xor>;
  opcodes["not"] = complement<Not>;
  opcodes["cnot"] = complement<CNot>;
  opcodes["shl"] = shifts<Shl>;
  opcodes["shr"] = shifts<Shr>;
  opcodes["shf"] = funnelShift;
  opcodes["prmt"] = permute;
  opcodes["lop3"] = decodeLogic3;
}
