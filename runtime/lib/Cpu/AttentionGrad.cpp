//===- AttentionGrad.cpp - gradients of attention on all threads ----------===//

#include "hocket/Cpu/Scratch.h"
#include "runtime/lib/Cpu/AttentionBlocks.h"
#include "runtime/lib/Cpu/AttentionGradWorker.h"
#include "runtime/lib/Cpu/AttentionPlain.h"

namespace hocket::runtime {

namespace {

class AttentionGradCall : public Call {
public:
  AttentionGradCall(const AttentionGradArguments &given, int threads)
      : arguments(given), threads(threads) {}

  bool prepare();
  int64_t scratchBytes() const override {
    int64_t sums = plan.pieces > 1 ? plan.items * plan.pieces : threads;
    return threads * workers[0]->scratchBytes() + sums * sumBytes();
  }
  void setScratch(void *scratch) override;
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    if (plan.pieces > 1)
      parallelFor(threads, [this](int part) { addPieces(part); });
    return Status::success();
  }

private:
  void runPart(int part);
  void addPieces(int part);
  int64_t sumBytes() const {
    return pieceBytes(plan.sumElements() * sizeof(float));
  }
  float *sumsOf(int64_t slot) const {
    return reinterpret_cast<float *>(sums + slot * sumBytes());
  }

  const AttentionGradArguments arguments;
  const int threads;
  GradPlan plan;
  std::vector<std::unique_ptr<GradWorker>> workers;
  char *sums = nullptr;
};

} // namespace

bool AttentionGradCall::prepare() {
  // The products run inside a parallel region of ours.
  setLibraryThreads(1);
  bool made = plan.make(arguments);
  try {
    for (int part = 0; made && part < threads; ++part)
      workers.push_back(std::make_unique<GradWorker>(arguments, plan));
  } catch (const dnnl::error &) {
    made = false;
  }
  setLibraryThreads(threads);
  return made;
}

void AttentionGradCall::setScratch(void *scratch) {
  char *place = static_cast<char *>(scratch);
  for (auto &worker : workers) {
    worker->setScratch(place);
    place += worker->scratchBytes();
  }
  sums = place;
}

void AttentionGradCall::runPart(int part) {
  int64_t kvHeads = arguments.forward.k.shape[1];
  GradWorker &worker = *workers[part];
  for (int64_t n = part; n < plan.items * plan.pieces; n += threads) {
    int64_t item = n / plan.pieces;
    int64_t b = item / kvHeads, kvHead = item % kvHeads;
    float *sums = sumsOf(plan.pieces > 1 ? n : part);
    worker.runPiece(b, kvHead, n % plan.pieces, sums);
    if (plan.pieces == 1)
      worker.store(b, kvHead, sums);
  }
}

void AttentionGradCall::addPieces(int part) {
  int64_t kvHeads = arguments.forward.k.shape[1];
  for (int64_t item = part; item < plan.items; item += threads) {
    float *total = sumsOf(item * plan.pieces);
    for (int64_t piece = 1; piece < plan.pieces; ++piece) {
      const float *more = sumsOf(item * plan.pieces + piece);
      for (int64_t i = 0; i < plan.sumElements(); ++i)
        total[i] += more[i];
    }
    workers[part]->store(item / kvHeads, item % kvHeads, total);
  }
}

Status makeAttentionGrad(const AttentionGradArguments &arguments, int threads,
                         std::unique_ptr<Call> &call) {
  const AttentionArguments &forward = arguments.forward;
  bool empty = forward.out.elements() == 0 || forward.k.elements() == 0;
  if (forward.q.type != plan::DType::F32 || empty) {
    call = makePlainAttentionGrad(arguments, threads);
    return Status::success();
  }
  if (forward.visited) {
    call = makeBlockAttentionGrad(arguments, threads);
    return Status::success();
  }
  auto tiled = std::make_unique<AttentionGradCall>(arguments, threads);
  if (!tiled->prepare())
    return Status::runtimeError("oneDNN has only its reference loop for the "
                                "blocks of this gradient of attention");
  call = std::move(tiled);
  return Status::success();
}

} // namespace hocket::runtime
