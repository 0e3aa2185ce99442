//===- ScheduleBackward.cpp - lines about what the backward does ----------===//
//
// They are drawn apart from all others: the forward of a case is the same with
// and without gradients, except the parameters that `fsdp` gathers.
//
//===----------------------------------------------------------------------===//

#include "ScheduleText.h"
#include "dialects/Nn/Program.h"
#include "dialects/Nn/Values.h"
#include "hocket/Transforms/Differentiate.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::random;

/// The modules and bindings of a forward, and what it gathers.
void ScheduleMaker::readBackwardPlaces(std::vector<std::string> &computed,
                                       std::vector<std::string> &gathered) {
  placed.compiler->module().walk([&](mlir::Operation *op) {
    if (auto value = mlir::dyn_cast<nn::ValueOp>(op)) {
      if (value.getRole() != nn::ValueRole::Argument)
        computed.push_back(value.getPath().str());
    } else if (auto move = mlir::dyn_cast<nn::RedistributeOp>(op)) {
      auto value = move.getX().getDefiningOp<nn::ValueOp>();
      if (value && move.getKind() == nn::RedistributeKind::AllGather)
        gathered.push_back(value.getPath().str());
    }
  });
}

void ScheduleMaker::dropLines(const std::string &prefix) {
  auto isDropped = [&](const std::string &line) {
    return line.rfind(prefix, 0) == 0;
  };
  schedule.lines.erase(
      std::remove_if(schedule.lines.begin(), schedule.lines.end(), isDropped),
      schedule.lines.end());
}

void ScheduleMaker::splitParameters(Rng &rng) {
  std::vector<std::string> modules;
  placed.compiler->module().walk(
      [&](nn::ParameterOp op) { modules.push_back(op.getPath().str()); });
  if (modules.empty() || !rng.chance(0.6))
    return;
  dropLines("expect"); // does not hold with more gathers
  rng.shuffle(modules);
  if (modules.size() > 2)
    modules.resize(rng.between(1, modules.size()));
  if (rng.chance(0.4))
    modules = {"**"};
  for (const std::string &path : modules) {
    const std::string &axis =
        schedule.mesh[rng.below(schedule.mesh.size())].first;
    std::string stage = std::to_string(rng.between(1, 3));
    tryLine("fsdp " + path + " over " + axis + " stage " + stage);
  }
}

/// Only the backward tells whether it computes anything again.
void ScheduleMaker::tryKept(const std::string &line) {
  if (!tryLine(line))
    return;
  Attempt next = place(model + schedule.text());
  nn::computeAllGradients(next.compiler->module());
  if (!next.compiler->runTo("differentiated") &&
      next.errors().find("changes nothing") != std::string::npos)
    schedule.lines.pop_back();
}

Schedule ScheduleMaker::addBackward(Rng &rng) {
  dropLines("expect bytes"); // of the forward alone
  placed = place(model + schedule.text());
  if (!placed.isPlaced)
    return schedule;
  splitParameters(rng);
  std::vector<std::string> computed, gathered;
  readBackwardPlaces(computed, gathered);
  for (int64_t i = rng.between(0, 3); i > 0 && !computed.empty(); --i)
    tryKept("recompute " + rng.oneOf(computed));
  if (!gathered.empty() && rng.chance(0.5))
    tryKept("save " + rng.oneOf(gathered) +
            (rng.chance(0.7) ? " gathered" : " sharded"));
  if (rng.chance(0.5))
    tryLine("bucket parameters " + std::to_string(rng.between(1, 400)) +
            " B over " + schedule.mesh[rng.below(schedule.mesh.size())].first);
  return schedule;
}
