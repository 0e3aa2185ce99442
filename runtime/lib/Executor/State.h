//===- State.h - what an executor holds ------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_STATE_H
#define HOCKET_LIB_EXECUTOR_STATE_H

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Executor/RankRunner.h"
#include <functional>

namespace hocket::runtime {

class Executor::State : public std::enable_shared_from_this<State> {
public:
  State(const plan::Plan &plan, std::shared_ptr<const Devices> devices,
        const ExecutorOptions &options);
  ~State();

  /// Makes runners and threads and prepares all ranks.
  Status start();
  Status load(const TensorSource &weights);
  Status restore(const TensorSource &source);
  Status save(TensorSink &sink);
  Status step(const TensorSource &inputs, TensorSink &outputs, NotFinite rule,
              const std::shared_ptr<const TensorSource> &next);
  Status findNotFinite(const TensorSource &inputs, std::string &found);
  Status readInputs(const TensorSource &inputs);
  Status step();
  Status writeOutputs(TensorSink &outputs);
  bool recover();

  const plan::RankClass &classOf(int64_t rank) const;
  /// What steps have received: what was counted when they were issued, and a
  /// graph is issued once for all of its runs.
  int64_t receivedBytes() const;
  /// What `pack` packs of each rank, by rank.
  Status
  gather(const std::function<void(const RankRunner &, BytePacker &)> &pack,
         std::vector<std::string> &byRank) const;

  const plan::Plan &plan;
  const std::shared_ptr<const Devices> devices;
  const ExecutorOptions options;
  Processes &processes;
  std::unique_ptr<LocalRanks> ranks;
  std::vector<std::unique_ptr<RankRunner>> runners; // of local ranks

private:
  using RunnerTask = std::function<Status(RankRunner &)>;

  RankOptions rankOptions() const;
  Status checkMemory() const;
  /// Runs `task` on all ranks and returns the error that explains the others.
  /// `graceSeconds`: see RankTask.
  Status runLocal(const char *phase, RunnerTask task,
                  double graceSeconds = RankTask().graceSeconds);
  /// The same on all processes, so that none goes on where one has failed.
  Status runAll(const char *phase, RunnerTask task,
                double graceSeconds = RankTask().graceSeconds);
  /// Success once weights are there; `what` begins the error.
  Status needLoaded(const char *what) const;
  /// A part of a step as a graph, once recorded.
  struct Recorded {
    std::unique_ptr<StepGraph> graph;
    int64_t runs = 0, bytes = 0; // that each run receives
  };

  /// Whether the next step can be one graph, or two, between which it decides
  /// whether to change anything: the devices record, and all that a first step
  /// loads is there.
  bool canReplay(NotFinite rule) const;
  Status runFirst(const char *phase, RunnerTask ofFirst, RunnerTask ofOthers,
                  RunnerTask meanwhile);
  Status recordGraph(StepPart part);
  /// Runs the graph of a part of a step, which the first time is recorded.
  /// Ranks read `next`, if it is not null, while it runs.
  Status replay(StepPart part, NotFinite rule, const TensorSource *next);
  Status replay(NotFinite rule, const TensorSource *next);
  Status checkInputs(const TensorSource &inputs) const;
  Status prepareOutputs(TensorSink &outputs) const;
  Status broken; // an error after which ranks are no longer in step
  bool loaded = false, hasInputs = false, hasStepped = false;
  Recorded recorded[3];                      // by StepPart
  std::shared_ptr<const TensorSource> ahead; // that ranks have read, or null
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_STATE_H
