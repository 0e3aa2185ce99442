//===- MemoryTensors.cpp - named tensors held in memory -------------------===//

#include "hocket/Runtime/MemoryTensors.h"

namespace hocket::runtime {

static int64_t bytesOf(const TensorDescription &description) {
  int64_t bytes = plan::byteSize(description.type);
  for (int64_t extent : description.dims)
    bytes *= extent;
  return bytes;
}

MemoryTensors::Tensor &MemoryTensors::add(const std::string &tensor,
                                          plan::DType type,
                                          const std::vector<int64_t> &dims) {
  Tensor &entry = tensors[tensor];
  entry.description = {type, dims};
  entry.bytes.assign(bytesOf(entry.description), 0);
  return entry;
}

const MemoryTensors::Tensor *
MemoryTensors::find(const std::string &tensor) const {
  auto entry = tensors.find(tensor);
  return entry == tensors.end() ? nullptr : &entry->second;
}

MemoryTensors::Tensor *MemoryTensors::find(const std::string &tensor) {
  auto entry = tensors.find(tensor);
  return entry == tensors.end() ? nullptr : &entry->second;
}

std::vector<std::string> MemoryTensors::names() const {
  std::vector<std::string> result;
  for (const auto &entry : tensors)
    result.push_back(entry.first);
  return result;
}

bool MemoryTensors::describe(const std::string &tensor,
                             TensorDescription &description) const {
  const Tensor *entry = find(tensor);
  if (entry)
    description = entry->description;
  return entry;
}

Status MemoryTensors::read(const std::string &tensor, const Box &box,
                           plan::DType type, void *destination) const {
  const Tensor *entry = find(tensor);
  if (!entry)
    return Status::userError(title + " has no tensor \"" + tensor + "\"");
  readBox(entry->bytes.data(), entry->description.type, box, destination, type);
  return Status::success();
}

Status MemoryTensors::prepare(const std::string &tensor,
                              const TensorDescription &description) {
  Tensor &entry = tensors[tensor];
  if (entry.description.type != description.type ||
      entry.description.dims != description.dims || entry.bytes.empty()) {
    entry.description = description;
    entry.bytes.assign(bytesOf(description), 0);
  }
  return Status::success();
}

Status MemoryTensors::write(const std::string &tensor, const Box &box,
                            const void *source) {
  Tensor *entry = find(tensor);
  if (!entry)
    return Status::runtimeError(title + " has no room for output \"" + tensor +
                                "\"");
  writeBox(entry->bytes.data(), box, source, entry->description.type);
  return Status::success();
}

} // namespace hocket::runtime
