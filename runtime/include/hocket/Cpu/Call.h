//===- Call.h - a prepared computation of one rank -------------*- C++ -*-===//

#ifndef HOCKET_CPU_CALL_H
#define HOCKET_CPU_CALL_H

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
  virtual Status run() = 0;
  /// Who computes it, where a library may or may not: "brgconv:avx512_core".
  virtual std::string implementation() const { return ""; }
  /// After a run that failed: because of the communicator, not of this rank.
  virtual bool failedInCommunicator() const { return false; }
};

/// Runs body(context, part) for part in [0, threads), on oneDNN's thread pool;
/// on this thread alone if threads is 1.
void parallelFor(int threads, void (*body)(void *context, int part),
                 void *context);

/// Runs body(part) for part in [0, threads) in the same way.
template <class Body> void parallelFor(int threads, Body body) {
  parallelFor(
      threads,
      [](void *context, int part) { (*static_cast<Body *>(context))(part); },
      &body);
}

/// Makes library calls of this thread use `threads` threads.
void setLibraryThreads(int threads);

} // namespace hocket::runtime

#endif // HOCKET_CPU_CALL_H
