//===- AttentionGrad.cpp - launches of the gradient of attention ----------===//

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionProblem.h"

namespace hocket::runtime::cuda {

namespace {

/// How a kernel is launched.
struct Form {
  const char *source, *entry;
  TileShape tile;
  int threads, sharedBytes;
};

/// Adds the launches of one gradient.
class GradientLaunches {
public:
  GradientLaunches(AttentionProblem &problem, int64_t batch,
                   KernelLaunches &launches)
      : p(problem.parameters), problem(problem), batch(batch),
        launches(launches), drops(p.dropout.step != 0) {}

  void addMeans() {
    std::string suffix = problem.suffix();
    constexpr unsigned threads = 128, rows = threads / 32;
    launches.add("AttentionMeans", "means" + suffix.substr(0, suffix.find('D')),
                 (uint64_t(p.rows) + rows - 1) / rows, threads, p);
    launches.usesScratch(offsetof(AttentionParameters, means));
  }
  void addQueries() {
    constexpr const char *entry = "gradientOfQueries";
    int depth = problem.depth;
    add(problem.isHalf()
            ? Form{"AttentionHalfGrad", entry, halfQueriesTile(depth),
                   halfThreads, halfQueriesShared(depth, drops)}
            : plain(entry),
        p.queries, p.heads);
  }
  void addKeysAndValues() {
    constexpr const char *entry = "gradientOfKeysAndValues";
    int depth = problem.depth;
    add(problem.isHalf()
            ? Form{"AttentionHalfKeysGrad", entry, halfKeysTile(depth, drops),
                   halfThreads, halfKeysShared(depth, drops)}
            : plain(entry),
        p.keys, p.kvHeads);
  }

private:
  Form plain(const char *entry) const {
    int depth = problem.depth, bytes = problem.bytes();
    return {"AttentionPlainGrad", entry, plainGradTile(depth, bytes),
            plainThreads, plainGradShared(depth, bytes)};
  }

  void add(const Form &form, int64_t rows, int64_t heads) {
    p.tiles =
        static_cast<uint32_t>((rows + form.tile.rows - 1) / form.tile.rows);
    if (p.tiles * heads * batch == 0)
      return;
    KernelLaunch &launch =
        launches.add(form.source, form.entry + problem.suffix(),
                     uint64_t(p.tiles) * heads * batch, form.threads, p);
    launch.sharedBytes = form.sharedBytes;
    launches.usesScratch(offsetof(AttentionParameters, means));
  }

  AttentionParameters &p;
  const AttentionProblem &problem;
  const int64_t batch;
  KernelLaunches &launches;
  const bool drops;
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
  GradientLaunches add(problem, given.forward.q.shape[0], launches);
  if (p.rows > 0)
    add.addMeans();
  add.addQueries();
  add.addKeysAndValues();
  return status;
}

} // namespace hocket::runtime::cuda
