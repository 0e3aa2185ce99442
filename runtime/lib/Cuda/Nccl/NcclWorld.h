//===- NcclWorld.h - ranks that are processes with a GPU each --*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLWORLD_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLWORLD_H

#include "hocket/Runtime/Communicator.h"
#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Nccl/NcclLibrary.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include <map>

namespace hocket::runtime::cuda {

class NcclCommunicator;

/// The one rank of this process among those of all. NCCL is used without
/// blocking, and streams are waited for by asking, so that word of a rank that
/// has failed is heard and what waits for it is given up.
class NcclWorld : public World, public CudaStream::Watch {
public:
  NcclWorld(const Gpu &gpu, LaunchedProcesses &processes,
            const RankOptions &options)
      : gpu(gpu), processes(processes), options(options) {}
  ~NcclWorld() override;

  /// Makes a communicator of NCCL for each set of axes; by all processes
  /// together.
  Status open();

  std::unique_ptr<Communicator> communicator(int64_t rank,
                                             Mover &mover) override;
  void abort(int64_t rank, const Status &why) override;
  Status failure() const override;

  /// Memory that all communicators of NCCL know, so that they need not copy
  /// what it holds before it is sent.
  Status allocate(int64_t bytes, const std::string &what,
                  DeviceAddress &address);
  void release(DeviceAddress address);

  /// Waits until the stream has run all that it was handed.
  Status wait(CudaStream &stream) override;

  /// What the members communicate with, each under its number among them; null
  /// for one member. An error if they are no group of the run.
  Status commOf(const std::vector<int64_t> &members, NcclComm &comm) const;
  /// Waits until `comm` has done what `function` began, which returned `code`;
  /// `where` says what the rank is at, for errors of others, and `what` goes
  /// into the error of the function.
  Status settle(NcclComm comm, NcclResult code, const char *function,
                const std::string &where, const std::string &what);
  /// Of a run that has failed: the error of this rank, which is in `where`.
  Status interrupted(const std::string &where);
  bool sumsAsLibrary() const { return options.sumsAsLibrary; }
  bool hasFailed() const { return processes.hasFailed(); }
  /// Gives up what all communicators of NCCL still have to do, which ends it.
  void abortComms();
  /// The rank's end is gone.
  void forget(const NcclCommunicator &) { own = nullptr; }

  const Gpu &gpu;
  NcclLibrary library;

private:
  using Clock = std::chrono::steady_clock;

  int64_t rank() const { return processes.index(); }
  Status openComms();
  Status openAll();
  Status openSet(const std::vector<std::vector<int64_t>> &groups);
  Status isAlive(const std::string &where);
  Status giveUp(const std::string &where);
  void closeComms();

  LaunchedProcesses &processes;
  const RankOptions options;
  std::vector<NcclComm> comms; // the first is that of all ranks
  std::map<std::vector<int64_t>, NcclComm> commOfMembers;
  /// Of memory, what each communicator calls it.
  std::map<DeviceAddress, std::vector<void *>> registered;
  const NcclCommunicator *own = nullptr; // the rank's end, which knows where
  std::mutex mutex;                      // guards what follows
  bool isAborted = false;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLWORLD_H
