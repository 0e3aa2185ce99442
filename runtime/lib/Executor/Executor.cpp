//===- Executor.cpp - runs a plan on the ranks of this process ------------===//

#include "hocket/Runtime/Executor.h"
#include "hocket/Plan/Check.h"
#include "runtime/lib/Executor/Requirements.h"
#include "runtime/lib/Executor/SameContents.h"
#include "runtime/lib/Executor/State.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace hocket::runtime {

// ---- the life of the ranks ------------------------------------------------

Executor::State::State(const plan::Plan &plan,
                       std::shared_ptr<const Devices> devices,
                       const ExecutorOptions &options)
    : plan(plan), devices(std::move(devices)), options(options),
      processes(options.processes ? *options.processes : oneProcess()) {}

const plan::RankClass &Executor::State::classOf(int64_t rank) const {
  for (const plan::RankClass &rankClass : plan.classes)
    if (std::find(rankClass.ranks.begin(), rankClass.ranks.end(), rank) !=
        rankClass.ranks.end())
      return rankClass;
  return plan.classes.front(); // plan::check: every rank is in a class
}

/// Every set of axes that a collective of the plan is over, and all axes.
static std::set<std::vector<int>> axisSets(const plan::Plan &plan) {
  std::vector<int> all(plan.mesh.size());
  std::iota(all.begin(), all.end(), 0);
  std::set<std::vector<int>> sets = {all};
  for (const plan::RankClass &rankClass : plan.classes)
    for (const auto *list : {&rankClass.load, &rankClass.step})
      for (const plan::Instruction &instruction : *list)
        if (auto *one = std::get_if<plan::Collective>(&instruction.body))
          sets.insert(one->axes);
  return sets;
}

RankOptions Executor::State::rankOptions() const {
  RankOptions ranks;
  ranks.ranks = plan.rankCount();
  for (const std::vector<int> &axes : axisSets(plan)) {
    std::set<std::vector<int64_t>> groups;
    for (int64_t rank = 0; rank < ranks.ranks; ++rank)
      groups.insert(plan.members(rank, axes));
    ranks.groups.emplace_back(groups.begin(), groups.end());
  }
  ranks.threads = options.threads;
  ranks.pin = options.pin;
  ranks.deadlineSeconds = options.deadlineSeconds;
  ranks.delaySeed = options.delaySeed;
  ranks.sumsAsLibrary = options.sumsAsLibrary;
  return ranks;
}

Status Executor::State::checkMemory() const {
  double needed = 0;
  for (int64_t rank : ranks->numbers()) {
    const plan::RankClass &rankClass = classOf(rank);
    needed += static_cast<double>(rankClass.budget.arenaBytes +
                                  rankClass.budget.weightBytes +
                                  rankClass.budget.stateBytes);
  }
  return devices->checkMemory(int64_t(ranks->numbers().size()), needed);
}

Executor::State::~State() {
  for (const std::unique_ptr<RankRunner> &runner : runners)
    runner->stop();
}

Status Executor::State::start() {
  const RankOptions wanted = rankOptions();
  std::unique_ptr<World> world;
  Status status = processes.agree(devices->makeWorld(processes, wanted, world));
  if (!status.ok())
    return status;
  World *const ofDevices = world.get();
  ranks = processes.makeRanks(wanted, std::move(world));
  status = processes.agree(checkMemory());
  if (!status.ok())
    return status;
  auto now = std::chrono::steady_clock::now();
  for (int64_t rank : ranks->numbers()) {
    RankSetup setup{plan,
                    classOf(rank),
                    rank,
                    options.traceEvents,
                    options.stepsBefore,
                    options.timesCalls,
                    options.readsAhead,
                    options.record ? options.record->placeOf(runners.size())
                                   : nullptr,
                    *ranks,
                    now};
    std::unique_ptr<Device> device =
        devices->make({ranks->threads(), ofDevices});
    std::unique_ptr<Communicator> communicator =
        ranks->communicator(rank, device->mover());
    runners.push_back(std::make_unique<RankRunner>(
        setup, std::move(communicator), std::move(device)));
  }
  status = processes.agree(ranks->start());
  if (!status.ok())
    return status;
  bool isAlone = processes.count() == 1;
  // In calls of libraries that take long.
  const double grace = options.deadlineSeconds;
  constexpr const char *phase = "prepare";
  status = runAll(
      phase,
      [=](RankRunner &rank) {
        Status begun = rank.begin();
        return begun.ok() && !isAlone ? rank.propose() : begun;
      },
      grace);
  if (status.ok() && !isAlone)
    status = devices->decide(processes);
  if (!status.ok())
    return status;
  return runAll(phase, [](RankRunner &rank) { return rank.prepare(); }, grace);
}

