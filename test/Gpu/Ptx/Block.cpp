//===- Block.cpp - the warps of a block and their barriers ----------------===//

#include "test/Gpu/Ptx/Machine.h"

using namespace hocket::ptx;

Block::Block(Machine &machine, Dim3 id, uint32_t number)
    : machine(machine), id(id), number(number),
      shared(machine.kernel.sharedBytes + machine.how.dynamicShared),
      local(machine.kernel.localBytes * machine.how.block.count()) {
  uint32_t threads = machine.how.block.count();
  for (uint32_t first = 0; first < threads; first += lanesOfWarp)
    warps.emplace_back(*this, first / lanesOfWarp, threads - first);
  for (Warp &warp : warps) {
    warp.seen.assign(warps.size(), 0);
    warp.seen[warp.index] = warp.clock;
  }
}

std::string Block::nameOf(unsigned thread) const {
  Dim3 size = machine.how.block;
  auto text = [](uint32_t x, uint32_t y, uint32_t z) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
           std::to_string(z) + ")";
  };
  return "thread " +
         text(thread % size.x, thread / size.x % size.y,
              thread / size.x / size.y) +
         " of block " + text(id.x, id.y, id.z);
}

/// Warps run one after the other, each as far as it gets: in a program without
/// races another order gives nothing else.
void Block::run() {
  for (bool any = true; any;) {
    any = false;
    for (Warp &warp : warps)
      if (warp.live && !warp.atBarrier) {
        any = true;
        warp.run();
      }
  }
  for (Warp &warp : warps)
    if (warp.live)
      reportWaiting(warp);
}

void Block::arrive(Warp &warp, const Step &step, const Arrival &arrival) {
  auto [id, expected, waits, votes] = arrival;
  Barrier &barrier = barriers[id];
  uint32_t own = 1u << warp.index;
  if (barrier.arrived && barrier.expected != expected) {
    warp.find(FindingKind::DivergentBarrier, step, 0,
              "comes to barrier " + std::to_string(id) + " with " +
                  std::to_string(expected * 32) + " threads, others with " +
                  std::to_string(barrier.expected * 32));
    throw EndOfLaunch();
  }
  if (barrier.arrived & own) {
    warp.find(FindingKind::DivergentBarrier, step, 0,
              "comes to barrier " + std::to_string(id) +
                  " again before it has opened");
    throw EndOfLaunch();
  }
  barrier.expected = expected;
  barrier.arrived |= own;
  barrier.votes += __builtin_popcount(votes);
  barrier.voters += __builtin_popcount(warp.live);
  if (waits) {
    barrier.waiting |= own;
    warp.atBarrier = true;
  }
  if (static_cast<unsigned>(__builtin_popcount(barrier.arrived)) == expected)
    open(barrier);
}

/// Who waited knows all that those who came had done or known.
void Block::open(Barrier &barrier) {
  ++machine.report.barriers;
  ++tick;
  std::vector<uint32_t> joined(warps.size(), 0);
  eachLane(barrier.arrived, [&](unsigned index) {
    for (size_t i = 0; i < warps.size(); ++i)
      joined[i] = std::max(joined[i], warps[index].seen[i]);
  });
  eachLane(barrier.arrived, [&](unsigned index) { joined[index] = tick; });
  eachLane(barrier.arrived, [&](unsigned index) {
    Warp &warp = warps[index];
    warp.clock = tick;
    if (barrier.waiting >> index & 1) {
      warp.seen = joined;
      warp.atBarrier = false;
      reduce(warp, barrier);
    }
    // Who only arrived goes on in an interval of his own, and knows no more of
    // the others; his own lanes he knows.
    warp.seen[index] = tick;
  });
  barrier = Barrier();
}

/// The result of bar.red, for all lanes.
void Block::reduce(Warp &warp, const Barrier &barrier) {
  const Step &step = machine.kernel.steps[warp.at - 1];
  if (step.option == 1)
    eachLane(warp.live, [&](unsigned lane) {
      warp.lanes<uint32_t>(step.operands[0])[lane] = barrier.votes;
    });
  bool holds =
      step.option == 2 ? barrier.votes == barrier.voters : barrier.votes != 0;
  if (step.option > 1)
    warp.reg(step.operands[0]).bits = holds ? ~0u : 0u;
}

void Block::reportWaiting(Warp &warp) {
  const Step &step = machine.kernel.steps[warp.at - 1];
  for (const Barrier &barrier : barriers)
    if (barrier.waiting >> warp.index & 1)
      machine.find(FindingKind::MissingThreads, step,
                   "warp " + std::to_string(warp.index) + " of block (" +
                       std::to_string(id.x) + ", " + std::to_string(id.y) +
                       ", " + std::to_string(id.z) + ") waits for " +
                       std::to_string(barrier.expected) + " warps, but only " +
                       std::to_string(__builtin_popcount(barrier.arrived)) +
                       " ever come");
  throw EndOfLaunch();
}
