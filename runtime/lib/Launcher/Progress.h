//===- Progress.h - how far a run is, on a terminal ------------*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_PROGRESS_H
#define HOCKET_LIB_LAUNCHER_PROGRESS_H

#include "hocket/Runtime/Tensors.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

namespace hocket::runtime {

/// Hands reads through to another source and, if standard error is a terminal,
/// keeps one line there about them; the line is erased at the end.
class ProgressSource : public TensorSource {
public:
  /// `total` elements will be read by all ranks together.
  ProgressSource(const TensorSource &source, int64_t total, bool isShown);
  ~ProgressSource() override;

  std::string name() const override { return source.name(); }
  bool describe(const std::string &tensor,
                TensorDescription &description) const override {
    return source.describe(tensor, description);
  }
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

private:
  const TensorSource &source;
  const int64_t total;
  const bool isShown;
  mutable std::atomic<int64_t> done{0};
  mutable std::mutex mutex;
  mutable std::chrono::steady_clock::time_point last;
};

/// Keeps one line about the steps of a training run on standard error, if that
/// is a terminal.
class StepProgress {
public:
  explicit StepProgress(int64_t steps);
  ~StepProgress();
  void show(const nlohmann::ordered_json &line);

private:
  const int64_t steps;
  const bool isShown;
};

/// Elements that the ranks of `plan` read of all parameters.
int64_t elementsToLoad(const plan::Plan &plan);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_PROGRESS_H
