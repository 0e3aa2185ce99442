//===- Command.cpp - what the command line asks of a program --------------===//

#include "Command.h"
#include "Messages.h"
#include "RunMain.h"
#include "TrainMain.h"
#include "hocket/Launcher/Execute.h"

namespace hocket::runtime {

int Command::say(const std::string &text) const {
  return isSpeaking ? print(text) : 0;
}

int Command::refuse(const std::string &fault) const {
  return isSpeaking ? failUsage(fault) : usageStatus;
}

std::optional<int> Command::answer() {
  std::string fault;
  if (!parseOptions(arguments, kind, options, fault))
    return refuse(fault);
  if (options.help)
    return say(helpText(program, kind, plan.recipe));
  if (options.ranks && *options.ranks != plan.rankCount()) {
    Status status = Status::userError(
        "the program is compiled for " + std::to_string(plan.rankCount()) +
        (plan.rankCount() == 1 ? " rank" : " ranks") + ", --ranks says " +
        std::to_string(*options.ranks));
    return isSpeaking ? fail(status) : status.exitStatus();
  }
  if (options.describe)
    return say(describePlan(plan).dump(2) + "\n");
  applyRecipe(plan.recipe, options);
  fault = kind == ProgramKind::Trains ? trainingFault(options, plan)
                                      : runFault(options, plan);
  if (options.sums == "nccl" && plan.target != plan::Target::Cuda)
    fault = "--sums nccl is for programs for GPUs; ranks on cores add up in "
            "the order of members: leave it out";
  if (!fault.empty())
    return refuse(fault);
  return std::nullopt;
}

} // namespace hocket::runtime
