//===- Carry.cpp - sums that pass a carry on ------------------------------===//
//
// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry lies in a register of its
// own that has no name, one bit a lane.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Wide.h"

using namespace hocket::ptx;

namespace {

constexpr uint32_t Reads = 1, Writes = 2;

/// Half of a product: option 2 the lower, 3 the upper.
template <typename T> T product(T a, T b, unsigned option) {
  Wide<T> whole = static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
  return static_cast<T>(option == 2 ? whole : whole >> (sizeof(T) * 8));
}

/// option: 0 a + b, 1 a - b, 2 and 3 a * b + c. Operands: the result, the carry
/// if it is written, a, b, c of a product, the carry if it is read.
template <typename T> void run(Warp &warp, const Step &step, uint32_t active) {
  using U = std::make_unsigned_t<T>;
  const Slot *sources = step.operands + step.destinations;
  const T *a = warp.lanes<T>(sources[0]), *b = warp.lanes<T>(sources[1]);
  bool isProduct = step.option >= 2, isDifference = step.option == 1;
  const T *c = isProduct ? warp.lanes<T>(sources[2]) : b;
  uint32_t given =
      step.target & Reads ? warp.reg(sources[step.sources - 1]).bits : 0;
  T values[32];
  uint32_t carries = 0;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    U x = isProduct ? product(a[lane], b[lane], step.option) : a[lane];
    U y = c[lane], carry = given >> lane & 1, once, twice;
    bool first = isDifference ? __builtin_sub_overflow(x, y, &once)
                              : __builtin_add_overflow(x, y, &once);
    bool second = isDifference ? __builtin_sub_overflow(once, carry, &twice)
                               : __builtin_add_overflow(once, carry, &twice);
    values[lane] = static_cast<T>(twice);
    carries |= uint32_t(first || second) << lane;
  }
  put(warp, step.operands[0], active, values);
  if (step.target & Writes)
    putBits(warp, step.operands[1], active, carries);
}

} // namespace

void hocket::ptx::carryArithmetic(Decoder &decoder, const std::string &type,
                                  bool writes) {
  Step &step = decoder.step;
  const std::string &opcode = decoder.statement().opcode;
  step.kind = Class::Integer;
  step.option = opcode[0] == 'a'   ? 0
                : opcode[0] == 's' ? 1
                                   : 2 + decoder.takeOne({"lo", "hi"});
  bool reads = opcode.back() == 'c';
  step.target = (reads ? Reads : 0) | (writes ? Writes : 0);
  unsigned bytes = bytesOf(type);
  step.run = type == "u32" || type == "b32" ? run<uint32_t>
             : type == "s32"                ? run<int32_t>
             : type == "s64"                ? run<int64_t>
                                            : run<uint64_t>;
  decoder.to(decoder.operand(0), bytes);
  if (writes)
    decoder.toCarry();
  for (unsigned i = 1; i < (step.option >= 2 ? 4 : 3); ++i)
    decoder.from(decoder.operand(i), bytes);
  if (reads)
    decoder.fromCarry();
}

void hocket::ptx::addCarries(Opcodes &opcodes) {
  for (const char *name : {"addc", "subc", "madc"})
    opcodes[name] = [](Decoder &decoder) {
      bool writes = decoder.take("cc");
      carryArithmetic(decoder, decoder.takeType(), writes);
    };
}
