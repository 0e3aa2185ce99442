//===- Barrier.cpp - bar and barrier --------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"

using namespace hocket::ptx;

namespace {

/// All lanes of the warp come together; who has ended is missing.
bool gather(Warp &warp, const Step &step, uint32_t active) {
  if (!warp.meet(step, warp.live, active))
    return false;
  if (warp.live != warp.present)
    warp.find(
        FindingKind::DivergentBarrier, step, __builtin_ctz(warp.live),
        "waits for its warp, of which " +
            std::to_string(__builtin_popcount(warp.present & ~warp.live)) +
            " threads have ended");
  return true;
}

/// Sources: the barrier's number, the count of threads, of .red a predicate.
/// flag: waits. option: .popc 1, .and 2, .or 3; width: the predicate is !p.
void barrier(Warp &warp, const Step &step, uint32_t active) {
  if (!gather(warp, step, active))
    return;
  const Slot *sources = step.operands + step.destinations;
  unsigned lane = __builtin_ctz(active);
  uint32_t id = warp.lanes<uint32_t>(sources[0])[lane];
  uint32_t threads = warp.lanes<uint32_t>(sources[1])[lane];
  if (id >= 16 || threads % 32 || threads > warp.block.warps.size() * 32) {
    warp.find(FindingKind::DivergentBarrier, step, lane,
              "names barrier " + std::to_string(id) + " for " +
                  std::to_string(threads) +
                  " threads; there are 16, for whole warps of the block");
    throw EndOfLaunch();
  }
  unsigned expected = threads ? threads / 32 : warp.block.warps.size();
  uint32_t votes = 0;
  if (step.option) {
    votes = warp.reg(sources[2]).bits;
    votes = (step.width ? ~votes : votes) & active;
  }
  warp.block.arrive(warp, step, {id, expected, step.flag, votes});
}

/// Orders the accesses of the lanes. A part of the warp counts as the whole.
void warpBarrier(Warp &warp, const Step &step, uint32_t active) {
  const uint32_t *masks = warp.lanes<uint32_t>(step.operands[0]);
  uint32_t members = 0;
  eachLane(active, [&](unsigned lane) {
    members |= masks[lane];
    if (!(masks[lane] >> lane & 1))
      warp.find(FindingKind::BadExchange, step, lane,
                "is not in the mask of its own barrier");
  });
  if (warp.meet(step, members, active))
    warp.advance();
}

void decode(Decoder &decoder) {
  Step &step = decoder.step;
  step.kind = Class::Barrier;
  if (decoder.take("warp")) {
    decoder.takeOne({"sync"});
    step.run = warpBarrier;
    return decoder.from(decoder.operand(0), 4);
  }
  decoder.take("cta");
  decoder.take("aligned");
  unsigned form = decoder.takeOne({"sync", "arrive", "red"});
  step.run = barrier;
  step.flag = form != 1;
  size_t next = 0;
  if (form == 2) {
    step.option = 1 + decoder.takeOne({"popc", "and", "or"});
    decoder.takeOne({"u32", "pred"});
    decoder.to(decoder.operand(next++), step.option == 1 ? 4 : 0);
  }
  Operand all;
  decoder.from(decoder.operand(next++), 4);
  bool counted = decoder.operands() > next + (form == 2);
  decoder.from(counted ? decoder.operand(next++) : all, 4);
  if (form == 2) {
    step.width = decoder.operand(next).negated;
    decoder.from(decoder.operand(next), 0);
  }
}

} // namespace

void hocket::ptx::addBarriers(Opcodes &opcodes) {
  opcodes["bar"] = decode;
  opcodes["barrier"] = decode;
}