Status Executor::State::runLocal(const char *phase, RunnerTask task,
                                 double graceSeconds) {
  std::shared_ptr<State> self = shared_from_this();
  RankTask work;
  work.phase = phase;
  work.graceSeconds = graceSeconds;
  work.run = [self, task](size_t local) {
    RankRunner &runner = *self->runners[local];
    Status status = task(runner);
    return RankOutcome{status, runner.failedInCollective};
  };
  work.progress = [self](size_t local) {
    return self->runners[local]->progress();
  };
  broken = ranks->run(work);
  return broken;
}

Status Executor::State::runAll(const char *phase, RunnerTask task,
                               double graceSeconds) {
  broken = processes.agree(runLocal(phase, std::move(task), graceSeconds));
  return broken;
}

/// A step that failed has left states half changed; all else of the memory the
/// next one computes anew.
bool Executor::State::recover() {
  if (broken.ok())
    return true;
  if (!plan.states.empty() || !ranks->recover())
    return false;
  for (const std::unique_ptr<RankRunner> &runner : runners)
    runner->failedInCollective = false;
  broken = Status::success();
  return true;
}

Status Executor::State::gather(
    const std::function<void(const RankRunner &, BytePacker &)> &pack,
    std::vector<std::string> &byRank) const {
  BytePacker mine;
  for (const std::unique_ptr<RankRunner> &runner : runners) {
    BytePacker one;
    pack(*runner, one);
    mine.add(one.bytes);
  }
  std::vector<std::string> byProcess;
  if (Status status = processes.gather(mine.bytes, byProcess); !status.ok())
    return status;
  byRank.clear();
  for (const std::string &bytes : byProcess)
    for (ByteUnpacker unpacker(bytes); !unpacker.isAtEnd();)
      unpacker.take(byRank.emplace_back());
  return Status::success();
}

// ---- phases ---------------------------------------------------------------

Status Executor::State::load(const TensorSource &weights) {
  if (!broken.ok())
    return broken;
  Status status = checkTensors(plan.parameters, weights);
  SameContents same(weights, processes);
  if (status.ok())
    status = runAll("load", [&](RankRunner &rank) { return rank.load(same); });
  if (status.ok())
    status = same.compare(plan.parameters, processes);
  loaded = status.ok();
  return status;
}

Status Executor::State::needLoaded(const char *what) const {
  if (!broken.ok() || loaded)
    return broken;
  return Status::runtimeError(std::string(what) +
                              " needs weights: load comes first");
}

Status Executor::State::restore(const TensorSource &source) {
  Status status = needLoaded("restoring states");
  std::set<std::string> parameters;
  for (const plan::GlobalTensor &tensor : plan.parameters)
    parameters.insert(tensor.name);
  std::vector<plan::GlobalTensor> wanted;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < plan.states.size(); ++i)
    if (!parameters.count(plan.states[i].name)) {
      wanted.push_back(plan.states[i]);
      numbers.push_back(i);
    }
  if (status.ok())
    status = checkTensors(wanted, source);
  if (!status.ok())
    return status;
  SameContents same(source, processes);
  status = runAll("restoring of states", [&](RankRunner &rank) {
    return rank.restore(numbers, same);
  });
  return status.ok() ? same.compare(wanted, processes) : status;
}

Status Executor::State::save(TensorSink &sink) {
  Status status = needLoaded("saving states");
  for (const plan::GlobalTensor &state : plan.states)
    if (status.ok())
      status = sink.prepare(state.name, {state.type, state.dims});
  if (!status.ok())
    return status;
  return runAll("saving of states",
                [&](RankRunner &rank) { return rank.save(sink); });
}

Status Executor::State::checkInputs(const TensorSource &inputs) const {
  Status status = needLoaded("a step");
  return status.ok() ? checkTensors(plan.inputs, inputs) : status;
}

Status Executor::State::prepareOutputs(TensorSink &outputs) const {
  Status status;
  for (const plan::GlobalTensor &output : plan.outputs)
    if (status.ok())
      status = outputs.prepare(output.name, {output.type, output.dims});
  return status;
}

Status Executor::State::readInputs(const TensorSource &inputs) {
  Status status = checkInputs(inputs);
  if (status.ok())
    status = runAll("reading of inputs",
                    [&](RankRunner &rank) { return rank.readInputs(inputs); });
  hasInputs = status.ok();
  return status;
}

Status Executor::State::step() {
  if (broken.ok() && !hasInputs)
    return Status::runtimeError(
        "a step needs inputs: reading them comes first");
  if (!broken.ok())
    return broken;
  if (canReplay(NotFinite::Update))
    return replay(NotFinite::Update, nullptr);
  hasStepped = true;
  return runLocal("step", [](RankRunner &rank) { return rank.step(); });
}

