//===- TurnedTensors.h - inputs and outputs that lie turned ----*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_TURNEDTENSORS_H
#define HOCKET_LIB_EXECUTOR_TURNEDTENSORS_H

#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// Reads and writes boxes that a rank holds in another order than row-major,
/// part by part through a buffer of 16 MiB at most.
class TurnedTensors {
public:
  /// A box that lies in memory with these strides, in elements.
  struct Turned {
    const plan::GlobalTensor &tensor;
    plan::DType type;
    const Box &box;
    const std::vector<int64_t> &strides;
  };

  /// Before a box of so many bytes is read or written.
  void reserve(int64_t bytes);
  Status read(const TensorSource &source, const Turned &turned, char *host);
  Status write(TensorSink &sink, const Turned &turned, const char *host);
  /// The whole box, row-major, until the next call.
  const void *whole(const Turned &turned, const void *host);

private:
  std::vector<char> buffer;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_TURNEDTENSORS_H
