//===- WorkersCall.h - a call that is cut over threads ---------*- C++ -*-===//

#ifndef HOCKET_LIB_CPU_WORKERSCALL_H
#define HOCKET_LIB_CPU_WORKERSCALL_H

#include "hocket/Cpu/Call.h"
#include <memory>
#include <vector>

namespace hocket::runtime {

/// Each thread has a worker, with as much memory as any other.
template <class Worker> class WorkersCall : public Call {
public:
  int64_t scratchBytes() const override {
    return threads * workers[0]->scratchBytes();
  }
  void setScratch(void *scratch) override {
    for (int part = 0; part < threads; ++part)
      workers[part]->setScratch(static_cast<char *>(scratch) +
                                part * workers[0]->scratchBytes());
  }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

protected:
  explicit WorkersCall(int threads) : threads(threads) {}
  virtual void runPart(int part) = 0;

  const int threads;
  std::vector<std::unique_ptr<Worker>> workers; // one for each thread
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_CPU_WORKERSCALL_H
