//===- SameContents.cpp - whether processes read the same tensors ---------===//

#include "runtime/lib/Executor/SameContents.h"
#include "hocket/Runtime/Digest.h"
#include "hocket/Runtime/PackedBytes.h"

namespace hocket::runtime {

/// "'lin.bias' [0:3]", of entries of the dims of the box.
static std::string titleOf(const std::string &tensor, const Box &box) {
  std::string text = "'" + tensor + "' [";
  for (size_t i = 0; i < box.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(box.offset[i]) + ":" +
            std::to_string(box.offset[i] + box.size[i]);
  return text + "]";
}

/// "f32 [3, 4]"
static std::string textOf(const TensorDescription &description) {
  std::string text = std::string(plan::toString(description.type)) + " [";
  for (size_t i = 0; i < description.dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(description.dims[i]);
  return text + "]";
}

Status SameContents::read(const std::string &tensor, const Box &box,
                          plan::DType type, void *destination) const {
  Status status = source.read(tensor, box, type, destination);
  if (isAlone || !status.ok())
    return status;
  uint64_t found =
      digest(destination, size_t(box.elements() * plan::byteSize(type)));
  std::lock_guard<std::mutex> lock(mutex);
  digests[titleOf(tensor, box) + " as " + plan::toString(type)] = found;
  return status;
}

namespace {

/// What one process found, by name.
template <typename Value> using Found = std::map<std::string, Value>;

/// An error where two processes found something else under one name.
template <typename Value, typename Differs>
Status compareAll(const std::vector<Found<Value>> &all,
                  const Differs &differs) {
  std::map<std::string, std::pair<size_t, Value>> first;
  for (size_t process = 0; process < all.size(); ++process)
    for (const auto &[name, value] : all[process]) {
      auto [known, isNew] = first.try_emplace(name, process, value);
      if (!isNew && known->second.second != value)
        return Status::userError("the processes differ: " +
                                 differs(name, known->second.first,
                                         known->second.second, process, value) +
                                 "; give all of them the same files");
    }
  return Status::success();
}

template <typename Value>
void pack(const Found<Value> &found, BytePacker &packer) {
  packer.add(int64_t(found.size()));
  for (const auto &[name, value] : found) {
    packer.add(name);
    packer.add(value);
  }
}

template <typename Value>
void unpack(ByteUnpacker &unpacker, Found<Value> &found) {
  int64_t count;
  unpacker.take(count);
  for (int64_t i = 0; i < count; ++i) {
    std::string name;
    unpacker.take(name);
    unpacker.take(found[name]);
  }
}

} // namespace

Status SameContents::compare(const std::vector<plan::GlobalTensor> &tensors,
                             Processes &processes) const {
  if (isAlone)
    return Status::success();
  Found<std::string> headers;
  for (const plan::GlobalTensor &tensor : tensors)
    if (TensorDescription description;
        source.describe(tensor.name, description))
      headers[tensor.name] = textOf(description);
  BytePacker mine;
  pack(headers, mine);
  pack(digests, mine);
  std::vector<std::string> all;
  if (Status status = processes.gather(mine.bytes, all); !status.ok())
    return status;
  std::vector<Found<std::string>> allHeaders(all.size());
  std::vector<Found<uint64_t>> allDigests(all.size());
  for (size_t process = 0; process < all.size(); ++process) {
    ByteUnpacker unpacker(all[process]);
    unpack(unpacker, allHeaders[process]);
    unpack(unpacker, allDigests[process]);
  }
  std::string of = " of " + source.name();
  Status status =
      compareAll(allHeaders, [&](const std::string &tensor, size_t one,
                                 const std::string &ones, size_t other,
                                 const std::string &others) {
        return "tensor '" + tensor + "'" + of + " is " + ones + " in process " +
               std::to_string(one) + " and " + others + " in process " +
               std::to_string(other);
      });
  if (!status.ok())
    return status;
  return compareAll(allDigests, [&](const std::string &box, size_t one,
                                    uint64_t, size_t other, uint64_t) {
    return "tensor " + box.substr(0, box.rfind(" as ")) + of +
           " has other values in process " + std::to_string(other) +
           " than in process " + std::to_string(one);
  });
}

} // namespace hocket::runtime
