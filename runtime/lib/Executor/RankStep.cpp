//===- RankStep.cpp - a step that may change nothing ----------------------===//

#include "hocket/Plan/Writes.h"
#include "runtime/lib/Executor/RankRunner.h"
#include <cmath>
#include <cstdio>
#include <cstring>

namespace hocket::runtime {

void RankRunner::prepareDecision() {
  decisionFault = findDecision(setup.plan, setup.rankClass, decision);
  for (const Decision::Watched &watched : decision.watched)
    watchedAt.push_back(book.operand(watched.view));
  watchedNumbers.resize(watchedAt.size());
}

/// Whether the numbers that are watched are finite, once they are known.
bool RankRunner::mayChange() {
  bool isFinite = true;
  for (size_t i = 0; i < watchedAt.size(); ++i) {
    watchedNumbers[i] = numberAt(watchedAt[i]);
    isFinite &= std::isfinite(watchedNumbers[i]);
  }
  return isFinite;
}

Status RankRunner::step(NotFinite rule) {
  isWithheld = false;
  const Prepared *begin = stepCalls.data(), *end = begin + stepCalls.size();
  const Prepared *change = begin;
  if (rule != NotFinite::Update) {
    if (!decisionFault.ok())
      return decisionFault;
    change += decision.at;
    if (Status status = run(begin, change, counters.step, false); !status.ok())
      return status;
    isWithheld = !mayChange();
  }
  if (isWithheld && rule == NotFinite::Stop)
    return Status::success();
  Memory before; // only of a step that is left out
  if (isWithheld) {
    if (Status status = before.allocate(counters.stateBytes,
                                        "the states before a step that is "
                                        "left out");
        !status.ok())
      return status;
    std::memcpy(before.data(), stateMemory.data(), counters.stateBytes);
  }
  Status status = run(change, end, counters.step, false);
  ++counters.step.runs;
  if (isWithheld)
    std::memcpy(stateMemory.data(), before.data(), counters.stateBytes);
  return status;
}

std::string RankRunner::watchedText() const {
  std::string text;
  for (size_t i = 0; i < watchedNumbers.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", watchedNumbers[i]);
    text +=
        (i ? ", " : "") + decision.watched[i].name + " " +
        (std::isfinite(watchedNumbers[i]) ? number
                                          : spellNotFinite(watchedNumbers[i]));
  }
  return text;
}

// ---- the search -----------------------------------------------------------

namespace {

/// Places before the first instruction.
constexpr int64_t atInputs = -2, atStates = -1;

Operand denseAt(char *data, plan::DType type, int64_t elements) {
  return {data, type, {elements}, {1}};
}

} // namespace

void RankRunner::look(const Operand &operand, int64_t at,
                      const std::string &where) {
  if (finding.at != NotFiniteValue::nowhere)
    return;
  if (std::optional<double> value = firstNotFinite(operand))
    finding = {at, *value, where};
}

void RankRunner::lookAtInputs() {
  const plan::Plan &plan = setup.plan;
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (inputAt[i] >= 0)
      look(denseAt(boxes.data() + inputAt[i], inputTypes[i],
                   boxOf(plan, plan.inputs[i], setup.rank).elements()),
           atInputs, "in input '" + plan.inputs[i].name + "'");
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const plan::Buffer &buffer =
        setup.rankClass.buffers[setup.rankClass.states[i]];
    look(denseAt(stateMemory.data() + buffer.offset, buffer.type,
                 buffer.bytes / plan::byteSize(buffer.type)),
         atStates, "in '" + plan.states[i].name + "' before the step");
  }
}

Status RankRunner::findNotFinite() {
  finding = {};
  lookAtInputs();
  for (size_t i = 0; i < decision.at; ++i) {
    if (Status status = stepCalls[i].call->run(); !status.ok()) {
      failedInCollective = stepCalls[i].call->failedInCommunicator();
      return status;
    }
    for (const plan::View *view : plan::writtenViews(setup.rankClass.step[i]))
      look(book.operand(*view), int64_t(i), "in " + describe(stepCalls[i]));
  }
  return Status::success();
}

} // namespace hocket::runtime
