//===- CheckpointFolder.cpp - where a run saves ---------------------------===//

#include "CheckpointNames.h"
#include "hocket/Plan/Layouts.h"
#include "hocket/Training/Parameters.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

/// Whether it is the temporary of a checkpoint: its name and a suffix.
bool isTemporary(const std::string &name) {
  size_t whole = checkpointName(0).size();
  return name.size() == whole + 7 && name[whole] == '.' &&
         stepOfName(name.substr(0, whole)) >= 0;
}

std::string titleOf(const std::string &folder) {
  return "checkpoint folder '" + folder + "'";
}

} // namespace

/// What is in the folder must be what the run goes on from and what came
/// before.
Status CheckpointFolder::checkOwner(const std::vector<std::string> &found,
                                    const SavingRun &run) const {
  if (found.empty())
    return Status::success();
  int64_t newest = stepOfName(found.back());
  std::string step = std::to_string(newest);
  if (run.resumed.empty())
    return Status::userError(titleOf(path) +
                             " has checkpoints of another run, the newest "
                             "after step " +
                             step + "; go on with it (--resume " + path +
                             "), or save in another folder");
  std::error_code ignored;
  fs::path parent = fs::path(run.resumed).parent_path();
  if (!fs::equivalent(parent.empty() ? "." : parent, path, ignored))
    return Status::userError(titleOf(path) +
                             " has checkpoints of another "
                             "run than '" +
                             run.resumed + "', the newest after step " + step +
                             "; save in another folder");
  if (newest > run.begins.step)
    return Status::userError(
        titleOf(path) + " has checkpoints of later steps than step " +
        std::to_string(run.begins.step) +
        " which the run goes on from, the newest after step " + step +
        "; go on from that one (--resume " + path +
        "), or save in another folder");
  return Status::success();
}

/// Of those that are there the run's own, which it may remove: by model and
/// seed.
Status CheckpointFolder::findOwn(const std::vector<std::string> &found,
                                 const SavingRun &run, bool isKeepStated) {
  for (const std::string &name : found) {
    std::string file = (fs::path(path) / name).string();
    Metadata metadata;
    Progress progress;
    if (readMetadata(file, metadata, progress).ok() &&
        metadata["hocket.model"] == run.model &&
        progress.seed == run.begins.seed && progress.step == stepOfName(name))
      own.push_back(file);
  }
  // One more than are kept is there where a run was killed after it had saved.
  if (isKeepStated || int64_t(own.size()) <= keep + 1)
    return Status::success();
  return Status::userError(titleOf(path) + " has " +
                           std::to_string(own.size()) +
                           " checkpoints of this run, of which " +
                           std::to_string(own.size() - keep) +
                           " would be removed; say how many "
                           "are kept: --keep " +
                           std::to_string(own.size()));
}

Status CheckpointFolder::open(const std::string &folder,
                              std::optional<int64_t> count,
                              const SavingRun &run, Processes &all) {
  path = folder;
  keep = count.value_or(keptByDefault);
  processes = &all;
  Status status;
  if (all.isFirst())
    status = take(run, count.has_value());
  return all.agree(status);
}

Status CheckpointFolder::take(const SavingRun &run, bool isKeepStated) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code)
    return Status::userError(titleOf(path) +
                             " cannot be made: " + code.message());
  Status status = lock.take((fs::path(path) / ".lock").string(), titleOf(path),
                            "save in another folder");
  std::vector<std::string> names;
  if (status.ok())
    status = listFolder(path, names);
  if (status.ok())
    status = checkOwner(checkpointsOf(names), run);
  if (status.ok())
    status = findOwn(checkpointsOf(names), run, isKeepStated);
  if (!status.ok())
    return status;
  for (const std::string &name : names)
    if (isTemporary(name))
      fs::remove(fs::path(path) / name, code);
  return Status::success();
}

Status CheckpointFolder::save(const plan::Plan &plan, Executor &executor,
                              const TensorSource &parameters,
                              const Progress &progress) {
  std::vector<NamedTensor> tensors;
  std::set<std::string> changing;
  for (const plan::GlobalTensor &state : plan.states) {
    changing.insert(state.name);
    tensors.push_back({state.name, {state.type, state.dims}});
  }
  std::vector<NamedTensor> fixed;
  std::set<std::string> kept = changing; // by the optimizer
  for (const plan::GlobalTensor &tensor : plan.parameters)
    kept.erase(tensor.name);
  for (const NamedTensor &tensor : parametersOf(plan))
    if (!changing.count(tensor.name)) {
      fixed.push_back(tensor);
      tensors.push_back(tensor);
    }
  Metadata metadata = {{"hocket.model", plan.model},
                       {"hocket.step", std::to_string(progress.step)},
                       {"hocket.seed", std::to_string(progress.seed)}};
  if (std::string layouts = layoutsDigest(plan); layouts != "none")
    metadata[layoutsKey] = layouts;
  for (const std::string &name : kept)
    metadata[optimizerKey] +=
        (metadata[optimizerKey].empty() ? "" : " ") + name;
  std::string file = (fs::path(path) / checkpointName(progress.step)).string();
  std::unique_ptr<SafetensorsWriter> writer;
  Status status =
      SafetensorsWriter::create(file, tensors, writer, metadata, *processes);
  if (status.ok())
    status = executor.save(*writer);
  if (status.ok() && processes->isFirst())
    for (const NamedTensor &tensor : fixed)
      if (status.ok())
        status = copyTensor(parameters, tensor, *writer);
  status = processes->agree(status);
  if (status.ok())
    status = writer->commit();
  if (!status.ok())
    return Status::runtimeError("checkpoint after step " +
                                std::to_string(progress.step) + ": " +
                                status.message);
  lastPath = file;
  own.push_back(file);
  if (processes->isFirst())
    removeOld();
  return Status::success();
}

/// Removes the oldest that the run wrote, never the one that is newest.
void CheckpointFolder::removeOld() {
  while (int64_t(own.size()) > keep) {
    std::error_code ignored; // gone already
    fs::remove(own.front(), ignored);
    own.erase(own.begin());
  }
}

} // namespace hocket::runtime
