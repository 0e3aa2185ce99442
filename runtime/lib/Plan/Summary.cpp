//===- Summary.cpp - what a plan moves and holds --------------------------===//

#include "hocket/Plan/Summary.h"
#include "PlanFields.h"

using Json = nlohmann::ordered_json;

namespace hocket::plan {

const char *toString(CollectiveKind kind) {
  return words(CollectiveKind())[size_t(kind)];
}

namespace {

/// The collectives of one stage, each with its bytes on every rank. All
/// classes have the same ones in the same order.
struct Stage {
  const Plan &plan;
  const char *name;
  const std::vector<Instruction> RankClass::*list;

  struct Entry {
    const Instruction *instruction;
    const Collective *collective;
    std::vector<int64_t> bytes; // by rank
  };
  std::vector<Entry> entries;

  void collect() {
    for (const RankClass &rankClass : plan.classes) {
      size_t next = 0;
      for (const Instruction &instruction : rankClass.*list) {
        auto *collective = std::get_if<Collective>(&instruction.body);
        if (!collective)
          continue;
        if (next == entries.size())
          entries.push_back({&instruction, collective,
                             std::vector<int64_t>(plan.rankCount(), 0)});
        Entry &entry = entries[next++];
        for (int64_t rank : rankClass.ranks)
          entry.bytes[rank] = receivedBytes(plan, rankClass, *collective, rank);
      }
    }
  }

  void append(Json &out) const {
    for (const Entry &entry : entries) {
      Source source;
      if (entry.instruction->source >= 0)
        source = plan.sources[entry.instruction->source];
      Json axes = Json::array();
      for (int axis : entry.collective->axes)
        axes.push_back(plan.mesh[axis].name);
      out.push_back({{"stage", name},
                     {"id", entry.collective->id},
                     {"kind", toString(entry.collective->kind)},
                     {"tensors", 1 + entry.collective->more.size()},
                     {"axes", axes},
                     {"path", source.path},
                     {"model", source.model},
                     {"schedule", source.schedule},
                     {"bytes_per_rank", entry.bytes}});
    }
  }

  Json totals() const {
    Json out = Json::object();
    for (size_t kind = 0; kind < words(CollectiveKind()).size(); ++kind) {
      int64_t calls = 0;
      std::vector<int64_t> bytes(plan.rankCount(), 0);
      for (const Entry &entry : entries) {
        if (entry.collective->kind != CollectiveKind(kind))
          continue;
        ++calls;
        for (size_t rank = 0; rank < bytes.size(); ++rank)
          bytes[rank] += entry.bytes[rank];
      }
      out[words(CollectiveKind())[kind]] = {{"calls", calls},
                                            {"bytes_per_rank", bytes}};
    }
    return out;
  }
};

/// Bytes of a region that the class's buffers reach.
int64_t endOf(const RankClass &rankClass, Region region) {
  int64_t end = 0;
  for (const Buffer &buffer : rankClass.buffers)
    if (buffer.region == region)
      end = std::max(end, buffer.offset + buffer.bytes);
  return end;
}

} // namespace

Json summary(const Plan &plan) {
  Stage load{plan, "load", &RankClass::load, {}};
  Stage step{plan, "step", &RankClass::step, {}};
  load.collect();
  step.collect();
  Json collectives = Json::array();
  load.append(collectives);
  step.append(collectives);
  std::vector<int64_t> arena(plan.rankCount(), 0),
      weights = arena, states = arena, flops = arena;
  for (const RankClass &rankClass : plan.classes)
    for (int64_t rank : rankClass.ranks) {
      arena[rank] = endOf(rankClass, Region::Arena);
      weights[rank] = endOf(rankClass, Region::Weights);
      states[rank] = endOf(rankClass, Region::State);
      flops[rank] = rankClass.budget.flops;
    }
  return {{"ranks", plan.rankCount()},
          {"collectives", collectives},
          {"totals", {{"load", load.totals()}, {"step", step.totals()}}},
          {"arena_bytes", arena},
          {"weight_bytes", weights},
          {"state_bytes", states},
          {"flops_per_rank", flops}};
}

} // namespace hocket::plan
