//===- Carry.cpp - arithmetic of integers in several words ----------------===//

#include "test/Gpu/Ptx/Lanes.h"

using namespace hocket::ptx;

namespace {

enum class Kind { Add, Sub, MadLo, MadHi };

/// d = a + b, a - b, or a half of a * b, + c; `takes` adds the carry (for Sub:
/// takes the borrow off), `gives` leaves one.
template <typename T, Kind kind, bool takes, bool gives>
void withCarry(Warp &warp, const Step &step, uint32_t active) {
  constexpr bool isMad = kind == Kind::MadLo || kind == Kind::MadHi;
  const T *a = warp.lanes<T>(step.operands[1]);
  const T *b = warp.lanes<T>(step.operands[2]);
  const T *c = isMad ? warp.lanes<T>(step.operands[3]) : nullptr;
  T values[32];
  uint32_t carries = 0;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    T first = a[lane], second = b[lane];
    if constexpr (isMad) {
      auto product = static_cast<unsigned __int128>(first) * second;
      first = static_cast<T>(kind == Kind::MadLo ? product
                                                 : product >> (sizeof(T) * 8));
      second = c[lane];
    }
    unsigned __int128 in = takes ? warp.carry >> lane & 1 : 0;
    unsigned __int128 sum =
        kind == Kind::Sub ? static_cast<unsigned __int128>(first) - second - in
                          : static_cast<unsigned __int128>(first) + second + in;
    values[lane] = static_cast<T>(sum);
    carries |= uint32_t(sum >> (sizeof(T) * 8) & 1) << lane;
  }
  put(warp, step.operands[0], active, values);
  if (gives)
    warp.carry = (warp.carry & ~active) | (carries & active);
}

template <typename T, Kind kind> Handler chooseCarry(bool takes, bool gives) {
  if (!takes)
    return withCarry<T, kind, false, true>;
  return gives ? withCarry<T, kind, true, true>
               : withCarry<T, kind, true, false>;
}

template <typename T>
Handler choose(Kind kind, bool takes, bool gives, Decoder &decoder) {
  switch (kind) {
  case Kind::Add:
    return chooseCarry<T, Kind::Add>(takes, gives);
  case Kind::Sub:
    return chooseCarry<T, Kind::Sub>(takes, gives);
  case Kind::MadLo:
    return chooseCarry<T, Kind::MadLo>(takes, gives);
  case Kind::MadHi:
    return chooseCarry<T, Kind::MadHi>(takes, gives);
  }
  decoder.refuse("unknown arithmetic");
}

} // namespace

void hocket::ptx::carryArithmetic(Decoder &decoder, const std::string &type,
                                  bool gives) {
  const std::string &opcode = decoder.statement().opcode;
  bool takes = opcode.back() == 'c';
  Kind kind = opcode.substr(0, 3) == "add" ? Kind::Add : Kind::Sub;
  if (opcode.substr(0, 3) == "mad")
    kind = decoder.takeOne({"lo", "hi"}) == 0 ? Kind::MadLo : Kind::MadHi;
  bool isMad = kind == Kind::MadLo || kind == Kind::MadHi;
  if ((type == "s32" || type == "s64") && kind == Kind::MadHi)
    decoder.refuse("a carry of signed high halves is not supported here");
  unsigned bytes = bytesOf(type);
  decoder.step.kind = Class::Integer;
  if (bytes == 4)
    decoder.step.run = choose<uint32_t>(kind, takes, gives, decoder);
  else if (bytes == 8)
    decoder.step.run = choose<uint64_t>(kind, takes, gives, decoder);
  else
    decoder.refuse("the type '." + type + "' is not supported here");
  decoder.plain(bytes, isMad ? 3 : 2);
}
