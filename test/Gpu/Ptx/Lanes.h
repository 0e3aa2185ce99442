//===- Lanes.h - how a step runs for the lanes of a warp -------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_LANES_H
#define HOCKET_TEST_GPU_PTX_LANES_H

#include "test/Gpu/Ptx/Decoder.h"
#include "test/Gpu/Ptx/Machine.h"

namespace hocket::ptx {

/// Writes what all lanes have computed, for the active ones.
template <typename T>
void put(Warp &warp, Slot slot, uint32_t active, const T (&values)[32]) {
  T *to = warp.lanes<T>(slot);
  if (active == ~0u) {
    std::memcpy(to, values, sizeof values);
    return;
  }
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    if (active >> lane & 1)
      to[lane] = values[lane];
}

inline void putBits(Warp &warp, Slot slot, uint32_t active, uint32_t bits) {
  Register &reg = warp.reg(slot);
  reg.bits = (reg.bits & ~active) | (bits & active);
}

/// Operation is a struct with a static `of`. Results are computed for all 32
/// lanes, which a compiler does eight at a time; only active ones are kept.
template <typename To, typename From, typename Operation>
void unary(Warp &warp, const Step &step, uint32_t active) {
  const From *a = warp.lanes<From>(step.operands[1]);
  To values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = Operation::of(a[lane]);
  put(warp, step.operands[0], active, values);
}

template <typename T, typename Operation>
void binary(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  const T *b = warp.lanes<T>(step.operands[2]);
  T values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = Operation::of(a[lane], b[lane]);
  put(warp, step.operands[0], active, values);
}

/// The types of the three sources may differ.
template <typename To, typename A, typename B, typename C, typename Operation>
void ternary(Warp &warp, const Step &step, uint32_t active) {
  const A *a = warp.lanes<A>(step.operands[1]);
  const B *b = warp.lanes<B>(step.operands[2]);
  const C *c = warp.lanes<C>(step.operands[3]);
  To values[32];
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    values[lane] = Operation::of(a[lane], b[lane], c[lane]);
  put(warp, step.operands[0], active, values);
}

inline bool isSigned(const std::string &type) { return type[0] == 's'; }
inline bool isInteger(const std::string &type) {
  return type[0] == 's' || type[0] == 'u' || (type[0] == 'b' && type[1] != 'f');
}
inline bool isHalf(const std::string &type) {
  return type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2";
}

/// Arithmetic of a type, for the opcodes that several kinds of types share.
void integerArithmetic(Decoder &decoder, const std::string &type);
void floatArithmetic(Decoder &decoder, const std::string &type);
void halfArithmetic(Decoder &decoder, const std::string &type);

/// Of integers that read or write the carry.
void carryArithmetic(Decoder &decoder, const std::string &type, bool writes);

/// set and setp of f16, bf16 and pairs of them.
void comparedHalves(Decoder &decoder, const std::string &name,
                    const std::string &type, bool isSet, bool toInteger);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_LANES_H
