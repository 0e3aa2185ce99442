//===- Environment.h - what a test asks of the look-alike ------*- C++ -*-===//
//
// A test sets variables of the environment, since the program under test knows
// nothing of look-alikes:
//
//   HOCKET_LOOKALIKE_REPORT     file that findings are appended to; else stderr
//   HOCKET_LOOKALIKE_COUNTS     file for the counts; %p is the process number
//   HOCKET_LOOKALIKE_SEED       order of streams; 0: the last issued goes first
//   HOCKET_LOOKALIKE_CHIP       compute capability, 90 for 9.0; 80
//   HOCKET_LOOKALIKE_VERSION    of CUDA, 12040 for 12.4; 13000
//   HOCKET_LOOKALIKE_DEVICES    number of devices; 1. CUDA_VISIBLE_DEVICES
//                               chooses among them by numbers, as of a driver
//   HOCKET_LOOKALIKE_ALIKE      1: libraries offer the same on all devices
//   HOCKET_LOOKALIKE_CUBLASLT_VERSION, ..._CUDNN_VERSION, ..._NCCL_VERSION
//                               what these say of themselves, 130100 for 13.1.0
//   HOCKET_LOOKALIKE_SLICES     1: they are slices of one GPU
//   HOCKET_LOOKALIKE_MEMORY     bytes of each device; 4 GiB
//   HOCKET_LOOKALIKE_UNDEFINED  1: copying bytes without values to the host is
//                               a finding
//   HOCKET_LOOKALIKE_THREADS    1: a thread of the host knows only what it has
//                               waited for itself, or what any had waited for
//                               when it made its first call
//   HOCKET_LOOKALIKE_STEPS      instructions of warps after which a launch is
//                               taken to have no end; 2^28
//   HOCKET_LOOKALIKE_FAIL       cuLaunchKernel:3=719,cuMemAlloc:1=2: the third
//                               call of one returns 719, the first of the other
//                               2
//   HOCKET_LOOKALIKE_FAILED     file to which a line is written for each of
//                               them, with how many operations had run by then
//
// Calls that the program makes wrongly, or not at all, are the matter of a
// library between it and the look-alikes: test/Gpu/Injector/Injector.h.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_DRIVER_ENVIRONMENT_H
#define HOCKET_TEST_GPU_DRIVER_ENVIRONMENT_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::lookalike {

/// A call that is made to fail.
struct Injection {
  std::string function; ///< as its symbol is, with or without _v2
  uint64_t call = 0;    ///< 1 is the first
  int code = 0;
};

struct Environment {
  std::string report, counts, failed;
  uint64_t seed = 0;
  int chip = 80;
  int version = 13000;
  std::vector<int> devices = {0}; ///< the visible ones of the machine
  bool areSlices = false;
  uint64_t memory = uint64_t(4) << 30;
  uint64_t steps = uint64_t(1) << 28;
  bool findsUndefined = false;
  bool keepsThreadsApart = false;
  std::vector<Injection> injections;
  /// What is wrong with the variables; empty if nothing is.
  std::string error;
};

Environment readEnvironment();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_ENVIRONMENT_H
