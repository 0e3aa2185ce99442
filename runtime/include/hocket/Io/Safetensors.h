//===- Safetensors.h - reading and writing safetensors files ---*- C++ -*-===//
//
// A file is: 8 bytes, the little-endian length n of the header; n bytes of
// JSON, {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...,
// "__metadata__": {string: string}}; then the data, to which offsets refer.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_IO_SAFETENSORS_H
#define HOCKET_IO_SAFETENSORS_H

#include "hocket/Io/FileTypes.h"
#include "hocket/Io/NewFile.h"
#include "hocket/Runtime/Processes.h"
#include <map>
#include <memory>

namespace hocket::runtime {

/// In a checkpoint's metadata: the tensors that are no parameters, with a space
/// between two.
inline constexpr const char *optimizerKey = "hocket.optimizer";

/// Checks the `size` bytes at `data` in full and lists their tensors, which
/// point into `data`. Refused: a header that does not fit or is not what the
/// format says, names that appear twice, types that are not known, ranges that
/// are out of the file, overlap, leave holes or do not have the size that
/// shape and type say. `error` is a sentence without the file's name.
/// `metadata` gets the strings of "__metadata__".
using Metadata = std::map<std::string, std::string>;
bool parseSafetensors(const uint8_t *data, size_t size,
                      std::map<std::string, StoredTensor> &tensors,
                      std::string &error, Metadata *metadata = nullptr);

/// One tensor of a file to be written.
struct NamedTensor {
  std::string name;
  TensorDescription description;
};

/// What becomes files once all is written.
class OutputWriter : public TensorSink {
public:
  /// Flushes to disk and puts the files in their places.
  virtual Status commit() = 0;
};

/// Writes one file from boxes that come in any order from any thread of any
/// process. Nothing is seen under `path` before commit(), and nothing is left
/// of a writer that is destroyed without. All processes call `create` and
/// `commit` together; each flushes what it has written before the first puts
/// the file in its place.
class SafetensorsWriter : public OutputWriter {
public:
  /// Reserves the file's full size, so that a full disk shows here. A path
  /// that cannot be written is the user's mistake, a full disk a failure.
  static Status create(const std::string &path,
                       const std::vector<NamedTensor> &tensors,
                       std::unique_ptr<SafetensorsWriter> &writer,
                       const Metadata &metadata = {},
                       Processes &processes = oneProcess());
  Status prepare(const std::string &tensor,
                 const TensorDescription &description) override;
  Status write(const std::string &tensor, const Box &box,
               const void *source) override;
  Status commit() override;

private:
  struct Place {
    TensorDescription description;
    int64_t offset; // bytes in the file
  };
  explicit SafetensorsWriter(Processes &processes) : processes(processes) {}
  Status checkPlace() const;
  Status openShared(bool isMade);
  Status begin(const std::string &header, int64_t bytes);
  Status open(const std::string &header, int64_t bytes);
  Status failure(const char *what) const;
  Status writeBytes(const void *source, int64_t bytes, int64_t offset) const;

  Processes &processes;
  std::string path;
  NewFile file;
  std::map<std::string, Place> places;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_SAFETENSORS_H
