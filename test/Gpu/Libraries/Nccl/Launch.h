//===- Launch.h - what a group runs on one communicator --------*- C++ -*-===//
//
// Two operations of a stream: the first reads what the rank gives and sends it
// to the others, the second is ready when all that the rank wants is there, and
// writes it. So nobody waits within an operation, and each may run any number
// of times, since graphs launch them again.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_LAUNCH_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_LAUNCH_H

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Nccl/Operation.h"
#include <deque>

namespace hocket::lookalike {

class Launch : public std::enable_shared_from_this<Launch> {
public:
  Launch(Communicator comm, Stream stream, std::vector<Operation> operations);
  ~Launch();

  /// Puts both operations into the stream; the driver's code. Without the lock.
  int issue();

private:
  /// One run of a call, begun and not ended.
  struct Step {
    uint64_t index = 0; ///< how manyeth of its kind
    std::vector<char> own;
  };
  struct Run {
    bool isLate = false; ///< issued when the communicator was over
    bool hasGiven = false;
    std::vector<Step> steps;
    std::chrono::steady_clock::time_point nudged{};
  };

  std::string title() const;
  void addIssue();
  void give(DeviceMemory &memory);
  bool beginRun(Run &run);
  Step begin(const Operation &operation, std::vector<char> own);
  bool isReady();
  /// A message that the run waits for.
  struct Wanted {
    Topic topic;
    int from;
    uint64_t index;
  };
  std::vector<Wanted> wanted(size_t call, const Run &run) const;
  void nudge(Run &run, const Wanted &missing);
  void take(DeviceMemory &memory);
  void find(DeviceMemory &memory, const std::string &problem) const;
  void forget(DeviceMemory &memory);
  std::string problemWith(const Operation &operation, const Wanted &wanted,
                          const Packet &packet) const;
  std::vector<char> resultOf(const Operation &operation, Step &step,
                             std::vector<Packet> &packets) const;

  const Communicator comm;
  const Stream stream;
  const std::vector<Operation> operations;
  const char *const function; ///< of the call in findings of the driver
  bool isCaptured = false;
  std::deque<Run> runs; ///< issued and not over
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_LAUNCH_H
