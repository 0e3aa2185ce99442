//===- Counts.h - what a program asked of the driver -----------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_COUNTS_H
#define HOCKET_TEST_GPU_DRIVER_COUNTS_H

#include "test/Gpu/Ptx/Launch.h"

namespace hocket::lookalike {

class Operation;

/// Calls by function, operations by name, and what kernels asked of memory.
class Counts {
public:
  /// The number of this call of the function, from 1.
  uint64_t called(const std::string &function) { return ++calls[function]; }
  void ran(const Operation &operation);
  uint64_t operationsThatRan() const;
  void launched(const std::string &kernel, const ptx::Report &report);

  /// JSON: calls by function; operations by kind with count and bytes; kernels
  /// by name with launches, the sums of ptx::Counts, and the lines of the PTX
  /// that ran ("3-17,20"); peakBytes.
  void write(const std::string &path, uint64_t peakBytes) const;

private:
  struct Launches {
    uint64_t launches = 0, barriers = 0, divergent = 0;
    ptx::Counts sum;
    std::set<unsigned> lines;
  };
  struct Operations {
    uint64_t count = 0, bytes = 0;
  };
  std::map<std::string, uint64_t> calls;
  std::map<std::string, Operations> operations;
  std::map<std::string, Launches> kernels;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_COUNTS_H
