//===- Progress.h - devices go on while their programs do not --*- C++ -*-===//
//
// The look-alike of the driver runs what is issued when the program waits for
// it. A device does not wait for its program: where a rank has waited for long
// for another, it nudges that, and the device of the other goes on by itself.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_PROGRESS_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_PROGRESS_H

#include <chrono>

namespace hocket::lookalike {

/// How long a rank waits before it nudges.
constexpr std::chrono::milliseconds patience(50);

/// What is issued runs, as far as it can; on a thread of its own.
void goOn();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_PROGRESS_H
