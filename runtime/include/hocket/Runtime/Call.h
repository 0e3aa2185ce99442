//===- Call.h - a prepared computation of one rank -------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_CALL_H
#define HOCKET_RUNTIME_CALL_H

#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hocket::runtime {

/// A strided window of memory with its element type; strides in elements.
struct Operand {
  void *data = nullptr;
  plan::DType type = plan::DType::F32;
  std::vector<int64_t> shape, strides;

  int64_t elements() const {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  }
};

/// Everything about a computation but the numbers in its operands is decided
/// when it is made, by the thread that will run it; running it allocates
/// nothing. Calls of one rank never overlap in time, so they share scratch.
class Call {
public:
  virtual ~Call() = default;
  /// Bytes of scratch it needs while running.
  virtual int64_t scratchBytes() const { return 0; }
  /// Told once before the first run; 64-byte aligned, at least scratchBytes().
  virtual void setScratch(void *scratch) {}
  /// Hands it to the device: what it writes is there for the calls that come
  /// after it, and for the host once the device has finished.
  virtual Status run() = 0;
  /// Who computes it, where a library may or may not: "brgconv:avx512_core".
  virtual std::string implementation() const { return ""; }
  /// After a run that failed: because of the communicator, not of this rank.
  virtual bool failedInCommunicator() const { return false; }
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_CALL_H
