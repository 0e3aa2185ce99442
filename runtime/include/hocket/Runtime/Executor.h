//===- Executor.h - runs a plan on the ranks of this process ---*- C++ -*-===//
//
// Everything that can be computed before the first step is: addresses of all
// views, library primitives, scratch memory. A step then walks a list of
// prepared calls.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_EXECUTOR_H
#define HOCKET_RUNTIME_EXECUTOR_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Counters.h"
#include "hocket/Runtime/Device.h"
#include "hocket/Runtime/Processes.h"
#include "hocket/Runtime/RunRecord.h"
#include "hocket/Runtime/Status.h"
#include "hocket/Runtime/Tensors.h"
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace hocket::runtime {

struct ExecutorOptions {
  /// Threads of each rank; 0 = the cores this process may use / ranks. How
  /// ranks wait follows from the cores that there are.
  int64_t threads = 0;
  /// Pin each rank to its own cores where there are enough.
  bool pin = true;
  /// A rank that is this much behind another one that waits for it ends the
  /// run with an error.
  double deadlineSeconds = 60;
  /// Steps after the first are one graph, where the devices record them and no
  /// rule for what is not finite wants to see inside.
  bool recordsSteps = true;
  /// Have memory for Executor::step's `next`.
  bool readsAhead = false;
  /// Time calls where a device has to be asked to (Device::timeline).
  bool timesCalls = false;
  /// Record trace events, of what is timed; at most this many a rank (0 = no
  /// trace).
  int64_t traceEvents = 0;
  /// Steps done by earlier runs, for the numbers of steps in a trace.
  int64_t stepsBefore = 0;
  /// See ThreadCommunicatorOptions.
  uint64_t delaySeed = 0;
  /// See RankOptions.
  bool sumsAsLibrary = false;
  /// Null: this process alone.
  Processes *processes = nullptr;
  /// Where ranks write what they do, or null; made for the same ranks.
  RunRecord *record = nullptr;
};

/// What a step does whose loss, or the norm of whose gradients, is not finite
/// (of a program with a loss scale, which leaves out steps of its own, the
/// loss): change what it changes, or leave all that lives from step to step as
/// it was, and then end before that point or run to its end.
enum class NotFinite { Update, Stop, Skip };

/// Runs load once and then any number of steps, on the ranks of this process;
/// where there are several, all call the same methods in the same order.
/// Tensors that do not fit are refused before any rank starts, and the call may
/// be repeated; after an error of a rank every further call fails with the same
/// error. If a rank is stuck, its thread and the executor's memory outlive the
/// executor, and so must `plan`: end the process soon.
class Executor {
public:
  /// Checks `plan` (plan::check) and that `devices` have what it calls,
  /// allocates and touches all memory, prepares all calls. `plan` must outlive
  /// the executor.
  static Status create(const plan::Plan &plan,
                       std::shared_ptr<const Devices> devices,
                       const ExecutorOptions &options,
                       std::unique_ptr<Executor> &executor);
  ~Executor();

  /// Compares every parameter with what `weights` describes, then runs the
  /// plan's load lists. Refused before any rank starts: missing tensors, other
  /// dims (all of them in one message, one a line).
  Status load(const TensorSource &weights);

  /// After load: those of Plan::states that are no parameters are read from
  /// `source` instead of beginning as load made them. Refused before any rank
  /// starts, as by load.
  Status restore(const TensorSource &source);

  /// Writes all of Plan::states as they are after the last step.
  Status save(TensorSink &sink);

  /// Reads every input, runs the step lists, writes every output. After an
  /// error `outputs` may have been written in part. `next` is read while the
  /// step runs, where the devices can (ExecutorOptions::readsAhead), and is
  /// there for the next call if that has the same object as `inputs`; what is
  /// wrong with it, that call says.
  Status step(const TensorSource &inputs, TensorSink &outputs,
              NotFinite rule = NotFinite::Update,
              const std::shared_ptr<const TensorSource> &next = nullptr);

  /// After an error of a rank, of a plan without states: makes further calls
  /// possible, which then do not fail with it. False where a rank has not come
  /// back, or the devices cannot go on.
  bool recover();

  /// After a step under Stop or Skip: the numbers that were not finite, so that
  /// nothing changed, and those that were: "loss nan, grad_norm 2.5". Empty
  /// after a good step. Under Stop the outputs were not written.
  std::string whyLeftOut() const;

  /// After a step that was left out: runs it again up to its changes and looks
  /// at every value. `found` is the first that is not finite, and where, or
  /// empty.
  Status findNotFinite(const TensorSource &inputs, std::string &found);

  /// The parts of that, for steps that are timed: the inputs that are there
  /// once read serve any number of steps.
  Status readInputs(const TensorSource &inputs);
  Status step();
  Status writeOutputs(TensorSink &outputs);

  /// Where a rank of this process has all of an output after each step, dense
  /// and row-major in the memory of its device; null if none has.
  const void *wholeOutput(size_t output) const;

  /// After a step: whether all ranks that hold the same box of an output hold
  /// the same bytes there. The error names the output and two ranks.
  Status checkReplicas() const;

  /// That each rank computes with.
  int threads() const;

  /// Of all ranks of all processes, by rank.
  Status counters(std::vector<RankCounters> &all) const;
  Status peers(std::vector<PeerCounters> &all) const;
  /// Memory of devices that no rank was given, by process.
  Status memoryBeside(std::vector<DeviceMemory> &all) const;
  /// What the steps of this process's ranks have received so far.
  int64_t receivedBytes() const;

  /// Chrome trace JSON (one event a line), thread = rank: a span for each
  /// instruction and, inside those of collectives, for each time that it
  /// waited.
  Status writeTrace(std::ostream &stream) const;

private:
  class State;
  explicit Executor(std::shared_ptr<State> state);
  std::shared_ptr<State> state;
};

/// Whether a tensor of dtype `given` may be read where the plan holds `wanted`:
/// any float for a float, any integer or bool for an integer, bool for bool.
bool isReadable(plan::DType given, plan::DType wanted);

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_EXECUTOR_H
