//===- RankStep.cpp - a step that may change nothing ----------------------===//

#include "hocket/Plan/Accesses.h"
#include "runtime/lib/Device/HostView.h"
#include "runtime/lib/Executor/RankRunner.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hocket::runtime {

void RankRunner::prepareDecision() {
  decisionFault = findDecision(setup.plan, setup.rankClass, decision);
  for (const Decision::Watched &watched : decision.watched)
    watchedAt.push_back(book.operand(watched.view));
  watchedNumbers.resize(watchedAt.size());
  collectivesBefore = countCollectivesBefore();
}

/// Withholds a step unless the numbers that are watched, which are known now,
/// are finite.
Status RankRunner::decide() {
  bool isFinite = true;
  for (size_t i = 0; i < watchedAt.size(); ++i) {
    Status status = viewOnHost(*device, watchedAt[i], [&](const Operand &x) {
      watchedNumbers[i] = numberAt(x);
    });
    if (!status.ok())
      return status;
    isFinite &= std::isfinite(watchedNumbers[i]);
  }
  isWithheld = !isFinite;
  return Status::success();
}

Status RankRunner::step(NotFinite rule) {
  isWithheld = false;
  const Prepared *begin = stepCalls.data(), *end = begin + stepCalls.size();
  const Prepared *change = begin;
  if (rule != NotFinite::Update) {
    if (!decisionFault.ok())
      return decisionFault;
    change += decision.at;
    if (Status status = run(begin, change, false); !status.ok())
      return status;
    if (Status status = decide(); !status.ok())
      return status;
  }
  if (isWithheld && rule == NotFinite::Stop)
    return endOpen();
  if (isWithheld) {
    if (Status status = keepStates(); !status.ok())
      return status;
  }
  Status status = run(change, end, false);
  ++steps;
  ++counters.step.runs;
  counters.step.timedRuns += isTimed();
  if (status.ok() && isWithheld)
    status = device->copy(stateMemory, statesBefore, counters.stateBytes);
  return status;
}

int64_t RankRunner::countCollectivesBefore() const {
  if (!decisionFault.ok() || decision.watched.empty())
    return -1;
  const plan::Instructions &list = setup.rankClass.step;
  int64_t begun = 0, ended = 0;
  for (size_t i = 0; i < decision.at; ++i) {
    begun += std::holds_alternative<plan::Collective>(list[i].body);
    ended += plan::endingAt(list, i) != nullptr;
  }
  return begun == ended ? begun : -1;
}

/// Of a step that stops where it decides: ends what is open there, so that it
/// can be started again.
Status RankRunner::endOpen() {
  const plan::Instructions &list = setup.rankClass.step;
  Status status;
  for (size_t i = decision.at; status.ok() && i < list.size(); ++i) {
    const plan::Collective *ended = plan::endingAt(list, i);
    bool isOpen = std::any_of(list.begin(), list.begin() + decision.at,
                              [&](const plan::Instruction &before) {
                                return std::get_if<plan::Collective>(
                                           &before.body) == ended;
                              });
    if (ended && isOpen)
      status = device->submit(*stepCalls[i].call);
  }
  return status;
}

Status RankRunner::keepStates() {
  Status status;
  if (!statesBefore)
    status = device->allocate(counters.stateBytes,
                              "the states before a step that is left out",
                              statesBefore);
  if (status.ok())
    status = device->copy(statesBefore, stateMemory, counters.stateBytes);
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

Status RankRunner::look(const Operand &operand, int64_t at,
                        const std::string &where) {
  if (finding.at != NotFiniteValue::nowhere)
    return Status::success();
  return viewOnHost(*device, operand, [&](const Operand &host) {
    if (std::optional<double> value = firstNotFinite(host))
      finding = {at, *value, where};
  });
}

Status RankRunner::lookAtInputs() {
  const plan::Plan &plan = setup.plan;
  Status status;
  for (size_t i = 0; status.ok() && i < plan.inputs.size(); ++i)
    if (inputAt[i] >= 0)
      status = look(denseAt(boxes + inputAt[i], inputTypes[i],
                            boxOf(plan, plan.inputs[i], setup.rank).elements()),
                    atInputs, "in input '" + plan.inputs[i].name + "'");
  for (size_t i = 0; status.ok() && i < plan.states.size(); ++i) {
    const plan::Buffer &buffer =
        setup.rankClass.buffers[setup.rankClass.states[i]];
    status = look(denseAt(stateMemory + buffer.offset, buffer.type,
                          buffer.bytes / plan::byteSize(buffer.type)),
                  atStates, "in '" + plan.states[i].name + "' before the step");
  }
  return status;
}

Status RankRunner::findNotFinite() {
  finding = {};
  Status status = lookAtInputs();
  for (size_t i = 0; status.ok() && i < decision.at; ++i) {
    Call &call = *stepCalls[i].call;
    status = device->submit(call);
    if (!status.ok()) {
      failedInCollective = call.failedInCommunicator();
      return status;
    }
    for (const plan::View *view : plan::writtenViews(setup.rankClass.step, i))
      if (status.ok())
        status = look(book.operand(*view), int64_t(i),
                      "in " + describe(stepCalls[i]));
  }
  return status.ok() ? endOpen() : status;
}

} // namespace hocket::runtime
