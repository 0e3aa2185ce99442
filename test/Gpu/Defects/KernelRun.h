//===- KernelRun.h - tests of kernels, with one kernel changed -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DEFECTS_KERNELRUN_H
#define HOCKET_TEST_GPU_DEFECTS_KERNELRUN_H

#include <set>
#include <string>
#include <vector>

namespace hocket::test {

/// What the interpreter has found: its kind ("Race") and its sentence.
struct KernelFinding {
  std::string kind, sentence;
};

/// A launch of a test, and which lines of the PTX it ran.
struct TracedLaunch {
  std::string test, source, kernel;
  std::set<unsigned> lines;
  uint64_t warps = 0; ///< instructions of warps
};

struct KernelRun {
  bool passed = false;
  bool ended = true; ///< within its time
  std::vector<KernelFinding> findings;
  std::vector<TracedLaunch> launches;
  std::vector<std::string> memory; ///< of each instruction, in order
  std::set<std::string> failed;    ///< tests
  std::string output;              ///< of the test program
  double seconds = 0;              ///< of the processor
};

/// What is run, and with which PTX.
struct KernelTask {
  std::string filter; ///< of GoogleTest: the tests
  std::string folder; ///< for files; not there yet, or of a task before
  std::string kernel; ///< the one that is changed; empty: all as they ship
  std::string text;   ///< its PTX
  uint64_t steps = 0; ///< of warps, of a launch; 0: as the tests say
  int seconds = 120;  ///< of the processor; then they are taken to have no end
  bool stops = false; ///< at the first thing that is wrong
  std::string trace;  ///< file for the trace, to keep it; empty: none
};
KernelRun runKernelTests(const KernelTask &task);

/// What a trace that was kept says: findings, launches, memory, failed.
KernelRun readKernelTrace(const std::string &file);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_KERNELRUN_H
