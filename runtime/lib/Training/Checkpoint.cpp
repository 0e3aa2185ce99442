//===- Checkpoint.cpp - a run that can go on ------------------------------===//

#include "hocket/Training/Checkpoint.h"
#include "hocket/Io/FileFormat.h"
#include "hocket/Io/Safetensors.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;

namespace hocket::runtime {

namespace {

constexpr const char *prefix = "step-", *suffix = ".safetensors";
constexpr size_t digits = 10;

std::string fileName(int64_t step) {
  char name[64];
  std::snprintf(name, sizeof name, "%s%010lld%s", prefix,
                static_cast<long long>(step), suffix);
  return name;
}

/// The step of a checkpoint's name, or -1 for another file's.
int64_t stepOf(const std::string &name) {
  size_t front = std::string(prefix).size();
  if (name.size() != fileName(0).size() || name.compare(0, front, prefix) != 0)
    return -1;
  std::string number = name.substr(front, digits);
  if (number.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  int64_t step = std::stoll(number);
  return name == fileName(step) ? step : -1;
}

/// Whether it is the temporary of a checkpoint: its name and a suffix.
bool isTemporary(const std::string &name) {
  size_t whole = fileName(0).size();
  return name.size() == whole + 7 && name[whole] == '.' &&
         stepOf(name.substr(0, whole)) >= 0;
}

Status listFolder(const std::string &path, std::vector<std::string> &names) {
  std::error_code code;
  for (fs::directory_iterator at(path, code), end; !code && at != end;
       at.increment(code))
    names.push_back(at->path().filename());
  if (code)
    return Status::userError("checkpoint folder '" + path +
                             "' cannot be read: " + code.message());
  std::sort(names.begin(), names.end());
  return Status::success();
}

/// The checkpoints among `names`, oldest first.
std::vector<std::string> checkpointsOf(const std::vector<std::string> &names) {
  std::vector<std::string> found;
  for (const std::string &name : names)
    if (stepOf(name) >= 0)
      found.push_back(name);
  return found;
}

/// Copies a whole tensor in pieces.
Status copyTensor(const TensorSource &source, const plan::GlobalTensor &tensor,
                  TensorSink &sink) {
  constexpr int64_t most = 1 << 20;
  int64_t elements = 1;
  for (int64_t extent : tensor.dims)
    elements *= extent;
  std::vector<uint8_t> piece(std::min(elements, most) *
                             plan::byteSize(tensor.type));
  Status status;
  for (int64_t begin = 0; status.ok() && begin < elements; begin += most) {
    Box box{{elements}, {begin}, {std::min(most, elements - begin)}};
    status = source.read(tensor.name, box, tensor.type, piece.data());
    if (status.ok())
      status = sink.write(tensor.name, box, piece.data());
  }
  return status;
}

bool parseNumber(const Metadata &metadata, const char *key, uint64_t &number) {
  auto found = metadata.find(key);
  if (found == metadata.end() || found->second.empty() ||
      found->second.size() > 19 ||
      found->second.find_first_not_of("0123456789") != std::string::npos)
    return false;
  number = std::stoull(found->second);
  return true;
}

} // namespace

Status CheckpointFolder::open(const std::string &folder, int64_t count) {
  path = folder;
  keep = count;
  std::error_code code;
  fs::create_directories(path, code);
  if (code)
    return Status::userError("checkpoint folder '" + path +
                             "' cannot be made: " + code.message());
  std::vector<std::string> names;
  if (Status status = listFolder(path, names); !status.ok())
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
  std::vector<const plan::GlobalTensor *> fixed;
  std::set<std::string> kept = changing; // by the optimizer
  for (const plan::GlobalTensor &tensor : plan.parameters)
    kept.erase(tensor.name);
  for (const plan::GlobalTensor &tensor : plan.parameters)
    if (!changing.count(tensor.name)) {
      fixed.push_back(&tensor);
      tensors.push_back({tensor.name, {tensor.type, tensor.dims}});
    }
  Metadata metadata = {{"hocket.model", plan.model},
                       {"hocket.step", std::to_string(progress.step)},
                       {"hocket.seed", std::to_string(progress.seed)}};
  for (const std::string &name : kept)
    metadata[optimizerKey] +=
        (metadata[optimizerKey].empty() ? "" : " ") + name;
  std::string file = (fs::path(path) / fileName(progress.step)).string();
  std::unique_ptr<SafetensorsWriter> writer;
  Status status = SafetensorsWriter::create(file, tensors, writer, metadata);
  if (status.ok())
    status = executor.save(*writer);
  for (const plan::GlobalTensor *tensor : fixed)
    if (status.ok())
      status = copyTensor(parameters, *tensor, *writer);
  if (status.ok())
    status = writer->commit();
  if (!status.ok())
    return Status::runtimeError("checkpoint after step " +
                                std::to_string(progress.step) + ": " +
                                status.message);
  lastPath = file;
  return removeOld();
}

Status CheckpointFolder::removeOld() const {
  std::vector<std::string> names;
  if (Status status = listFolder(path, names); !status.ok())
    return status;
  names = checkpointsOf(names);
  std::error_code ignored; // another run's copy of it, or gone already
  for (size_t i = 0; i + keep < names.size(); ++i)
    fs::remove(fs::path(path) / names[i], ignored);
  return Status::success();
}

Status Checkpoint::open(const std::string &path) {
  file = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    std::vector<std::string> names;
    if (Status status = listFolder(path, names); !status.ok())
      return status;
    names = checkpointsOf(names);
    if (names.empty())
      return Status::userError("checkpoint folder '" + path +
                               "' has no checkpoint (" + prefix + "N" + suffix +
                               "); leave out --resume to begin anew");
    file = (fs::path(path) / names.back()).string();
  }
  MappedFile mapped;
  if (Status status = mapped.open(file, "checkpoint"); !status.ok())
    return status;
  std::map<std::string, StoredTensor> tensors;
  Metadata metadata;
  std::string error;
  if (!parseSafetensors(mapped.data(), mapped.size(), tensors, error,
                        &metadata))
    return unread(mapped, "checkpoint", file, error);
  uint64_t step = 0;
  if (!parseNumber(metadata, "hocket.step", step) || step > INT32_MAX ||
      !parseNumber(metadata, "hocket.seed", progress.seed))
    return Status::userError(
        "checkpoint '" + file +
        "' does not say its step and seed, so it is no checkpoint; to begin "
        "with its parameters: --weights " +
        file);
  progress.step = int64_t(step);
  files = std::make_unique<TensorFiles>("checkpoint");
  return files->add(file);
}

} // namespace hocket::runtime
