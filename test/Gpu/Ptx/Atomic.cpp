//===- Atomic.cpp - atom and red ------------------------------------------===//
//
// Lanes go in their order, which hardware does not promise: a sum of floats by
// atomics has one of several values here too.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Touch.h"
#include <algorithm>

using namespace hocket::ptx;

namespace {

using Update = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c);

template <typename T, typename Operation>
uint64_t update(uint64_t old, uint64_t b, uint64_t c) {
  T x, y;
  std::memcpy(static_cast<void *>(&x), &old, sizeof x);
  std::memcpy(static_cast<void *>(&y), &b, sizeof y);
  T value = Operation::of(x, y);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

struct Add {
  template <typename T> static T of(T a, T b) { return a + b; }
};
template <typename H> struct AddHalf {
  static H of(H a, H b) { return toHalf<H>(float(a) + float(b)); }
};
template <typename H> struct Pair {
  H low, high;
};
template <typename H> struct AddPair {
  static Pair<H> of(Pair<H> a, Pair<H> b) {
    return {AddHalf<H>::of(a.low, b.low), AddHalf<H>::of(a.high, b.high)};
  }
};
struct Min {
  template <typename T> static T of(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <typename T> static T of(T a, T b) { return std::max(a, b); }
};
struct And {
  template <typename T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T of(T a, T b) { return a ^ b; }
};
/// Up to b, then from 0; and the way down.
struct Inc {
  template <typename T> static T of(T a, T b) { return a >= b ? 0 : a + 1; }
};
struct Dec {
  template <typename T> static T of(T a, T b) {
    return a == 0 || a > b ? b : a - 1;
  }
};
uint64_t swap(uint64_t, uint64_t b, uint64_t) { return b; }
uint64_t compareAndSwap(uint64_t old, uint64_t b, uint64_t c) {
  return old == b ? c : old;
}

const std::map<std::string, Update> &forms() {
  static const std::map<std::string, Update> table = {
      {"add.u32", update<uint32_t, Add>},
      {"add.s32", update<uint32_t, Add>},
      {"add.u64", update<uint64_t, Add>},
      {"add.f32", update<float, Add>},
      {"add.f64", update<double, Add>},
      {"add.f16", update<Float16, AddHalf<Float16>>},
      {"add.bf16", update<BFloat16, AddHalf<BFloat16>>},
      {"add.f16x2", update<Pair<Float16>, AddPair<Float16>>},
      {"add.bf16x2", update<Pair<BFloat16>, AddPair<BFloat16>>},
      {"min.u32", update<uint32_t, Min>},
      {"min.s32", update<int32_t, Min>},
      {"min.u64", update<uint64_t, Min>},
      {"min.s64", update<int64_t, Min>},
      {"max.u32", update<uint32_t, Max>},
      {"max.s32", update<int32_t, Max>},
      {"max.u64", update<uint64_t, Max>},
      {"max.s64", update<int64_t, Max>},
      {"inc.u32", update<uint32_t, Inc>},
      {"dec.u32", update<uint32_t, Dec>},
      {"and.b32", update<uint32_t, And>},
      {"and.b64", update<uint64_t, And>},
      {"or.b32", update<uint32_t, Or>},
      {"or.b64", update<uint64_t, Or>},
      {"xor.b32", update<uint32_t, Xor>},
      {"xor.b64", update<uint64_t, Xor>},
      {"exch.b32", swap},
      {"exch.b64", swap},
      {"cas.b16", compareAndSwap},
      {"cas.b32", compareAndSwap},
      {"cas.b64", compareAndSwap}};
  return table;
}

/// target: the place of the form in the table; sources: the address, b, c.
void atomic(Warp &warp, const Step &step, uint32_t active) {
  const Slot *sources = step.operands + step.destinations;
  Addresses addresses = addressesOf(warp, step, sources[0]);
  Update run = std::next(forms().begin(), step.target)->second;
  Toucher toucher(warp, step);
  auto operand = [&](unsigned i, unsigned lane) {
    uint64_t bits = 0;
    if (i < step.sources)
      std::memcpy(&bits, warp.lanes<std::byte>(sources[i]) + lane * step.width,
                  step.width);
    return bits;
  };
  eachLane(active, [&](unsigned lane) {
    Place place =
        toucher.place(lane, step.space, addresses.of[lane], step.width, true);
    uint64_t old = 0;
    if (place.region) {
      toucher.update(lane, place, step.width);
      std::memcpy(&old, place.bytes(), step.width);
      uint64_t bits = run(old, operand(1, lane), operand(2, lane));
      std::memcpy(place.bytes(), &bits, step.width);
    }
    if (step.destinations)
      std::memcpy(warp.lanes<std::byte>(step.operands[0]) + lane * step.width,
                  &old, step.width);
  });
  countAccess(warp, step, addresses, active, step.width, true);
}

void decode(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Atomic;
  for (const char *hint : {"relaxed", "acquire", "release", "acq_rel", "cta",
                           "cluster", "gpu", "sys", "noftz"})
    decoder.take(hint);
  step.space = decoder.take("global") ? Space::Global
               : decoder.take("shared") || decoder.take("shared::cta")
                   ? Space::Shared
                   : Space::Generic;
  std::string operation = decoder.next();
  decoder.drop();
  std::string type = decoder.takeType();
  auto form = forms().find(operation + "." + type);
  if (form == forms().end())
    decoder.refuse("the operation is not supported with this type");
  step.target = std::distance(forms().begin(), form);
  step.width = bytesOf(type);
  step.run = atomic;
  bool returns = decoder.statement().opcode == "atom";
  if (returns)
    decoder.to(decoder.operand(0), step.width);
  decoder.fromAddress(decoder.operand(returns));
  for (size_t i = returns + 1; i < decoder.operands(); ++i)
    decoder.from(decoder.operand(i), step.width);
}

} // namespace

void hocket::ptx::addAtomics(Opcodes &opcodes) {
  opcodes["atom"] = decode;
  opcodes["red"] = decode;
}
