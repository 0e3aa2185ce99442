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

Status SafetensorsWriter::checkPlace() const {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return Status::userError("output '" + path + "' is not a regular file");
  return Status::success();
}

/// Of a file that the first process has made, or has not.
Status SafetensorsWriter::openShared(bool isMade) {
  Status status;
  if (!isMade)
    status = Status::userError("output '" + path +
                               "' cannot be written: " + std::strerror(errno));
  status = processes.agree(status);
  std::string place = processes.isFirst() && status.ok() ? file.place() : "";
  if (status.ok())
    status = processes.tell(place);
  if (status.ok() && !processes.isFirst() && !file.join(place))
    status = failure("this process does not see the file that the first one "
                     "has made; all need one file system");
  return processes.agree(status);
}

/// The file at its full size, and its header.
Status SafetensorsWriter::begin(const std::string &header, int64_t bytes) {
  int code;
  do {
    code = posix_fallocate(file.descriptor(), 0, bytes);
  } while (code == EINTR);
  if (code) {
    errno = code;
    return failure(("no room for " + std::to_string(bytes) + " bytes").c_str());
  }
  return writeBytes(header.data(), int64_t(header.size()), 0);
}

Status SafetensorsWriter::open(const std::string &header, int64_t bytes) {
  Status status;
  if (processes.isFirst())
    status = checkPlace();
  status = processes.agree(status);
  if (!status.ok())
    return status;
  // Best without a name, as all of them can where they are of one machine.
  status = openShared(!processes.isFirst() || file.create(path));
  if (!status.ok() && processes.count() > 1)
    status = openShared(!processes.isFirst() || file.createNamed(path));
  if (status.ok() && processes.isFirst())
    status = begin(header, bytes);
  return processes.agree(status);
}

Status SafetensorsWriter::create(const std::string &path,
                                 const std::vector<NamedTensor> &tensors,
                                 std::unique_ptr<SafetensorsWriter> &writer,
                                 const Metadata &metadata,
                                 Processes &processes) {
  std::unique_ptr<SafetensorsWriter> made(new SafetensorsWriter(processes));
  made->path = path;
  std::vector<int64_t> offsets;
  int64_t dataSize = 0;
  std::string header = makeHeader(tensors, metadata, offsets, dataSize);
  Status status = made->open(header, int64_t(header.size()) + dataSize);
  if (!status.ok())
    return status;
  for (size_t i = 0; i < tensors.size(); ++i)
    made->places[tensors[i].name] = {tensors[i].description,
                                     int64_t(header.size()) + offsets[i]};
  writer = std::move(made);
  return status;
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
  Status status;
  if (!processes.isFirst() && fsync(file.descriptor()) != 0)
    status = failure("cannot be written");
  status = processes.agree(status);
  if (status.ok() && processes.isFirst() && !file.publish(/*isFlushed=*/true))
    status = failure("cannot be put in its place");
  return processes.agree(status);
}

} // namespace hocket::runtime
