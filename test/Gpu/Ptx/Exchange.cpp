//===- Exchange.cpp - shfl, vote, match, redux ----------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include <algorithm>

using namespace hocket::ptx;

namespace {

/// Calls `body` with each set of active lanes that named the same members. They
/// must be those members, as far as these have not ended.
template <typename F>
void exchange(Warp &warp, const Step &step, uint32_t active, Slot masks,
              F body) {
  const uint32_t *named = warp.lanes<uint32_t>(masks);
  uint32_t all = 0;
  eachLane(active, [&](unsigned lane) { all |= named[lane]; });
  if (!warp.meet(step, all, active))
    return;
  for (uint32_t rest = active; rest;) {
    uint32_t members = named[__builtin_ctz(rest)], group = 0;
    eachLane(rest, [&](unsigned lane) {
      if (named[lane] == members)
        group |= 1u << lane;
    });
    rest &= ~group;
    if (uint32_t outside = group & ~members)
      warp.find(FindingKind::BadExchange, step, __builtin_ctz(outside),
                "is not in the mask that it names");
    body(group);
  }
}

enum Form { Up, Down, Bfly, Idx };

/// The lane that `lane` reads from; false if it is outside of the segment.
bool sourceLane(unsigned form, unsigned lane, uint32_t b, uint32_t c,
                unsigned &source) {
  uint32_t segment = c >> 8 & 31, clamp = c & 31;
  int last = (lane & segment) | (clamp & ~segment);
  int from = 0;
  bool inside = true;
  b &= 31;
  switch (form) {
  case Up:
    from = static_cast<int>(lane) - static_cast<int>(b);
    inside = from >= last;
    break;
  case Down:
    from = lane + b;
    inside = from <= last;
    break;
  case Bfly:
    from = lane ^ b;
    inside = from <= last;
    break;
  default:
    from = (lane & segment) | (b & ~segment & 31);
    inside = from <= last;
  }
  source = inside ? from : lane;
  return inside;
}

/// Sources: a, b, c, the members. A second destination says who was inside.
void shuffle(Warp &warp, const Step &step, uint32_t active) {
  const Slot *sources = step.operands + step.destinations;
  const uint32_t *a = warp.lanes<uint32_t>(sources[0]);
  const uint32_t *b = warp.lanes<uint32_t>(sources[1]);
  const uint32_t *c = warp.lanes<uint32_t>(sources[2]);
  uint32_t values[32] = {}, insides = 0, done = 0;
  exchange(warp, step, active, sources[3], [&](uint32_t group) {
    done |= group;
    eachLane(group, [&](unsigned lane) {
      unsigned source;
      bool inside = sourceLane(step.option, lane, b[lane], c[lane], source);
      insides |= uint32_t(inside) << lane;
      values[lane] = a[source];
      if (!(group >> source & 1))
        warp.find(FindingKind::BadExchange, step, lane,
                  "reads from lane " + std::to_string(source) +
                      ", which takes no part");
    });
  });
  put(warp, step.operands[0], done, values);
  if (step.destinations == 2)
    putBits(warp, step.operands[1], done, insides);
}

void decodeShuffle(Decoder &decoder) {
  decoder.takeOne({"sync"});
  decoder.step.kind = Class::Exchange;
  decoder.step.option = decoder.takeOne({"up", "down", "bfly", "idx"});
  decoder.takeOne({"b32"});
  decoder.step.run = shuffle;
  decoder.to(decoder.operand(0), 4);
  for (const Operand &second : decoder.operand(0).also)
    decoder.to(second, 0);
  for (unsigned i = 1; i < 5; ++i)
    decoder.from(decoder.operand(i), 4);
}

/// flag: the predicate is !p.
void vote(Warp &warp, const Step &step, uint32_t active) {
  uint32_t bits = warp.reg(step.operands[1]).bits;
  bits = step.flag ? ~bits : bits;
  exchange(warp, step, active, step.operands[2], [&](uint32_t group) {
    uint32_t votes = bits & group;
    bool answers[] = {votes == group, votes != 0, !votes || votes == group};
    if (step.option < 3)
      return putBits(warp, step.operands[0], group,
                     answers[step.option] ? ~0u : 0);
    eachLane(group, [&](unsigned lane) {
      warp.lanes<uint32_t>(step.operands[0])[lane] = votes;
    });
  });
}

void decodeVote(Decoder &decoder) {
  decoder.takeOne({"sync"});
  Step &step = decoder.step;
  step.kind = Class::Exchange;
  step.option = decoder.takeOne({"all", "any", "uni", "ballot"});
  decoder.takeOne({"pred", "b32"});
  step.run = vote;
  step.flag = decoder.operand(1).negated;
  decoder.to(decoder.operand(0), step.option == 3 ? 4 : 0);
  decoder.from(decoder.operand(1), 0);
  decoder.from(decoder.operand(2), 4);
}

void activeMask(Warp &warp, const Step &step, uint32_t active) {
  eachLane(active, [&](unsigned lane) {
    warp.lanes<uint32_t>(step.operands[0])[lane] = active;
  });
}

template <typename T>
void match(Warp &warp, const Step &step, uint32_t active) {
  const Slot *sources = step.operands + step.destinations;
  const T *a = warp.lanes<T>(sources[0]);
  uint32_t values[32], equal = 0, done = 0;
  exchange(warp, step, active, sources[1], [&](uint32_t group) {
    done |= group;
    eachLane(group, [&](unsigned lane) {
      values[lane] = 0;
      eachLane(group, [&](unsigned other) {
        values[lane] |= uint32_t(a[other] == a[lane]) << other;
      });
      bool all = values[lane] == group;
      equal |= uint32_t(all) << lane;
      if (step.flag && !all)
        values[lane] = 0;
    });
  });
  put(warp, step.operands[0], done, values);
  if (step.destinations == 2)
    putBits(warp, step.operands[1], done, equal);
}

void decodeMatch(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Exchange;
  step.flag = decoder.takeOne({"any", "all"}) == 1;
  decoder.takeOne({"sync"});
  bool wide = decoder.takeOne({"b32", "b64"}) == 1;
  step.run = wide ? match<uint64_t> : match<uint32_t>;
  decoder.to(decoder.operand(0), 4);
  for (const Operand &second : decoder.operand(0).also)
    decoder.to(second, 0);
  decoder.from(decoder.operand(1), wide ? 8 : 4);
  decoder.from(decoder.operand(2), 4);
}

template <typename T>
void reduce(Warp &warp, const Step &step, uint32_t active) {
  const T *a = warp.lanes<T>(step.operands[1]);
  exchange(warp, step, active, step.operands[2], [&](uint32_t group) {
    T value = a[__builtin_ctz(group)];
    eachLane(group & (group - 1), [&](unsigned lane) {
      const T other = a[lane];
      const T choices[] = {static_cast<T>(uint32_t(value) + uint32_t(other)),
                           std::min(value, other),
                           std::max(value, other),
                           static_cast<T>(value & other),
                           static_cast<T>(value | other),
                           static_cast<T>(value ^ other)};
      value = choices[step.option];
    });
    eachLane(group, [&](unsigned lane) {
      warp.lanes<T>(step.operands[0])[lane] = value;
    });
  });
}

void decodeReduce(Decoder &decoder) {
  decoder.takeOne({"sync"});
  Step &step = decoder.step;
  step.kind = Class::Exchange;
  step.option = decoder.takeOne({"add", "min", "max", "and", "or", "xor"});
  bool sign = decoder.takeOne({"u32", "b32", "s32"}) == 2;
  step.run = sign ? reduce<int32_t> : reduce<uint32_t>;
  decoder.plain(4, 2);
}

} // namespace

void hocket::ptx::addExchanges(Opcodes &opcodes) {
  opcodes["shfl"] = decodeShuffle;
  opcodes["vote"] = decodeVote;
  opcodes["match"] = decodeMatch;
  opcodes["redux"] = decodeReduce;
  opcodes["activemask"] = [](Decoder &decoder) {
    decoder.takeOne({"b32"});
    decoder.step.kind = Class::Exchange;
    decoder.step.run = activeMask;
    decoder.to(decoder.operand(0), 4);
  };
}
