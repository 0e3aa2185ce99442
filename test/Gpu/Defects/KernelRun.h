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
  std::string output;              ///< of the test program
};

/// Runs the tests that the filter of GoogleTest names, with `text` for the PTX
/// of a kernel. `folder` is for files, which must not be there yet.
KernelRun runKernelTests(const std::string &filter, const std::string &kernel,
                         const std::string &text, const std::string &folder);

/// The same with the PTX that ships.
KernelRun runKernelTests(const std::string &filter, const std::string &folder);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_KERNELRUN_H
