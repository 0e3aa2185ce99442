//===- RankRunner.h - one rank's memory and prepared calls -----*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_RANKRUNNER_H
#define HOCKET_LIB_EXECUTOR_RANKRUNNER_H

#include "hocket/Runtime/Executor.h"
#include "runtime/lib/Executor/Decision.h"
#include "runtime/lib/Executor/PrepareCall.h"
#include "runtime/lib/Executor/TurnedTensors.h"
#include <atomic>
#include <chrono>

namespace hocket::runtime {

/// What a rank needs from outside.
struct RankSetup {
  const plan::Plan &plan;
  const plan::RankClass &rankClass;
  int64_t rank;
  int64_t traceEvents, stepsBefore;
  bool timesCalls;   // where the device has to be asked to
  bool readsAhead;   // where the device can
  RankPlace *place;  // where it writes what it does, or null
  LocalRanks &ranks; // that it is one of
  std::chrono::steady_clock::time_point start;
};

/// A value that is not finite: the first that a rank has seen in a step.
struct NotFiniteValue {
  static constexpr int64_t nowhere = INT64_MAX;
  int64_t at = nowhere; // instruction; before it what is there when it begins
  double value = 0;
  std::string where; // "in matmul of "h.0.mlp" (gpt2.hkt:3:4)"
};

/// What one graph is of: a whole step, or what comes before it changes anything
/// and the rest.
enum class StepPart { Whole, BeforeDecision, FromDecision };

/// All methods but `progress` belong to the rank's own thread.
class RankRunner {
public:
  RankRunner(const RankSetup &setup, std::unique_ptr<Communicator> comm,
             std::unique_ptr<Device> device);

  /// Allocates and touches memory.
  Status begin();
  /// Where `begin` has ended on all ranks: what has to be alike on all of them.
  Status propose();
  /// Prepares all calls.
  Status prepare();
  Status load(const TensorSource &weights);
  Status readInputs(const TensorSource &inputs);
  /// While a step runs: the inputs of the next one.
  void readAhead(const TensorSource &next);
  /// After that, of the same source: instead of readInputs.
  Status takeInputs(const TensorSource &inputs);
  Status step(NotFinite rule = NotFinite::Update);
  /// Hands the device a part of a step while it records.
  Status recordStep(StepPart part);
  /// Null where the device does not record.
  Recorder *recorder() const { return device->recorder(); }
  /// How many collectives a step has begun, and ended, where it decides whether
  /// to change anything; -1 where the two sides cannot be two graphs.
  int64_t collectivesBeforeDecision() const {
    return timeline ? -1 : collectivesBefore;
  }
  /// Before a run of the graph of that part of a step, and after it.
  void enterReplay(StepPart part);
  Status endReplay(StepPart part, NotFinite rule);
  /// Runs the step again up to where it changes something and looks at all it
  /// computes; the result is `finding`.
  Status findNotFinite();
  Status writeOutputs(TensorSink &outputs);
  /// Reads some of Plan::states.
  Status restore(const std::vector<size_t> &states, const TensorSource &source);
  /// Writes what the rank has to of Plan::states.
  Status save(TensorSink &sink) const;
  bool holdsOutput(size_t output) const { return outputAt[output] >= 0; }
  /// Where the rank has all of an output, row-major, or null.
  const void *wholeOutput(size_t output) const;
  /// Shows `use` the rank's box of an output that it holds.
  Status viewOutput(size_t output,
                    const std::function<Status(const void *)> &use) const;

  /// Before the first of the runners of a process ends.
  void stop() { device->stop(); }

  /// `matmul of "h.0.mlp" (gpt2.hkt:3:4)`: what it does now; any thread.
  std::string progress() const;

  /// Whether the last error came out of a collective, and so perhaps from
  /// another rank.
  bool failedInCollective = false;

  /// After a step: whether it changed nothing, and for which numbers.
  bool isWithheld = false;
  std::string watchedText() const;
  NotFiniteValue finding;

  RankCounters counters;
  PeerCounters peers() const;
  std::vector<TraceEvent> events;
  int64_t eventsLeftOut = 0; // for which a trace has no room

private:
  struct Prepared {
    std::unique_ptr<Call> call;
    int source, kind;
    int collective = -1;     // CollectiveKind, of one that ends and is counted
    bool begins = false;     // one that is counted
    int64_t handle = 0;      // of the communicator, for that one
    int64_t copiedBytes = 0; // by a Copy
  };

  /// A call that was handed to the device.
  struct Issued {
    const Prepared *prepared;
    int64_t bytes; // received from other ranks
  };

  Status allocate();
  Status reserveAhead();
  int64_t inputBytes(size_t input) const;
  Status readInput(size_t input, const TensorSource &inputs, void *host) const;
  Status goOn();
  void layOutBoxes();
  Status prepareList(const std::vector<plan::Instruction> &list,
                     std::vector<Prepared> &calls);
  Status shareScratch();
  /// Runs calls [begin, end).
  Status run(const Prepared *begin, const Prepared *end, bool load);
  Status issue(const Prepared *begin, const Prepared *end, bool load);
  Status prepareTimes();
  Status noteCall(const Issued &call, CallTime::Clock::time_point &at,
                  bool load);
  Status readTimes(bool load);
  void addTime(const Issued &call, const CallTime &time, bool load);
  void forgetTimes();
  bool isTimed() const { return timeline || !device->timeline(); }
  /// Of the step that runs, or comes next; from 1.
  int64_t stepNumber() const { return setup.stepsBefore + steps + 1; }
  void prepareDecision();
  int64_t countCollectivesBefore() const;
  Status decide();
  Status keepStates();
  Status endOpen();
  Status lookAtInputs();
  Status look(const Operand &operand, int64_t at, const std::string &where);
  std::string describe(const plan::Instruction &instruction) const;
  std::string describe(const Prepared &prepared) const;
  bool writes(const plan::GlobalTensor &tensor) const;

  const RankSetup setup;
  const std::unique_ptr<Device> device;
  const std::unique_ptr<Communicator> comm; // moves with the device
  AddressBook book;
  char *arena = nullptr, *weightMemory = nullptr, *stateMemory = nullptr,
       *boxes = nullptr;
  char *statesBefore = nullptr; // a step that is left out; made for the first
  std::vector<int64_t> inputAt, outputAt; // by tensor: in `boxes`, -1 if unused
  std::vector<plan::DType> inputTypes;    // by tensor
  Inbox *inbox = nullptr;                 // where inputs are read ahead
  bool hasAhead = false;                  // all of a step's, in it
  // By tensor; empty: row-major.
  std::vector<std::vector<int64_t>> inputStrides, outputStrides;
  mutable TurnedTensors turned;
  std::vector<Prepared> loadCalls, stepCalls;
  Timeline *timeline = nullptr; // where the device has to be asked for times
  std::vector<Issued> issued;   // the calls that it times
  std::vector<CallTime> times;
  int64_t steps = 0; // that have been run, by graphs too
  Decision decision;
  Status decisionFault;
  int64_t collectivesBefore = -1;
  std::vector<Operand> watchedAt;
  std::vector<double> watchedNumbers;
  const TensorSource *weights = nullptr;
  std::map<int64_t, int64_t> handles; // while a list is prepared, by id
  const CallContext context;
  std::atomic<const Prepared *> current{nullptr};
  RankPlace unrecorded;
  RankPlace *const place; // the setup's, or one that nobody reads
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_RANKRUNNER_H
