//===- NcclCommunicator.h - a rank's end of its collectives ----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLCOMMUNICATOR_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLCOMMUNICATOR_H

#include "runtime/lib/Communicator/Exchange.h"
#include "runtime/lib/Cuda/Device/CudaMover.h"
#include "runtime/lib/Cuda/Nccl/NcclWorld.h"
#include "runtime/lib/Cuda/Nccl/PlaceInStep.h"
#include "runtime/lib/Cuda/Nccl/Wholes.h"
#include <optional>

namespace hocket::runtime::cuda {

/// All collectives of a rank run in one stream, in the order of the plan, which
/// is one on all ranks: so no two communicators of NCCL wait for each other.
/// What a rank computes runs beside it, in the stream of its device; events
/// order the two.
class NcclCommunicator : public Communicator {
public:
  /// `compute` moves in the stream that the rank computes in.
  NcclCommunicator(NcclWorld &world, int64_t rank, int64_t ranks,
                   CudaMover &compute);
  ~NcclCommunicator() override;

  int64_t rank() const override { return self; }
  int64_t size() const override { return ranks; }
  Status prepare(const CollectiveSpec &spec, int64_t &handle) override;
  Status run(int64_t handle) override;
  Status start(int64_t handle) override;
  Status wait(int64_t handle) override;
  int64_t receivedBytes() const override { return received; }
  int64_t stagingBytes() const override { return staged; }
  /// No thread waits for others before the end of the step.
  const std::vector<WaitSpan> &lastWaits() const override { return waits; }
  const std::vector<int64_t> &receivedFrom(int64_t handle) const override {
    return collectives[handle]->from;
  }
  void abort(const Status &why) override { world.abort(self, why); }

  /// Changes when the GPU comes to another collective, or out of one.
  int64_t place() const { return steps.place(); }
  /// The GPU has come to a collective whose end it has not reached.
  bool isInside() const { return steps.isInside(); }
  /// `all_gather of "h.0.mlp" (gpt2.hkt:12:3)`, or what it does between these.
  std::string placeText() const;
  /// "rank 1", "ranks 0, 2": the others of the collective that it is in.
  std::string othersText() const;

private:
  struct Staging {
    DeviceAddress place = 0;
    int64_t bytes = 0;
  };
  struct Prepared {
    CollectiveSpec spec;
    NcclComm comm = nullptr;
    bool isBound = false;
    bool isStarted = false;           // it is begun apart from being ended
    std::optional<Wholes> wholes;     // calls of all members, or
    std::optional<Exchange> exchange; // messages between them
    Staging ownStaging;               // of one that is started
    std::vector<int64_t> eachRun;     // bytes that a run receives, by member
    std::vector<int64_t> from;        // bytes received so far, by member
    std::unique_ptr<Mover::Mark> begun, done;
  };

  int64_t stagingOf(const CollectiveSpec &spec, bool isStarted) const;
  Status bind(Prepared &collective, bool isStarted);
  Status stage(Prepared &collective, bool isStarted, char *&place);
  Status allocate(int64_t bytes, DeviceAddress &place);
  Status begin(int64_t handle);
  Status beginWholes(Prepared &collective);
  Status beginExchange(Prepared &collective);
  void count(Prepared &collective);
  Status transfer(const Prepared &collective, const std::vector<Message> &sends,
                  const std::vector<Message> &receives);
  NcclResult call(const Prepared &collective, const WholeCall &one,
                  const char *&function);
  /// Runs `issue`, which makes calls and names the one that fails, as a group.
  Status group(const Prepared &collective,
               const std::function<NcclResult(const char *&function)> &issue);
  /// An error of another part, with the collective that it is in.
  static Status named(const Prepared &collective, Status status);
  const Prepared *current() const;

  NcclWorld &world;
  const int64_t self, ranks;
  CudaMover &compute;
  CudaStream stream; // of the collectives
  CudaTimeline untimed{stream};
  CudaMover moves{stream, untimed};
  PlaceInStep steps{stream};
  int64_t received = 0, staged = 0;
  Staging shared; // of all that run as a whole
  std::vector<DeviceAddress> regions;
  std::vector<std::unique_ptr<Prepared>> collectives;
  const std::vector<WaitSpan> waits;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLCOMMUNICATOR_H
