//===- TensorFiles.cpp - tensors from one or more files -------------------===//

#include "hocket/Io/TensorFiles.h"
#include "hocket/Io/FileFormat.h"
#include "hocket/Io/Npy.h"
#include "hocket/Io/ShardedWriter.h"
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fs = std::filesystem;
using nlohmann::json;

namespace hocket::runtime {

namespace {

bool endsWith(const std::string &text, const char *end) {
  std::string wanted = end;
  return text.size() >= wanted.size() &&
         text.compare(text.size() - wanted.size(), wanted.size(), wanted) == 0;
}

} // namespace

std::string TensorFiles::title(const std::string &path) const {
  return role + " '" + path + "'";
}

Status TensorFiles::add(const std::string &path) {
  paths.push_back(path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return addFolder(path);
  if (endsWith(path, ".index.json"))
    return addIndex(path);
  if (!endsWith(path, ".npy"))
    return addSafetensors(path, nullptr);
  size_t equals = path.find('=');
  if (equals == std::string::npos || fs::exists(path, ignored))
    return addNpy(fs::path(path).stem(), path);
  return addNpy(path.substr(0, equals), path.substr(equals + 1));
}

Status TensorFiles::insert(const std::string &tensor,
                           const StoredTensor &stored,
                           const std::string &path) {
  auto [at, isNew] = tensors.insert({tensor, {stored, path}});
  if (isNew)
    return Status::success();
  return Status::userError(title(path) + ": tensor '" + tensor + "' is in '" +
                           at->second.path + "' already");
}

Status TensorFiles::addSafetensors(const std::string &path,
                                   const std::vector<std::string> *only) {
  files.emplace_back();
  if (Status status = files.back().open(path, role); !status.ok())
    return status;
  std::map<std::string, StoredTensor> found;
  std::string error;
  Metadata metadata;
  if (!parseSafetensors(files.back().data(), files.back().size(), found, error,
                        &metadata))
    return unread(files.back(), role, path, error, takesTokens);
  std::istringstream kept(metadata[optimizerKey]);
  for (std::string name; kept >> name;)
    ofOptimizer.insert(name);
  if (!only) {
    for (const auto &[tensor, stored] : found)
      if (Status status = insert(tensor, stored, path); !status.ok())
        return status;
    return Status::success();
  }
  for (const std::string &tensor : *only) {
    auto at = found.find(tensor);
    if (at == found.end())
      return Status::userError(title(path) + " has no tensor '" + tensor +
                               "', which the index says it has");
    if (Status status = insert(tensor, at->second, path); !status.ok())
      return status;
  }
  return Status::success();
}

Status TensorFiles::addIndex(const std::string &path) {
  MappedFile file;
  if (Status status = file.open(path, role); !status.ok())
    return status;
  auto fail = [&](const std::string &why) {
    return Status::userError(title(path) + ": " + why);
  };
  json index = json::parse(file.data(), file.data() + file.size(), nullptr,
                           /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("weight_map") ||
      !index["weight_map"].is_object())
    return fail("is not an index, {\"weight_map\": {\"tensor\": \"file\"}}");
  std::map<std::string, std::vector<std::string>> tensorsOf;
  for (const auto &[tensor, value] : index["weight_map"].items()) {
    if (!value.is_string())
      return fail("tensor '" + tensor + "' is mapped to no file name");
    std::string name = value;
    // A file beside the index: nothing else may be opened by a download.
    if (name.empty() || name.find('/') != std::string::npos || name == "..")
      return fail("tensor '" + tensor + "' is mapped to '" + name +
                  "', expected a file beside the index");
    tensorsOf[name].push_back(tensor);
  }
  for (const auto &[name, list] : tensorsOf) {
    fs::path shard = fs::path(path).parent_path() / name;
    std::error_code code;
    if (!fs::exists(shard, code))
      return fail("tensor '" + list.front() + "' is mapped to '" + name +
                  "', which is not beside the index");
    if (Status status = addSafetensors(shard, &list); !status.ok())
      return status;
  }
  return Status::success();
}

Status TensorFiles::addNpy(const std::string &tensor, const std::string &path) {
  files.emplace_back();
  if (Status status = files.back().open(path, role); !status.ok())
    return status;
  StoredTensor stored;
  std::string error;
  if (!parseNpy(files.back().data(), files.back().size(), stored, error))
    return unread(files.back(), role, path, error);
  return insert(tensor, stored, path);
}

Status TensorFiles::addFolder(const std::string &path) {
  std::error_code code;
  if (fs::exists(fs::path(path) / indexName, code))
    return addIndex(fs::path(path) / indexName);
  std::vector<std::string> found;
  fs::directory_iterator end;
  for (fs::directory_iterator at(path, code); !code && at != end;
       at.increment(code)) {
    std::string name = at->path();
    if (endsWith(name, ".safetensors") || endsWith(name, ".npy"))
      found.push_back(name);
  }
  if (code)
    return Status::userError(title(path) +
                             ": cannot be read: " + code.message());
  if (found.empty())
    return Status::userError(title(path) +
                             ": holds no .safetensors or .npy file");
  std::sort(found.begin(), found.end());
  for (const std::string &name : found)
    if (isShardName(fs::path(name).filename()))
      return Status::userError(
          title(path) + ": has the shard '" +
          fs::path(name).filename().string() + "' and no " + indexName +
          ", which is written last; write the weights again, or give the "
          "shards one by one");
  for (const std::string &name : found) {
    Status status = endsWith(name, ".npy") ? addNpy(fs::path(name).stem(), name)
                                           : addSafetensors(name, nullptr);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status TensorFiles::rename(const NameMap &names) {
  for (const RenameRule &rule : names.rules) {
    bool isUsed = false;
    for (const auto &entry : tensors)
      isUsed |= rule.apply(entry.first).has_value();
    if (!isUsed)
      return Status::userError(
          "--rename '" + rule.from + "=" + rule.to + "': no tensor of " +
          name() + " is called so; there is '" +
          (tensors.empty() ? std::string() : tensors.begin()->first) + "'");
  }
  std::map<std::string, Entry> tensorsAfter;
  std::map<std::string, std::string> before;
  std::set<std::string> kept;
  for (auto &[tensor, entry] : tensors) {
    std::string called = names.apply(tensor);
    if (!before.insert({called, tensor}).second)
      return Status::userError(name() + ": tensors '" + before[called] +
                               "' and '" + tensor + "' would both be called '" +
                               called + "'");
    if (ofOptimizer.count(tensor))
      kept.insert(called);
    tensorsAfter[called] = entry;
  }
  tensors = std::move(tensorsAfter);
  ofOptimizer = std::move(kept);
  return Status::success();
}

std::vector<std::string> TensorFiles::tensorNames() const {
  std::vector<std::string> names;
  for (const auto &entry : tensors)
    names.push_back(entry.first);
  return names;
}

std::vector<std::string> TensorFiles::parameterNames() const {
  std::vector<std::string> names;
  for (const std::string &name : tensorNames())
    if (!ofOptimizer.count(name))
      names.push_back(name);
  return names;
}

const StoredTensor *TensorFiles::find(const std::string &tensor) const {
  auto found = tensors.find(tensor);
  return found == tensors.end() ? nullptr : &found->second.stored;
}

std::string TensorFiles::name() const {
  if (paths.empty())
    return role + " (no file given)";
  std::string text = title(paths.front());
  if (paths.size() > 1)
    text += " and " + std::to_string(paths.size() - 1) + " more";
  return text;
}

Status TensorFiles::read(const std::string &tensor, const Box &box,
                         plan::DType type, void *destination) const {
  auto found = tensors.find(tensor);
  if (found == tensors.end())
    return Status::userError(name() + " has no tensor '" + tensor + "'");
  return readStored(found->second.stored,
                    title(found->second.path) + ": tensor '" + tensor + "'",
                    box, type, destination);
}

} // namespace hocket::runtime
