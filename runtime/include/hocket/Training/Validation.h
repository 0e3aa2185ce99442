//===- Validation.h - the loss of data that is not trained on --*- C++ -*-===//

#ifndef HOCKET_TRAINING_VALIDATION_H
#define HOCKET_TRAINING_VALIDATION_H

#include "hocket/Runtime/Executor.h"
#include "hocket/Runtime/MemoryTensors.h"
#include "hocket/Runtime/PackedBytes.h"
#include "hocket/Training/Batches.h"
#include <mutex>

namespace hocket::runtime {

struct ValidationOptions {
  int64_t every = 0; // steps; 0: never
  int64_t batches = 10;
};

/// Plan::validation beside a run. It has ranks of its own and takes the
/// parameters over when it is asked, so that it can change nothing.
class Validation {
public:
  /// `fixed` has the parameters that steps do not change. All must outlive it.
  Validation(const plan::Plan &plan, const TensorSource &fixed,
             const Batches &data, const ValidationOptions &options);
  Status prepare(const std::shared_ptr<const Devices> &devices,
                 const ExecutorOptions &executor);

  bool isDueAfter(int64_t step) const {
    return options.every > 0 && step % options.every == 0;
  }
  /// The mean loss of the first batches of the data, always the same ones,
  /// under the parameters of `trained`.
  Status run(Executor &trained, double &loss);

private:
  /// What `trained` changes comes from memory, all else from the files.
  class Parameters : public TensorSource, public TensorSink {
  public:
    Parameters(const plan::Plan &plan, const TensorSource &fixed)
        : plan(plan), fixed(fixed) {}
    void keepBoxes() { isShared = true; }
    std::string name() const override { return fixed.name(); }
    bool describe(const std::string &tensor,
                  TensorDescription &description) const override;
    Status read(const std::string &tensor, const Box &box, plan::DType type,
                void *destination) const override;
    Status prepare(const std::string &tensor,
                   const TensorDescription &description) override;
    Status write(const std::string &tensor, const Box &box,
                 const void *source) override;
    /// After all boxes of this process were written: those of the others.
    Status share(Processes &processes);

  private:
    const plan::Plan &plan;
    const TensorSource &fixed;
    MemoryTensors trained;
    std::mutex mutex;
    BytePacker written; // the boxes, where other processes want them
    bool isShared = false;
  };

  const plan::Plan &plan;
  const Batches &data;
  const ValidationOptions options;
  Parameters parameters;
  MemoryTensors outputs{"outputs"};
  std::unique_ptr<Executor> executor;
  Processes *processes = nullptr;
};

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_VALIDATION_H
