//===- Executor.cpp - runs a plan on ranks that are threads ---------------===//

#include "hocket/Runtime/Executor.h"
#include "hocket/Plan/Check.h"
#include "runtime/lib/Executor/Cores.h"
#include "runtime/lib/Executor/Requirements.h"
#include "runtime/lib/Executor/State.h"
#include <algorithm>
#include <functional>
#include <new>
#include <set>

namespace hocket::runtime {

// ---- the life of the ranks ------------------------------------------------

Executor::State::State(const plan::Plan &plan, const KernelTable &kernels,
                       const ExecutorOptions &options)
    : plan(plan), kernels(kernels), options(options) {}

const plan::RankClass &Executor::State::classOf(int64_t rank) const {
  for (const plan::RankClass &rankClass : plan.classes)
    if (std::find(rankClass.ranks.begin(), rankClass.ranks.end(), rank) !=
        rankClass.ranks.end())
      return rankClass;
  return plan.classes.front(); // plan::check: every rank is in a class
}

Status Executor::State::start() {
  int64_t ranks = plan.rankCount();
  const Devices &devices = cpuDevices();
  double needed = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    needed += static_cast<double>(rankClass.ranks.size()) *
              static_cast<double>(rankClass.budget.arenaBytes +
                                  rankClass.budget.weightBytes +
                                  rankClass.budget.stateBytes);
  Status enough = devices.checkMemory(ranks, needed);
  if (!enough.ok())
    return enough;
  CoreShares shares = shareCores(coresOfProcess(), ranks, options.threads);
  ThreadCommunicatorOptions communication;
  communication.deadlineSeconds = options.deadlineSeconds;
  communication.spin = shares.spins;
  communication.delaySeed = options.delaySeed;
  world = std::make_unique<ThreadWorld>(ranks, communication);
  auto now = std::chrono::steady_clock::now();
  for (int64_t rank = 0; rank < ranks; ++rank) {
    RankSetup setup{
        plan, classOf(rank), rank, options.traceEvents, options.stepsBefore,
        now};
    runners.push_back(std::make_unique<RankRunner>(
        setup, world->communicator(rank),
        devices.make({kernels, static_cast<int>(shares.threads)})));
  }
  statuses.resize(ranks);
  if (!options.pin)
    shares.pinned.clear();
  workers = std::make_unique<Workers>();
  Status status = workers->start(ranks, shares.pinned);
  if (status.ok() && shares.threads > 1)
    status = checkMoreThreads(ranks * (shares.threads - 1));
  if (!status.ok())
    return status;
  return runAll("prepare", [](RankRunner &rank) { return rank.prepare(); });
}

/// What the task says, or that it found no memory.
static Status withMemory(const std::function<Status()> &task) {
  try {
    return task();
  } catch (const std::bad_alloc &) {
    return Status::runtimeError(
        "no memory is left; raise its limit (ulimit -v, or the container's), "
        "or compile for more ranks");
  }
}

Status Executor::State::runAll(const char *phase, RankTask task) {
  std::shared_ptr<State> self = shared_from_this();
  Workers::Task perThread = [self, task](int64_t rank) {
    Status status = withMemory([&] { return task(*self->runners[rank]); });
    bool good = status.ok();
    if (!good && self->runners.size() > 1) {
      Status named = status;
      named.message = "rank " + std::to_string(rank) + ": " + status.message;
      self->world->abort(rank, named);
    }
    self->statuses[rank] = std::move(status);
    return good;
  };
  // Ranks that wait for a failed one are told at once; two seconds are for
  // whatever call they are in.
  constexpr double grace = 2;
  std::vector<bool> ended =
      workers->run(perThread, options.deadlineSeconds, grace);
  broken = explain(phase, ended);
  return broken;
}

/// A rank's own mistake explains the others' errors, and of several that of the
/// lowest rank is told, so that every run tells the same.
Status Executor::State::explain(const char *phase,
                                const std::vector<bool> &ended) {
  Status result = world->failure();
  for (size_t rank = 0; rank < ended.size(); ++rank) {
    if (!ended[rank] || statuses[rank].ok() ||
        runners[rank]->failedInCollective)
      continue;
    result = statuses[rank];
    if (ended.size() > 1)
      result.message = "rank " + std::to_string(rank) + ": " + result.message;
    break;
  }
  // A collective of one rank has nobody else to blame.
  if (result.ok() && ended[0])
    result = statuses[0];
  for (size_t rank = 0; rank < ended.size(); ++rank) {
    if (ended[rank])
      continue;
    std::string name = "rank " + std::to_string(rank);
    if (result.ok())
      result =
          Status::runtimeError(name + " did not end its " + phase + " in time");
    result.message += "; " + name + " is in " + runners[rank]->progress();
  }
  return result;
}

// ---- phases ---------------------------------------------------------------

Status Executor::State::load(const TensorSource &weights) {
  if (!broken.ok())
    return broken;
  Status status = checkTensors(plan.parameters, weights);
  if (status.ok())
    status =
        runAll("load", [&](RankRunner &rank) { return rank.load(weights); });
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
  return runAll("restoring of states", [&](RankRunner &rank) {
    return rank.restore(numbers, source);
  });
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
  return runAll("step", [](RankRunner &rank) { return rank.step(); });
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
                             NotFinite rule) {
  Status status = checkInputs(inputs);
  if (status.ok())
    status = prepareOutputs(outputs);
  if (!status.ok())
    return status;
  hasInputs = true;
  // One task: handing one over costs as much as several small collectives.
  return runAll("step", [&](RankRunner &rank) {
    Status result = rank.readInputs(inputs);
    if (result.ok())
      result = rank.step(rule);
    bool ends = rank.isWithheld && rule == NotFinite::Stop;
    return result.ok() && !ends ? rank.writeOutputs(outputs) : result;
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
  found.clear();
  NotFiniteValue first;
  for (size_t rank = 0; rank < runners.size() && status.ok(); ++rank) {
    const NotFiniteValue &finding = runners[rank]->finding;
    if (finding.at >= first.at)
      continue;
    first = finding;
    found = std::string(spellNotFinite(finding.value)) + " " + finding.where;
    if (runners.size() > 1)
      found += " on rank " + std::to_string(rank);
  }
  return status;
}

// ---- the public face ------------------------------------------------------

Executor::Executor(std::shared_ptr<State> state) : state(std::move(state)) {}

Executor::~Executor() {
  if (state->workers)
    state->workers->stop();
}

Status Executor::create(const plan::Plan &plan, const KernelTable &kernels,
                        const ExecutorOptions &options,
                        std::unique_ptr<Executor> &executor) {
  std::string error;
  if (!plan::check(plan, error))
    return Status::runtimeError("the plan cannot be run: " + error);
  auto state = std::make_shared<State>(plan, kernels, options);
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
                      NotFinite rule) {
  return state->step(inputs, outputs, rule);
}

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

std::vector<RankCounters> Executor::counters() const {
  std::vector<RankCounters> result;
  for (const std::unique_ptr<RankRunner> &runner : state->runners)
    result.push_back(runner->counters);
  return result;
}

std::vector<PeerCounters> Executor::peers() const {
  std::vector<PeerCounters> result;
  for (const std::unique_ptr<RankRunner> &runner : state->runners)
    result.push_back(runner->peers());
  return result;
}

} // namespace hocket::runtime
