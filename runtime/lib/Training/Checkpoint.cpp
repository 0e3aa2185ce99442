//===- Checkpoint.cpp - a run that can go on ------------------------------===//

#include "CheckpointNames.h"
#include "hocket/Io/FileFormat.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace fs = std::filesystem;

namespace hocket::runtime {

static constexpr const char *prefix = "step-", *suffix = ".safetensors";
static constexpr size_t digits = 10;

std::string checkpointName(int64_t step) {
  char name[64];
  std::snprintf(name, sizeof name, "%s%010lld%s", prefix,
                static_cast<long long>(step), suffix);
  return name;
}

int64_t stepOfName(const std::string &name) {
  size_t front = std::string(prefix).size();
  if (name.size() != checkpointName(0).size() ||
      name.compare(0, front, prefix) != 0)
    return -1;
  std::string number = name.substr(front, digits);
  if (number.find_first_not_of("0123456789") != std::string::npos)
    return -1;
  int64_t step = std::stoll(number);
  return name == checkpointName(step) ? step : -1;
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

std::vector<std::string> checkpointsOf(const std::vector<std::string> &names) {
  std::vector<std::string> found;
  for (const std::string &name : names)
    if (stepOfName(name) >= 0)
      found.push_back(name);
  return found;
}

static bool parseNumber(const Metadata &metadata, const char *key,
                        uint64_t &number) {
  auto found = metadata.find(key);
  if (found == metadata.end() || found->second.empty() ||
      found->second.size() > 19 ||
      found->second.find_first_not_of("0123456789") != std::string::npos)
    return false;
  number = std::stoull(found->second);
  return true;
}

Status readMetadata(const std::string &file, Metadata &metadata,
                    Progress &progress) {
  MappedFile mapped;
  if (Status status = mapped.open(file, "checkpoint"); !status.ok())
    return status;
  std::map<std::string, StoredTensor> tensors;
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
  Metadata metadata;
  if (Status status = readMetadata(file, metadata, progress); !status.ok())
    return status;
  if (auto found = metadata.find(layoutsKey); found != metadata.end())
    layouts = found->second;
  files = std::make_unique<TensorFiles>("checkpoint");
  return files->add(file);
}

} // namespace hocket::runtime
