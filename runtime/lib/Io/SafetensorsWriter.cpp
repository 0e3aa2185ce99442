//===- SafetensorsWriter.cpp - one file from boxes ------------------------===//

#include "hocket/Io/Safetensors.h"
#include "hocket/Runtime/BoxRuns.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

namespace {

/// The length and the header, padded with blanks so that data begins at a
/// multiple of 64; gives the total size of the data too.
std::string makeHeader(const std::vector<NamedTensor> &tensors,
                       const Metadata &metadata, std::vector<int64_t> &offsets,
                       int64_t &dataSize) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  dataSize = 0;
  for (const NamedTensor &tensor : tensors) {
    FileType type = fileTypeOf(tensor.description.type);
    int64_t bytes =
        countElements(tensor.description.dims, byteSize(type)).value_or(0) *
        byteSize(type);
    header[tensor.name] = {{"dtype", toString(type)},
                           {"shape", tensor.description.dims},
                           {"data_offsets", {dataSize, dataSize + bytes}}};
    offsets.push_back(dataSize);
    dataSize += bytes;
  }
  constexpr size_t lengthBytes = 8, alignment = 64;
  std::string text = header.dump();
  while ((text.size() + lengthBytes) % alignment != 0)
    text += ' ';
  std::string length;
  for (size_t i = 0; i < lengthBytes; ++i)
    length += char(uint64_t(text.size()) >> (8 * i) & 0xff);
  return length + text;
}

} // namespace

Status SafetensorsWriter::failure(const char *what) const {
  return Status::runtimeError("output '" + path + "': " + what + ": " +
                              std::strerror(errno));
}

Status SafetensorsWriter::create(const std::string &path,
                                 const std::vector<NamedTensor> &tensors,
                                 std::unique_ptr<SafetensorsWriter> &writer,
                                 const Metadata &metadata) {
  std::unique_ptr<SafetensorsWriter> made(new SafetensorsWriter());
  made->path = path;
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return Status::userError("output '" + path + "' is not a regular file");
  if (!made->file.create(path))
    return Status::userError("output '" + path +
                             "' cannot be written: " + std::strerror(errno));
  std::vector<int64_t> offsets;
  int64_t dataSize = 0;
  std::string header = makeHeader(tensors, metadata, offsets, dataSize);
  int64_t total = int64_t(header.size()) + dataSize;
  int code;
  do {
    code = posix_fallocate(made->file.descriptor(), 0, total);
  } while (code == EINTR);
  if (code) {
    errno = code;
    return made->failure(
        ("no room for " + std::to_string(total) + " bytes").c_str());
  }
  Status written = made->writeBytes(header.data(), header.size(), 0);
  if (!written.ok())
    return written;
  for (size_t i = 0; i < tensors.size(); ++i)
    made->places[tensors[i].name] = {tensors[i].description,
                                     int64_t(header.size()) + offsets[i]};
  writer = std::move(made);
  return Status::success();
}

Status SafetensorsWriter::prepare(const std::string &tensor,
                                  const TensorDescription &description) {
  auto found = places.find(tensor);
  if (found != places.end() &&
      found->second.description.type == description.type &&
      found->second.description.dims == description.dims)
    return Status::success();
  return Status::runtimeError("output '" + path + "' has no room for '" +
                              tensor + "'");
}

Status SafetensorsWriter::writeBytes(const void *source, int64_t bytes,
                                     int64_t offset) const {
  const char *at = static_cast<const char *>(source);
  while (bytes > 0) {
    ssize_t done = pwrite(file.descriptor(), at, bytes, offset);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return failure("cannot be written");
    at += done;
    bytes -= done;
    offset += done;
  }
  return Status::success();
}

Status SafetensorsWriter::write(const std::string &tensor, const Box &box,
                                const void *source) {
  auto found = places.find(tensor);
  if (found == places.end())
    return Status::runtimeError("output '" + path + "' has no tensor '" +
                                tensor + "'");
  const Place &place = found->second;
  int64_t size = plan::byteSize(place.description.type);
  const char *bytes = static_cast<const char *>(source);
  Status status;
  forEachRun(box, [&](int64_t begin, int64_t done, int64_t count) {
    status = writeBytes(bytes + done * size, count * size,
                        place.offset + begin * size);
    return status.ok();
  });
  return status;
}

Status SafetensorsWriter::commit() {
  return file.publish(/*isFlushed=*/true)
             ? Status::success()
             : failure("cannot be put in its place");
}

} // namespace hocket::runtime
