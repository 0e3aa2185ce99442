//===- Settings.h - what a test asks of the look-alike of NCCL -*- C++ -*-===//
//
// Besides what test/Gpu/Driver/Environment.h has:
//
//   HOCKET_LOOKALIKE_FAIL         ncclRemote:5=6: the fifth operation that runs
//                                 ends in an asynchronous error 6 of its
//                                 communicator, and waits until that is aborted
//   HOCKET_LOOKALIKE_NCCL_NOTICE  milliseconds after which a communicator
//                                 notices that a member has ended or aborted
//                                 (ncclRemoteError); none: it never does
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_SETTINGS_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_SETTINGS_H

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace hocket::lookalike {

struct Settings {
  std::map<uint64_t, int> remoteErrors; ///< codes by number of the operation
  std::optional<std::chrono::milliseconds> notice;
};

/// Ends the process where the environment cannot be read.
Settings readSettings();

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_SETTINGS_H
