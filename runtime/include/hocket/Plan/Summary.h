//===- Summary.h - what a plan moves and holds, as JSON --------*- C++ -*-===//
//
// Reports before a run (`hocket plan --json`) and after one (`--stats=json`)
// have the same keys, so that the two can be compared key by key:
//
//   ranks              number of ranks
//   collectives        one entry for each, load first, in program order
//     stage            "load" or "step"
//     id, kind, axes   as in the plan, axes by name
//     tensors          how many it moves
//     path, model, schedule   where it comes from
//     members          of one that moves several tensors: the same of each, in
//                      a list, the first included
//     backward         of one of the forward: ids of those that the backward
//                      has for it, the same again included
//     forward          of one of the backward: ids of those that it is for;
//                      none where a gradient is summed that was never moved
//     bytes_per_rank   received from peers in one run of the stage, by rank
//     ranks_by_peers   how many ranks receive any from how many others:
//                      {"1": 2, "2": 6} are 8 ranks
//     started          true of one that is started before other work, and
//                      waited for behind it
//     hook             the user's own function that does it, if one does; its
//                      bytes are those of `kind`, and it is not in the totals
//   unproved           one entry for each call of a hook: what nothing checks
//     stage, hook, path, schedule
//     does             "kernel", or the kind of collective
//   totals             {"load": T, "step": T}; T has an entry for each kind
//     all_reduce, ...  {"calls", "bytes_per_rank", "ranks_by_peers"}, in one
//                      run of the stage; peers in one of the calls, at most
//   windows            of the arena, that collectives read or fill on ranks of
//                      several classes
//     all, elsewhere   how many, and of these how many begin at another byte in
//                      some class than in others
//   arena_bytes        by rank; what the buffers of the region reach
//   weight_bytes       by rank
//   state_bytes        by rank; what steps change
//   flops_per_rank     by rank; of one step, as Work.h counts them
//
// Of a plan for GPUs also
//
//   workspace_bytes    by rank; of arena_bytes, the most that one instruction
//                      has beside its operands
//
// and `hocket plan --json` has besides, see Bound/StepBound.h:
//
//   bound              the least time of a step on a described GPU
//     device           its name, the document that describes it, or "", and
//                      memory, half_matrix, f64_matrix, f32, f64, link, launch,
//                      multiprocessors: bytes, flops and seconds
//     seconds_per_rank by rank
//     classes          one entry for each rank class
//       ranks          of the class
//       slowest        the rank that takes longest, of which the rest is
//       total, kinds   of all instructions of a step, and by the word for a
//       kind
//                      ("matmul"; of collectives "all_reduce", ...) of its
//         calls        instructions
//         launches     generated, library, own, copies: how many of each
//         flops        half_matrix, f64_matrix, f32, f64: by what computes them
//         read_bytes, written_bytes   of the rank's memory
//         received_bytes   from other ranks
//         seconds      the least, without what is hidden
//         seconds_by   memory, matrix, vector, link, launch: the same by what
//                      binds each instruction
//         hidden_seconds   of collectives, beside other instructions
//
// The report of a run has what was counted (ranks, totals, arena_bytes,
// weight_bytes, state_bytes) and adds keys of its own; it never renames one.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_PLAN_SUMMARY_H
#define HOCKET_PLAN_SUMMARY_H

#include "hocket/Plan/Traffic.h"
#include <nlohmann/json.hpp>

namespace hocket::plan {

/// The report on `plan`, which check() has accepted.
nlohmann::ordered_json summary(const Plan &plan);
/// What the user's own functions do, once each line of a program: of all
/// classes, since these are alike in it.
nlohmann::ordered_json unproved(const Plan &plan);
/// The bytes that the class which needs most of a region has there.
int64_t mostBytes(const Plan &plan, Region region);

/// Whether the forward and the backward of something share a collective's line.
enum class Pairing {
  None, // an update, which has one direction
  OfForward,
  OfBackward,
};

/// One collective, as people read of it.
struct CollectiveSummary {
  bool isOfLoad = false;
  const Traffic::Entry *entry = nullptr;
  Source source;               // of the first tensor
  std::vector<Source> members; // of each of several, else none
  Pairing pairing = Pairing::None;
  std::vector<int64_t> paired; // ids of those of the other direction
};

/// Those of a stage, in order.
std::vector<CollectiveSummary>
collectivesOf(const Plan &plan, const Traffic &traffic, bool isOfLoad);

/// All collectives of a kind, without those that hooks do.
struct KindTotal {
  const char *word;
  int64_t calls = 0;
  std::vector<Received> received; // by rank; none without calls
};
KindTotal totalOf(const Traffic &traffic, CollectiveKind kind);

/// Bytes of all that a rank of the class holds: activations, weights, packed
/// ones at least, and what steps change.
int64_t memoryAtLeast(const RankClass &rankClass);

/// The windows of the arena that collectives read or fill in several classes,
/// one for each tensor of each collective that has a byte, and how many of
/// these begin at another byte in some class: memory that is registered with a
/// network or a device at one offset for all ranks is used by the others.
struct WindowCount {
  int64_t all = 0, elsewhere = 0;
};
WindowCount countWindows(const Plan &plan);

/// The word for a kind of collective: "all_reduce". Both kinds of halo have
/// one.
const char *toString(CollectiveKind kind);

/// From how many members any bytes come, given those of each.
int64_t peersIn(const std::vector<int64_t> &received);
nlohmann::ordered_json ranksByPeers(const std::vector<int64_t> &peersPerRank);

} // namespace hocket::plan

#endif // HOCKET_PLAN_SUMMARY_H