Status Executor::State::writeOutputs(TensorSink &outputs) {
  Status status = needLoaded("writing outputs");
  if (status.ok())
    status = prepareOutputs(outputs);
  if (!status.ok())
    return status;
  return runAll("writing of outputs",
                [&](RankRunner &rank) { return rank.writeOutputs(outputs); });
}

Status Executor::State::step(const TensorSource &inputs, TensorSink &outputs,
                             NotFinite rule,
                             const std::shared_ptr<const TensorSource> &next) {
  Status status = checkInputs(inputs);
  if (status.ok())
    status = prepareOutputs(outputs);
  if (!status.ok())
    return status;
  hasInputs = true;
  auto write = [&](RankRunner &rank) {
    bool ends = rank.isWithheld && rule == NotFinite::Stop;
    return ends ? Status::success() : rank.writeOutputs(outputs);
  };
  if (canReplay(rule)) {
    bool isRead = ahead && ahead.get() == &inputs;
    status = runLocal("step", [&](RankRunner &rank) {
      return isRead ? rank.takeInputs(inputs) : rank.readInputs(inputs);
    });
    ahead = options.readsAhead ? next : nullptr;
    if (status.ok())
      status = replay(rule, ahead.get());
    return status.ok() ? runLocal("step", write) : status;
  }
  hasStepped = true;
  // One task: handing one over costs as much as several small collectives.
  return runLocal("step", [&](RankRunner &rank) {
    Status result = rank.readInputs(inputs);
    if (result.ok())
      result = rank.step(rule);
    return result.ok() ? write(rank) : result;
  });
}

/// Of what ranks find the first in the order of the step.
Status Executor::State::findNotFinite(const TensorSource &inputs,
                                      std::string &found) {
  Status status = checkInputs(inputs);
  if (status.ok())
    status = runAll("search", [&](RankRunner &rank) {
      Status result = rank.readInputs(inputs);
      return result.ok() ? rank.findNotFinite() : result;
    });
  std::vector<std::string> findings;
  if (status.ok())
    status = gather(
        [](const RankRunner &rank, BytePacker &packer) {
          packer.add(rank.finding.at);
          packer.add(std::string(spellNotFinite(rank.finding.value)) + " " +
                     rank.finding.where);
        },
        findings);
  found.clear();
  int64_t first = NotFiniteValue::nowhere;
  for (size_t rank = 0; rank < findings.size(); ++rank) {
    ByteUnpacker unpacker(findings[rank]);
    int64_t at;
    unpacker.take(at);
    if (at >= first)
      continue;
    first = at;
    unpacker.take(found);
    if (findings.size() > 1)
      found += " on rank " + std::to_string(rank);
  }
  return status;
}

// ---- the public face ------------------------------------------------------

Executor::Executor(std::shared_ptr<State> state) : state(std::move(state)) {}

Executor::~Executor() {
  if (state->ranks)
    state->ranks->stop();
}

Status Executor::create(const plan::Plan &plan,
                        std::shared_ptr<const Devices> devices,
                        const ExecutorOptions &options,
                        std::unique_ptr<Executor> &executor) {
  std::string error;
  if (!plan::check(plan, error))
    return Status::runtimeError("the plan cannot be run: " + error);
  auto state = std::make_shared<State>(plan, std::move(devices), options);
  executor.reset(new Executor(state));
  Status status = state->start();
  if (!status.ok())
    executor.reset();
  return status;
}

Status Executor::load(const TensorSource &weights) {
  return state->load(weights);
}

Status Executor::restore(const TensorSource &source) {
  return state->restore(source);
}

Status Executor::save(TensorSink &sink) { return state->save(sink); }

Status Executor::step(const TensorSource &inputs, TensorSink &outputs,
                      NotFinite rule,
                      const std::shared_ptr<const TensorSource> &next) {
  return state->step(inputs, outputs, rule, next);
}

bool Executor::recover() { return state->recover(); }

std::string Executor::whyLeftOut() const {
  const RankRunner &first = *state->runners.front();
  return first.isWithheld ? first.watchedText() : "";
}

Status Executor::findNotFinite(const TensorSource &inputs, std::string &found) {
  return state->findNotFinite(inputs, found);
}

Status Executor::readInputs(const TensorSource &inputs) {
  return state->readInputs(inputs);
}

Status Executor::step() { return state->step(); }

Status Executor::writeOutputs(TensorSink &outputs) {
  return state->writeOutputs(outputs);
}

const void *Executor::wholeOutput(size_t output) const {
  for (const std::unique_ptr<RankRunner> &runner : state->runners)
    if (const void *place = runner->wholeOutput(output))
      return place;
  return nullptr;
}

} // namespace hocket::runtime
