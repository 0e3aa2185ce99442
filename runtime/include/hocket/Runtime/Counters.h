//===- Counters.h - what a rank moved, held and spent ----------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_COUNTERS_H
#define HOCKET_RUNTIME_COUNTERS_H

#include "hocket/Plan/InstructionWords.h"
#include "hocket/Runtime/Timeline.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hocket::runtime {

constexpr int collectiveKinds = 7; // plan::CollectiveKind
/// Alternatives of Instruction::body.
constexpr int instructionKinds = plan::instructionWords.size();

struct CollectiveCounter {
  int64_t calls = 0;
  int64_t receivedBytes = 0; // from peers: equals plan::receivedBytes
};

struct InstructionCounter {
  int64_t calls = 0;
  /// Of the runs that were timed; a collective's includes waiting for peers.
  int64_t nanoseconds = 0;
};

/// One rank's counts, over all of load or over all steps so far.
struct PhaseCounters {
  std::array<CollectiveCounter, collectiveKinds> collectives;
  std::array<InstructionCounter, instructionKinds> instructions;
  int64_t copiedBytes = 0; // written by Copy instructions
  int64_t runs = 0;        // completed load or step calls
  /// Those that InstructionCounter::nanoseconds are of: all on a CPU; on a GPU
  /// none, if nobody asks, else the runs of a graph, once there is one.
  int64_t timedRuns = 0;
};

struct RankCounters {
  int64_t rank = 0;
  PhaseCounters load, step;
  int64_t arenaBytes = 0;   // peak of the arena as the plan's buffers use it
  int64_t weightBytes = 0;  // the Weights region
  int64_t stateBytes = 0;   // the State region
  int64_t packedBytes = 0;  // weights in a library's own layout
  int64_t scratchBytes = 0; // library scratchpads and attention tiles
  int64_t boxBytes = 0;     // input and output boxes
  int64_t stagingBytes = 0; // of messages; none of it is in the plan
  /// Who computes how many of a step's instructions, where a library may or may
  /// not: by name of a kernel of its, or "own loops".
  std::map<std::string, int64_t> implementations;
};

/// Memory of devices that their software holds for itself, by process:
/// "context", "libraries".
struct DeviceMemory {
  std::string what;
  std::vector<int64_t> bytes;
};

/// Bytes that one rank has received so far, for each collective of a list that
/// is counted from each member of its group: plan::receivedFrom a run.
struct PeerCounters {
  std::vector<std::vector<int64_t>> load, step;
};

/// One instruction of one rank, for a trace. Times are nanoseconds since the
/// executor was made.
struct TraceEvent {
  struct Wait {
    int64_t begin, end;
  };
  int64_t begin, end;
  int64_t step;        // its number, from 1; 0 while loading
  int64_t bytes;       // received from other ranks
  int32_t instruction; // index into RankClass::load or step
  /// Of a collective: when it waited for others.
  int32_t waitCount = 0;
  std::array<Wait, CallTime::mostWaits> waits = {};
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_COUNTERS_H
