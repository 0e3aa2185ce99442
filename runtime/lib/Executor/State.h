//===- State.h - what an executor holds ------------------------*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_STATE_H
#define HOCKET_LIB_EXECUTOR_STATE_H

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/ThreadCommunicator.h"
#include "runtime/lib/Executor/RankRunner.h"
#include "runtime/lib/Executor/Workers.h"
#include <functional>

namespace hocket::runtime {

class Executor::State : public std::enable_shared_from_this<State> {
public:
  State(const plan::Plan &plan, const KernelTable &kernels,
        const ExecutorOptions &options);

  /// Makes runners and threads and prepares all ranks.
  Status start();
  Status load(const TensorSource &weights);
  Status restore(const TensorSource &source);
  Status save(TensorSink &sink);
  Status step(const TensorSource &inputs, TensorSink &outputs, NotFinite rule);
  Status findNotFinite(const TensorSource &inputs, std::string &found);
  Status readInputs(const TensorSource &inputs);
  Status step();
  Status writeOutputs(TensorSink &outputs);

  const plan::RankClass &classOf(int64_t rank) const;

  const plan::Plan &plan;
  const KernelTable kernels;
  const ExecutorOptions options;
  std::vector<std::unique_ptr<RankRunner>> runners; // by rank
  std::unique_ptr<Workers> workers;

private:
  using RankTask = std::function<Status(RankRunner &)>;

  /// Runs `task` on all ranks and returns the error that explains the others.
  Status runAll(const char *phase, RankTask task);
  /// Success once weights are there; `what` begins the error.
  Status needLoaded(const char *what) const;
  Status checkInputs(const TensorSource &inputs) const;
  Status prepareOutputs(TensorSink &outputs) const;
  Status explain(const char *phase, const std::vector<bool> &ended);

  std::unique_ptr<ThreadWorld> world;
  std::vector<Status> statuses; // by rank, of the last task
  Status broken; // an error after which ranks are no longer in step
  bool loaded = false, hasInputs = false;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_STATE_H
