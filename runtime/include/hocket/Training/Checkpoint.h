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

#include "hocket/Io/FileLock.h"
#include "hocket/Io/TensorFiles.h"
#include "hocket/Runtime/Executor.h"
#include <optional>

namespace hocket::runtime {

/// How far a run has come: the rest (rate, examples, dropout) follows.
struct Progress {
  int64_t step = 0; // steps done
  uint64_t seed = 0;
};

/// The run that saves into a folder.
struct SavingRun {
  std::string model;
  Progress begins;
  std::string resumed; // the checkpoint that it goes on from, or empty
};

/// A folder that one run saves into, and every run that goes on with it. All
/// processes of a run call its methods together.
class CheckpointFolder {
public:
  static constexpr int64_t keptByDefault = 3;

  /// Makes the folder if it is missing, takes it for this process alone and
  /// removes what was left half written by one that was killed. Refused: a
  /// folder that is in use, one with checkpoints where `run` is new, one with
  /// checkpoints of another run or of later steps where it is not. Of the run's
  /// own checkpoints the `keep` newest are kept.
  Status open(const std::string &path, std::optional<int64_t> keep,
              const SavingRun &run, Processes &processes = oneProcess());

  /// Writes the state of `executor` after `progress.step` steps, each rank its
  /// slices; parameters that steps do not change come from `parameters`.
  Status save(const plan::Plan &plan, Executor &executor,
              const TensorSource &parameters, const Progress &progress);

  /// The newest checkpoint that was saved; empty if there is none yet.
  const std::string &last() const { return lastPath; }

private:
  Status take(const SavingRun &run, bool isKeepStated);
  Status checkOwner(const std::vector<std::string> &found,
                    const SavingRun &run) const;
  Status findOwn(const std::vector<std::string> &found, const SavingRun &run,
                 bool isKeepStated);
  void removeOld();

  Processes *processes = nullptr;
  std::string path, lastPath;
  FileLock lock;                // of the first process
  std::vector<std::string> own; // checkpoints of this run, oldest first
  int64_t keep = keptByDefault;
};

/// A checkpoint that is read.
class Checkpoint {
public:
  /// `path` is a file, or a folder: its newest checkpoint.
  Status open(const std::string &path);
  const TensorSource &tensors() const { return *files; }
  std::vector<std::string> tensorNames() const { return files->tensorNames(); }
  /// Without what an optimizer kept.
  std::vector<std::string> parameterNames() const {
    return files->parameterNames();
  }

  Progress progress;
  std::string file;
  std::string layouts = "none"; // as layoutsDigest (hocket/Plan/Layouts.h)

private:
  std::unique_ptr<TensorFiles> files;
};

/// Whether `plan` goes on from just what the checkpoint holds: the same
/// parameters, the same tensors that the optimizer keeps, and the same block
/// layouts.
Status checkResume(const plan::Plan &plan, const Checkpoint &checkpoint);

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_CHECKPOINT_H
