//===- KernelTrace.h - what other tests ask of these tests -----*- C++ -*-===//
//
// Tests of the tests (test/Gpu/Defects) run this program with other PTX, and
// compare what came of it:
//
//   HOCKET_TEST_PTX     folder; the PTX of kernel K is that of K.ptx, where
//                       the folder has it
//   HOCKET_TEST_STEPS   instructions of warps after which a launch is taken to
//                       have no end
//   HOCKET_TEST_TRACE   file to which is appended, for each launch,
//                         launch TEST SOURCE KERNEL LINES WARPS
//                         finding TEST KIND SENTENCE
//                       with the lines that ran ("3-17,20") and the number of
//                       instructions of warps, and, after the launches of one
//                       instruction,
//                         memory TEST HASH
//                       of all bytes but those of scratch
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_KERNELS_KERNELTRACE_H
#define HOCKET_TEST_GPU_KERNELS_KERNELTRACE_H

#include "test/Gpu/Ptx/Launch.h"

namespace hocket::test {

/// What HOCKET_TEST_PTX has of the kernel.
std::optional<std::string> changedText(const std::string &entry);

/// HOCKET_TEST_STEPS, or `most` where it is not set.
uint64_t mostStepsOfLaunch(uint64_t most);

/// To HOCKET_TEST_TRACE, if it is set.
void traceLaunch(const std::string &source, const std::string &entry,
                 const ptx::Report &report);
void traceMemory(const ptx::Memory &memory);

/// The allocations that results do not lie in are called so.
inline constexpr char scratchName[] = "scratch";

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_KERNELS_KERNELTRACE_H
