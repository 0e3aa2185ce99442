//===- StepBound.h - the least time of a step on a described GPU -*- C++ -*-==//
//
// Each instruction takes at least as long as
//
//   memory   its bytes (Plan/Work.h) at the rate of the device's memory
//   matrix, vector   its flops at the rate of the unit that computes them; a
//            generated kernel of fewer blocks than there are multiprocessors
//            has no more of these than blocks
//   link     what a collective receives at the rate of the device's link
//   launch   its launches, one behind the other
//
// whichever is the most: that is what binds it. Instructions follow each other;
// a collective that was started runs beside them, one after the other, until
// its wait, which takes what is then left of it.
//
// It is a bound as long as operands come from memory: what an instruction finds
// in a cache, because the one before has just written it, is read faster.
// Ranks do not wait for each other here: the step takes as long as that of the
// rank that takes longest.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_BOUND_STEPBOUND_H
#define HOCKET_BOUND_STEPBOUND_H

#include "hocket/Bound/DescribedDevice.h"
#include "hocket/Cuda/Demands.h"
#include "hocket/Plan/Work.h"

namespace hocket::bound {

enum class Limit { Memory, Matrix, Vector, Link, Launch };
inline constexpr std::array<const char *, 5> limitWords = {
    "memory", "matrix", "vector", "link", "launch"};
using SecondsByLimit = std::array<double, limitWords.size()>;
double sumOf(const SecondsByLimit &seconds);

/// What the instructions of one kind do in a step, or all of them.
struct KindBound {
  std::string kind; // "matmul"; of collectives theirs, "all_reduce"
  int64_t calls = 0;
  runtime::cuda::LaunchCounts launches;
  std::array<int64_t, plan::unitWords.size()> flops = {}; // by plan::Unit
  int64_t readBytes = 0, writtenBytes = 0; // of the rank's memory
  int64_t receivedBytes = 0;               // from other ranks
  /// By what binds each of them; nothing of what is hidden.
  SecondsByLimit seconds = {};
  double hiddenSeconds = 0; // of collectives, beside other instructions
};

struct RankBound {
  int64_t rank = 0;
  std::vector<KindBound> kinds; // in order of appearance
  KindBound total;
};

struct StepBound {
  /// Of each class the rank that takes longest.
  std::vector<RankBound> slowest;
  std::vector<double> secondsPerRank;
  /// The class with the rank that takes longest of all.
  size_t slowestClass() const;
};

/// The bound of a plan for GPUs, which plan::check has accepted; ranks have a
/// device each. Fails on what no GPU runs.
runtime::Status boundStep(const plan::Plan &plan, const DescribedDevice &device,
                          StepBound &bound);

} // namespace hocket::bound

#endif // HOCKET_BOUND_STEPBOUND_H
