//===- NcclTest.h - ranks as threads of one process ------------*- C++ -*-===//
//
// Without a driver: addresses are the host's, and a call is over when it
// returns.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_NCCLTEST_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_NCCLTEST_H

#include "runtime/lib/Cuda/Nccl/Api.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hocket::test {

using namespace runtime::cuda;

/// A failure of the test where it leaves a finding or a communicator.
class NcclTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// The findings so far, one a line; they are forgotten.
  std::string found();
  /// What is neither destroyed nor aborted, one a line.
  std::string left();
  /// "communicator 3 (rank 0 of 1)", where there is one.
  std::string title();

  NcclUniqueId id();
  /// Runs the body once a rank, each on a thread, with a communicator of all;
  /// then finalizes and destroys it.
  void run(int ranks, const std::function<void(int rank, NcclComm comm)> &body,
           NcclConfig config = {});
  /// The same without communicators.
  void runThreads(int ranks, const std::function<void(int rank)> &body);
  /// Polls until it is no longer in progress; its result.
  NcclResult poll(NcclComm comm);
  /// A communicator of one rank.
  NcclComm alone(NcclConfig config = {});
  void destroy(NcclComm comm);

  static NcclFunctions nccl;
  static void *find(const char *symbol);
};

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_NCCLTEST_H
