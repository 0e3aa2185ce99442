//===- Ranks.h - a test as several processes -------------------*- C++ -*-===//
//
// A process a rank, each with the look-alikes of the driver and of NCCL. They
// are forked from the test, which loads neither.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_RANKS_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_RANKS_H

#include "runtime/lib/Cuda/Nccl/Api.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hocket::test {

using namespace runtime::cuda;

/// What the processes of a test share.
struct Shared;

/// One rank, in its process.
class Rank {
public:
  Rank(int rank, int ranks, Shared &shared);

  /// Waits for all ranks to come here.
  void barrier();
  /// A number that one process leaves for the others.
  void leave(int place, int64_t value);
  int64_t left(int place) const;

  /// An id of rank 0.
  NcclUniqueId id();
  /// A communicator of all ranks.
  NcclComm init(NcclConfig config = {});
  NcclComm split(NcclComm comm, int color, int key);
  /// Finalizes and destroys.
  void destroy(NcclComm comm);
  /// The same of ranks of this process, whose calls wait for each other.
  void destroyTogether(const std::vector<NcclComm> &comms);
  /// Polls until the communicator is no longer in progress; its result.
  NcclResult poll(NcclComm comm);

  /// Polls until the communicator has an error.
  NcclResult untilError(NcclComm comm);
  /// Whether a stream ends within the time that it would take.
  bool isOverSoon(Stream stream);

  /// The context of device 0 becomes current again.
  void useContext();
  Stream stream();
  DeviceAddress allocate(size_t bytes);
  template <typename T> void *upload(const std::vector<T> &values) {
    DeviceAddress address = allocate(values.size() * sizeof(T));
    uploadBytes(address, values.data(), values.size() * sizeof(T));
    return reinterpret_cast<void *>(address);
  }
  template <typename T = float> void *fresh(size_t count) {
    return reinterpret_cast<void *>(allocate(count * sizeof(T)));
  }
  /// Waits for the stream.
  template <typename T = float>
  std::vector<T> download(const void *from, size_t count, Stream stream) {
    std::vector<T> values(count);
    downloadBytes(values.data(), from, count * sizeof(T), stream);
    return values;
  }
  /// Frees all that was made with the functions above.
  void release();

  const int rank, ranks;
  DriverFunctions cu;
  NcclFunctions nccl;
  Stream s = nullptr; ///< made at the beginning

private:
  void uploadBytes(DeviceAddress to, const void *from, size_t bytes);
  void downloadBytes(void *to, const void *from, size_t bytes, Stream stream);

  Shared &shared;
  Context context = nullptr;
  uint64_t ids = 0;
  std::vector<Stream> streams;
  std::vector<DeviceAddress> addresses;
};

/// How a process of a rank ended, and its findings.
struct Ended {
  int status = 0; ///< of waitpid
  std::string findings;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs the role in as many processes, with variables HOCKET_LOOKALIKE_...; a
/// failure in one of them fails the test, and so does another exit status.
std::vector<Ended> runRanks(int ranks, const std::function<void(Rank &)> &role,
                            const Variables &variables = {}, int exit = 0);

/// The same where nothing is to be found.
void runCleanly(int ranks, const std::function<void(Rank &)> &role,
                const Variables &variables = {});

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_RANKS_H
