//===- MappedFile.h - a whole file as read-only memory ---------*- C++ -*-===//

#ifndef HOCKET_IO_MAPPEDFILE_H
#define HOCKET_IO_MAPPEDFILE_H

#include "hocket/Io/SignalEnd.h"
#include "hocket/Runtime/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace hocket::runtime {

/// Pages are read when they are touched, so that a rank that reads a slice
/// reads no more than the pages that hold it.
class MappedFile {
public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  /// `role` begins the error: "weights 'w.safetensors': cannot be read: ...".
  Status open(const std::string &path, const std::string &role);

  const uint8_t *data() const { return begin; }
  size_t size() const { return bytes; }

private:
  const uint8_t *begin = nullptr;
  size_t bytes = 0;
  WatchedPages watched;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_MAPPEDFILE_H
