//===- Fields.cpp - fields of bits, counts and places of bits -------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include <algorithm>

using namespace hocket::ptx;

namespace {

/// A field of `length` bits from `from` on; what lies past the top is the sign.
struct ExtractField {
  template <typename T> static T of(T a, uint32_t from, uint32_t length) {
    constexpr uint32_t width = sizeof(T) * 8;
    using U = std::make_unsigned_t<T>;
    from &= 255;
    length &= 255;
    uint32_t last = std::min(from + length - (length ? 1 : 0), width - 1);
    bool sign = std::is_signed_v<T> && length && (U(a) >> last & 1);
    U field = from >= width ? 0 : U(a) >> from;
    uint32_t kept = from >= width ? 0 : std::min(length, width - from);
    U mask = kept >= width ? U(~U(0)) : U((U(1) << kept) - 1);
    field &= mask;
    if (sign && length)
      field |= kept >= width ? U(0) : U(~mask);
    return static_cast<T>(field);
  }
};
template <typename T>
void insertField(Warp &warp, const Step &step, uint32_t active) {
  constexpr uint32_t width = sizeof(T) * 8;
  const T *a = warp.lanes<T>(step.operands[1]);
  const T *b = warp.lanes<T>(step.operands[2]);
  const uint32_t *from = warp.lanes<uint32_t>(step.operands[3]);
  const uint32_t *length = warp.lanes<uint32_t>(step.operands[4]);
  T values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    uint32_t begin = from[lane] & 255;
    uint32_t count = std::min(length[lane] & 255, width);
    T mask = begin >= width
                 ? T(0)
                 : T((count >= width ? ~T(0) : (T(1) << count) - 1) << begin);
    T field = begin >= width ? T(0) : T(a[lane] << begin);
    values[lane] = (b[lane] & ~mask) | (field & mask);
  }
  put(warp, step.operands[0], active, values);
}

void extract(Decoder &decoder) {
  std::string type = decoder.takeType();
  auto run = [](auto t) -> Handler {
    using T = decltype(t);
    return ternary<T, T, uint32_t, uint32_t, ExtractField>;
  };
  decoder.step.kind = Class::Integer;
  decoder.step.run = type == "s32"   ? run(int32_t())
                     : type == "u32" ? run(uint32_t())
                     : type == "s64" ? run(int64_t())
                                     : run(uint64_t());
  decoder.to(decoder.operand(0), bytesOf(type));
  decoder.from(decoder.operand(1), bytesOf(type));
  decoder.from(decoder.operand(2), 4);
  decoder.from(decoder.operand(3), 4);
}

void insert(Decoder &decoder) {
  unsigned bytes = bytesOf(decoder.takeType());
  decoder.step.kind = Class::Integer;
  decoder.step.run = bytes == 4 ? insertField<uint32_t> : insertField<uint64_t>;
  decoder.to(decoder.operand(0), bytes);
  decoder.from(decoder.operand(1), bytes);
  decoder.from(decoder.operand(2), bytes);
  decoder.from(decoder.operand(3), 4);
  decoder.from(decoder.operand(4), 4);
}

struct Popc {
  template <typename T> static uint32_t of(T a) {
    return __builtin_popcountll(a);
  }
};
struct Clz {
  template <typename T> static uint32_t of(T a) {
    return a ? __builtin_clzll(a) - (64 - sizeof(T) * 8) : sizeof(T) * 8;
  }
};
struct Brev {
  template <typename T> static T of(T a) {
    T reversed = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i)
      reversed |= (a >> i & 1) << (sizeof(T) * 8 - 1 - i);
    return reversed;
  }
};
/// The highest bit that differs from the sign.
struct Bfind {
  template <typename T> static uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    U rest = a < 0 ? U(~U(a)) : U(a);
    return rest ? 63 - __builtin_clzll(rest) : ~0u;
  }
};

template <typename Operation> void count(Decoder &decoder) {
  unsigned bytes = bytesOf(decoder.takeType());
  decoder.step.kind = Class::Integer;
  decoder.step.run = bytes == 4 ? Handler(unary<uint32_t, uint32_t, Operation>)
                                : Handler(unary<uint32_t, uint64_t, Operation>);
  decoder.to(decoder.operand(0), 4);
  decoder.from(decoder.operand(1), bytes);
}

void reverse(Decoder &decoder) {
  unsigned bytes = bytesOf(decoder.takeType());
  decoder.step.kind = Class::Integer;
  decoder.step.run = bytes == 4 ? Handler(unary<uint32_t, uint32_t, Brev>)
                                : Handler(unary<uint64_t, uint64_t, Brev>);
  decoder.plain(bytes, 1);
}

void findHighest(Decoder &decoder) {
  std::string type = decoder.takeType();
  decoder.step.kind = Class::Integer;
  decoder.step.run = type == "u32"   ? Handler(unary<uint32_t, uint32_t, Bfind>)
                     : type == "s32" ? Handler(unary<uint32_t, int32_t, Bfind>)
                     : type == "u64" ? Handler(unary<uint32_t, uint64_t, Bfind>)
                                     : Handler(unary<uint32_t, int64_t, Bfind>);
  decoder.to(decoder.operand(0), 4);
  decoder.from(decoder.operand(1), bytesOf(type));
}

} // namespace

void hocket::ptx::addFields(Opcodes &opcodes) {
  opcodes["bfe"] = extract;
  opcodes["bfi"] = insert;
  opcodes["popc"] = count<Popc>;
  opcodes["clz"] = count<Clz>;
  opcodes["brev"] = reverse;
  opcodes["bfind"] = findHighest;
}
