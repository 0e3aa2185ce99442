//===- CudaMover.h - copies and sums between ranks on one GPU --*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAMOVER_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAMOVER_H

#include "hocket/Runtime/Mover.h"
#include "runtime/lib/Cuda/Device/CudaTimeline.h"
#include "runtime/lib/Cuda/Device/Launches.h"

namespace hocket::runtime::cuda {

/// Moves in the stream of a rank. A mark is an event in it: another rank's
/// stream waits for that, and no thread does.
class CudaMover : public Mover {
public:
  CudaMover(CudaStream &stream, CudaTimeline &timeline)
      : stream(stream), timeline(timeline) {}

  Status makeCopy(const Operand &from, const Operand &to,
                  std::unique_ptr<Move> &move) override;
  Status makeZeros(const Operand &to, std::unique_ptr<Move> &move) override;
  Status makeReduce(plan::Reduction reduction, const Operand &out,
                    const std::vector<Operand> &terms,
                    const std::vector<int> &order, int64_t begin, int64_t end,
                    std::unique_ptr<Move> &move) override;
  Status makeMark(std::unique_ptr<Mark> &mark) override;
  Status set(Mark *mark) override;
  Status follow(const Mark *mark) override;

  CudaStream &stream;

private:
  Status prepare(KernelLaunches launches, std::unique_ptr<Move> &move);

  CudaTimeline &timeline;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_CUDAMOVER_H
