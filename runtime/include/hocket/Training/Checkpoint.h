//===- Checkpoint.h - a run that can go on ----------------------*- C++ -*-===//
//
// A checkpoint is one safetensors file of whole tensors: every parameter and
// what the optimizer keeps, with the step and the seed in its metadata. It says
// nothing of a schedule, so any schedule of the model goes on from it. A file
// has its name, step-NNNNNNNNNN.safetensors, only once it is complete and on
// disk.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRAINING_CHECKPOINT_H
#define HOCKET_TRAINING_CHECKPOINT_H

#include "hocket/Io/TensorFiles.h"
#include "hocket/Runtime/Executor.h"

namespace hocket::runtime {

/// How far a run has come: the rest (rate, examples, dropout) follows.
struct Progress {
  int64_t step = 0; // steps done
  uint64_t seed = 0;
};

/// A folder that a run saves into.
class CheckpointFolder {
public:
  /// Makes the folder if it is missing and removes what an earlier run that was
  /// killed left half written. Keeps the `keep` newest checkpoints.
  Status open(const std::string &path, int64_t keep);

  /// Writes the state of `executor` after `progress.step` steps, each rank its
  /// slices; parameters that steps do not change come from `parameters`.
  Status save(const plan::Plan &plan, Executor &executor,
              const TensorSource &parameters, const Progress &progress);

  /// The newest checkpoint that was saved; empty if there is none yet.
  const std::string &last() const { return lastPath; }

private:
  Status removeOld() const;

  std::string path, lastPath;
  int64_t keep = 1;
};

/// A checkpoint that is read.
class Checkpoint {
public:
  /// `path` is a file, or a folder: its newest checkpoint.
  Status open(const std::string &path);
  const TensorSource &tensors() const { return *files; }
  std::vector<std::string> tensorNames() const { return files->tensorNames(); }

  Progress progress;
  std::string file;

private:
  std::unique_ptr<TensorFiles> files;
};

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_CHECKPOINT_H
