//===- ShardedWriter.cpp - a folder of safetensors shards -----------------===//

#include "hocket/Io/ShardedWriter.h"
#include "hocket/Io/OutputFiles.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace fs = std::filesystem;

namespace hocket::runtime {

std::string shardName(size_t number, size_t count) {
  char name[80];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", number,
                count);
  return name;
}

bool isShardName(const std::string &name) {
  size_t number = 0, count = 0;
  return std::sscanf(name.c_str(), "model-%zu-of-%zu.", &number, &count) == 2 &&
         name == shardName(number, count);
}

/// Whether a reader of the folder would take `name` for a part of the weights.
static bool isOfWeights(const std::string &name) {
  return name == indexName || name == "model.safetensors" || isShardName(name);
}

static int64_t bytesOf(const NamedTensor &tensor) {
  int64_t size = byteSize(fileTypeOf(tensor.description.type));
  return countElements(tensor.description.dims, size).value_or(0) * size;
}

/// In their order, as many to a shard as fit.
static std::vector<std::vector<NamedTensor>>
split(const std::vector<NamedTensor> &tensors, int64_t mostBytes) {
  std::vector<std::vector<NamedTensor>> shards(1);
  int64_t held = 0;
  for (const NamedTensor &tensor : tensors) {
    int64_t bytes = bytesOf(tensor);
    if (!shards.back().empty() && bytes > mostBytes - held) {
      shards.emplace_back();
      held = 0;
    }
    shards.back().push_back(tensor);
    held += bytes;
  }
  return shards;
}

std::string ShardedWriter::pathOf(const std::string &name) const {
  return (fs::path(folder) / name).string();
}

Status ShardedWriter::failure(const std::string &path, const char *what) const {
  return Status::runtimeError("output '" + path + "': " + what + ": " +
                              std::strerror(errno));
}

Status ShardedWriter::create(const ShardOptions &options,
                             const std::vector<NamedTensor> &tensors,
                             std::unique_ptr<ShardedWriter> &writer) {
  Processes &processes = *options.processes;
  std::unique_ptr<ShardedWriter> result(new ShardedWriter(processes));
  result->folder = options.folder;
  Status status;
  if (processes.isFirst())
    status = result->makeFolder();
  if (status.ok() && processes.isFirst())
    status = result->checkFolder(options.force);
  status = processes.agree(status);
  if (status.ok())
    status = result->addShards(tensors, options.mostBytes);
  if (status.ok())
    writer = std::move(result);
  return status;
}

ShardedWriter::~ShardedWriter() {
  if (isDone)
    return;
  shards.clear();
  std::error_code ignored; // one that is not empty stays
  for (size_t i = made.size(); i-- > 0;)
    fs::remove(made[i], ignored);
}

Status ShardedWriter::makeFolder() {
  std::error_code code;
  for (fs::path path = fs::absolute(folder, code).lexically_normal();
       !code && !path.empty() && !fs::exists(path, code);
       path = path.parent_path())
    made.insert(made.begin(), path.string());
  fs::create_directories(folder, code);
  if (code)
    return Status::userError("output folder '" + folder +
                             "' cannot be used: " + code.message());
  return Status::success();
}

Status ShardedWriter::checkFolder(bool force) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code))
    if (std::string name = at->path().filename(); isOfWeights(name))
      replaced.push_back(name);
  if (code)
    return Status::userError("output folder '" + folder +
                             "' cannot be used: " + code.message());
  std::sort(replaced.begin(), replaced.end());
  for (const std::string &name : replaced) {
    std::string path = pathOf(name);
    Status status =
        checkNotRead({"output '" + path + "'", path, OutputKind::Tensors});
    if (!status.ok())
      return status;
  }
  if (replaced.empty() || force)
    return Status::success();
  return Status::userError("output folder '" + folder +
                           "' holds weights already: '" + replaced.front() +
                           "'; write to another folder, or replace them: "
                           "--force");
}

Status ShardedWriter::addShards(const std::vector<NamedTensor> &tensors,
                                int64_t mostBytes) {
  int64_t total = 0;
  std::vector<std::vector<NamedTensor>> parts = split(tensors, mostBytes);
  for (const std::vector<NamedTensor> &part : parts) {
    names.push_back(shardName(names.size() + 1, parts.size()));
    for (const NamedTensor &tensor : part) {
      shardOf[tensor.name] = names.size() - 1;
      total += bytesOf(tensor);
    }
    shards.emplace_back();
    // Readers of other systems want to know whose layout the tensors have.
    Status status =
        SafetensorsWriter::create(pathOf(names.back()), part, shards.back(),
                                  {{"format", "pt"}}, processes);
    if (!status.ok())
      return status;
  }
  Status status;
  if (processes.isFirst())
    status = makeIndex(total);
  return processes.agree(status);
}

Status ShardedWriter::makeIndex(int64_t totalBytes) {
  nlohmann::json content;
  content["metadata"]["total_size"] = totalBytes;
  content["weight_map"] = nlohmann::json::object();
  for (const auto &[tensor, shard] : shardOf)
    content["weight_map"][tensor] = names[shard];
  std::string text = content.dump(2) + "\n", path = pathOf(indexName);
  if (!index.create(path) || !index.write(text.data(), text.size()))
    return failure(path, "cannot be written");
  return Status::success();
}

Status ShardedWriter::prepare(const std::string &tensor,
                              const TensorDescription &description) {
  auto found = shardOf.find(tensor);
  if (found != shardOf.end())
    return shards[found->second]->prepare(tensor, description);
  return Status::runtimeError("output folder '" + folder +
                              "' has no room for '" + tensor + "'");
}

Status ShardedWriter::write(const std::string &tensor, const Box &box,
                            const void *source) {
  auto found = shardOf.find(tensor);
  if (found != shardOf.end())
    return shards[found->second]->write(tensor, box, source);
  return Status::runtimeError("output folder '" + folder + "' has no tensor '" +
                              tensor + "'");
}

/// The index first: without one a reader refuses the shards.
Status ShardedWriter::removeReplaced() {
  auto first = std::find(replaced.begin(), replaced.end(), indexName);
  if (first != replaced.end())
    std::rotate(replaced.begin(), first, first + 1);
  for (const std::string &name : replaced)
    if (unlink(pathOf(name).c_str()) != 0 && errno != ENOENT)
      return failure(pathOf(name), "cannot be replaced");
  return Status::success();
}

Status ShardedWriter::commit() {
  Status status;
  if (processes.isFirst())
    status = removeReplaced();
  status = processes.agree(status);
  size_t placed = 0;
  for (; status.ok() && placed < shards.size(); ++placed)
    status = shards[placed]->commit();
  if (status.ok() && processes.isFirst() && !index.publish(/*isFlushed=*/true))
    status = failure(pathOf(indexName), "cannot be put in its place");
  status = processes.agree(status);
  isDone = status.ok();
  for (size_t i = 0; !isDone && processes.isFirst() && i < placed; ++i)
    unlink(pathOf(names[i]).c_str());
  return status;
}

} // namespace hocket::runtime
