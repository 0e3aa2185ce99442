//===- AttentionGrad.cpp - launches of the gradient of attention ----------===//

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionProblem.h"

namespace hocket::runtime::cuda {

namespace {

/// Adds the launches of one gradient.
struct GradientLaunches {
  AttentionProblem &problem;
  int64_t batch;
  KernelLaunches &launches;

  void addMeans() {
    AttentionParameters &p = problem.parameters;
    std::string suffix = problem.suffix();
    constexpr unsigned threads = 128, rows = threads / 32;
    launches.add("AttentionMeans", "means" + suffix.substr(0, suffix.find('D')),
                 (uint64_t(p.rows) + rows - 1) / rows, threads, p);
    launches.usesScratch(offsetof(AttentionParameters, means));
  }

  /// `of` is what the kernel is named for; its blocks have `rows` rows.
  void add(const char *of, int64_t rows, int64_t heads) {
    bool isHalf = problem.isHalf();
    int depth = problem.depth, bytes = problem.bytes();
    AttentionParameters &p = problem.parameters;
    const bool drops = p.dropout.step != 0;
    TileShape tile =
        isHalf ? halfGradTile(depth, drops) : plainGradTile(depth, bytes);
    p.tiles = static_cast<uint32_t>((rows + tile.rows - 1) / tile.rows);
    if (p.tiles * heads * batch == 0)
      return;
    KernelLaunch &launch =
        launches.add(isHalf ? "AttentionHalfGrad" : "AttentionPlainGrad",
                     std::string("gradientOf") + of + problem.suffix(),
                     uint64_t(p.tiles) * heads * batch,
                     isHalf ? halfThreads : plainThreads, p);
    launch.sharedBytes =
        isHalf ? halfGradShared(depth, drops) : plainGradShared(depth, bytes);
    launches.usesScratch(offsetof(AttentionParameters, means));
  }
};

} // namespace

static Status checkTypes(const AttentionGradArguments &given) {
  plan::DType type = given.forward.q.type;
  for (const Operand *one : {&given.dout, &given.dq, &given.dk, &given.dv})
    if (one->type != type)
      return Status::runtimeError(
          std::string("the gradient of attention of ") + plan::toString(type) +
          " in " + plan::toString(one->type) +
          " has no CUDA kernel, expected operands of one type");
  return Status::success();
}

Status addAttentionGrad(const AttentionGradArguments &given,
                        KernelLaunches &launches) {
  AttentionProblem problem;
  Status status = AttentionProblem::make(given.forward, problem);
  if (status.ok())
    status = checkTypes(given);
  if (!status.ok())
    return status;
  AttentionParameters &p = problem.parameters;
  p.dout = headTensor(given.dout);
  p.dq = headTensor(given.dq);
  p.dk = headTensor(given.dk);
  p.dv = headTensor(given.dv);
  p.means = launches.takeScratch(int64_t(p.rows) *
                                 (problem.isHalf() ? 4 : 3 * problem.bytes()));
  GradientLaunches add{problem, given.forward.q.shape[0], launches};
  if (p.rows > 0)
    add.addMeans();
  add.add("Queries", p.queries, p.heads);
  if (problem.isHalf() && problem.depth == 256) {
    add.add("Keys", p.keys, p.kvHeads);
    add.add("Values", p.keys, p.kvHeads);
  } else {
    add.add("KeysAndValues", p.keys, p.kvHeads);
  }
  return status;
}

} // namespace hocket::runtime::cuda
