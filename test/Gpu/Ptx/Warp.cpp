//===- Warp.cpp - 32 threads, apart and together --------------------------===//

#include "test/Gpu/Ptx/Machine.h"
#include <algorithm>

using namespace hocket::ptx;

Warp::Warp(Block &block, unsigned index, uint32_t threads)
    : block(block), machine(block.machine), index(index),
      present(threads >= 32 ? ~0u : (1u << threads) - 1), live(present),
      mask(present) {
  const Kernel &kernel = machine.kernel;
  storage.resize(kernel.registerBytes + 64);
  uintptr_t begin = reinterpret_cast<uintptr_t>(storage.data());
  banks[0] = storage.data() + (63 - (begin + 63) % 64);
  banks[1] = machine.constants.data();
  banks[1] += 63 - (reinterpret_cast<uintptr_t>(banks[1]) + 63) % 64;
  Dim3 size = machine.how.block;
  for (auto [special, slot] : kernel.specials) {
    reg(slot).defined = ~0u;
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
      uint32_t id = thread(lane);
      uint32_t values[] = {
          id % size.x, id / size.x % size.y, id / size.x / size.y,
          block.id.x,  block.id.y,           block.id.z,
          index};
      lanes<uint32_t>(slot)[lane] = values[static_cast<unsigned>(special)];
    }
  }
}

Accessor Warp::accessor(const Step &step, unsigned lane) const {
  return {block.number,
          machine.firstBlock,
          clock,
          seen.data(),
          static_cast<uint16_t>(thread(lane)),
          static_cast<uint16_t>(step.index)};
}

void Warp::find(FindingKind kind, const Step &step, unsigned lane,
                const std::string &what) {
  machine.find(kind, step, block.nameOf(thread(lane)) + " " + what);
}

void Warp::checkDefined(const Step &step, uint32_t active) {
  for (unsigned i = 0; i < step.sources; ++i) {
    uint32_t missing =
        active & ~reg(step.operands[step.destinations + i]).defined;
    if (missing)
      find(FindingKind::UndefinedRegister, step, __builtin_ctz(missing),
           "reads a register that has no value, the source operand " +
               std::to_string(i + 1));
  }
}

void Warp::run() {
  const Step *steps = machine.kernel.steps.data();
  const uint32_t end = machine.kernel.steps.size();
  while (live && !atBarrier) {
    if (at >= end) { // the code ends without ret
      exit(mask);
      continue;
    }
    const Step &step = steps[at];
    uint32_t active = mask;
    if (step.isGuarded) {
      const Register &guard = reg(step.guard);
      if (mask & ~guard.defined)
        find(FindingKind::UndefinedRegister, step,
             __builtin_ctz(mask & ~guard.defined),
             "reads a predicate that has no value, the guard");
      active &= step.guardNegated ? ~guard.bits : guard.bits;
    }
    if (++machine.steps > machine.how.mostSteps) {
      find(FindingKind::NoEnd, step, __builtin_ctz(mask),
           "is still here after " + std::to_string(machine.how.mostSteps) +
               " instructions of warps");
      throw EndOfLaunch();
    }
    Counts &site = machine.sites[at];
    ++site.warps;
    site.threads += __builtin_popcount(active);
    machine.report.divergent += mask != live;
    ++at;
    if (active) {
      if (!step.copies) {
        uint32_t defined = ~0u;
        for (unsigned i = 0; i < step.sources; ++i)
          defined &= reg(step.operands[step.destinations + i]).defined;
        if (active & ~defined)
          checkDefined(step, active);
      }
      step.run(*this, step, active);
      if (again) { // it waits for other lanes
        again = false;
        --site.warps;
        site.threads -= __builtin_popcount(active);
      } else if (!step.copies) {
        for (unsigned i = 0; i < step.destinations; ++i)
          reg(step.operands[i]).defined |= active;
      }
    }
    if (!others.empty())
      settle();
  }
}

void Warp::branch(uint32_t taken, uint32_t target) {
  if (taken != mask)
    others.push_back({at, mask & ~taken, false});
  mask = taken;
  at = target;
}

void Warp::leave(uint32_t lanes, uint32_t target) {
  if (lanes == mask) {
    at = target;
    return;
  }
  others.push_back({target, lanes, false});
  mask &= ~lanes;
}

void Warp::advance() {
  clock = ++block.tick;
  seen[index] = clock;
}

void Warp::exit(uint32_t lanes) {
  live &= ~lanes;
  mask &= ~lanes;
  for (Group &group : others) // they may have waited for these
    group.waits = false;
  if (!mask && live)
    resume();
}

bool Warp::meet(const Step &step, uint32_t members, uint32_t active) {
  if (!(members & live & ~active))
    return true;
  again = true;
  at = step.index;
  others.push_back({at, mask, true});
  mask = 0;
  resume();
  return false;
}

/// Takes the lowest group that need not wait.
void Warp::resume() {
  size_t best = others.size();
  for (size_t i = 0; i < others.size(); ++i)
    if (!others[i].waits &&
        (best == others.size() || others[i].at < others[best].at))
      best = i;
  if (best == others.size())
    reportStuck();
  mask = others[best].mask;
  at = others[best].at;
  others.erase(others.begin() + best);
}

/// Joins the lanes that stand where these do; lets lower ones go first.
void Warp::settle() {
  bool lower = false;
  for (size_t i = 0; i < others.size();) {
    if (others[i].at == at) {
      mask |= others[i].mask;
      others.erase(others.begin() + i);
      continue;
    }
    lower |= !others[i].waits && others[i].at < at;
    ++i;
  }
  if (lower) {
    others.push_back({at, mask, false});
    mask = 0;
    resume();
  }
}

static std::string lanesText(uint32_t mask) {
  std::string text;
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    unsigned last = lane;
    while (last < 31 && mask >> (last + 1) & 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lane);
    if (last > lane)
      text += "-" + std::to_string(last);
    lane = last;
  }
  return text;
}

void Warp::reportStuck() {
  std::sort(others.begin(), others.end(),
            [](const Group &a, const Group &b) { return a.at < b.at; });
  const Step &first = machine.kernel.steps[others.front().at];
  std::string text = "lanes " + lanesText(others.front().mask) + " of warp " +
                     std::to_string(index) + " wait here";
  for (size_t i = 1; i < others.size(); ++i)
    text += std::string(i == 1 ? ", while lanes " : ", lanes ") +
            lanesText(others[i].mask) + " wait at line " +
            std::to_string(
                machine.statement(machine.kernel.steps[others[i].at]).line);
  if (live != ~0u)
    text += "; of its 32 lanes " +
            std::to_string(32 - __builtin_popcount(live)) + " have ended";
  bool barrier = std::any_of(others.begin(), others.end(), [&](const Group &g) {
    return machine.kernel.steps[g.at].kind == Class::Barrier;
  });
  machine.find(barrier ? FindingKind::DivergentBarrier
                       : FindingKind::MissingThreads,
               first, text);
  throw EndOfLaunch();
}
