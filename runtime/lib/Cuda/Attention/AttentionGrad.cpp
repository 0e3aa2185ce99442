//===- AttentionGrad.cpp - launches of the gradient of attention ----------===//

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionProblem.h"
#include "runtime/lib/Cuda/Attention/TileLists.h"
#include "runtime/lib/Cuda/Kernels/Copy.h"

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
  GradientLaunches(AttentionProblem &problem, const AttentionArguments &given,
                   KernelLaunches &launches)
      : p(problem.parameters), problem(problem), given(given),
        launches(launches), drops(p.dropout.step != 0) {}

  void addMeans() {
    std::string suffix = problem.suffix();
    constexpr unsigned threads = 128, rows = threads / 32;
    launches.add("AttentionMeans", "means" + suffix.substr(0, suffix.find('D')),
                 (uint64_t(p.rows) + rows - 1) / rows, threads, p);
    launches.usesScratch(offsetof(AttentionParameters, means));
  }
  Status addQueries() {
    constexpr const char *entry = "gradientOfQueries";
    int depth = problem.depth;
    return add(problem.isHalf()
                   ? Form{"AttentionHalfGrad", entry, halfQueriesTile(depth),
                          halfThreads, halfQueriesShared(depth, drops)}
                   : plain(entry),
               p.queries, p.heads, p.keys, listTilesOfQueries);
  }
  Status addKeysAndValues() {
    constexpr const char *entry = "gradientOfKeysAndValues";
    int depth = problem.depth;
    return add(problem.isHalf() ? Form{"AttentionHalfKeysGrad", entry,
                                       halfKeysTile(depth, drops), halfThreads,
                                       halfKeysShared(depth, drops)}
                                : plain(entry),
               p.keys, p.kvHeads, p.queries * std::max<int64_t>(p.group, 1),
               listTilesOfKeys);
  }

  /// After the queries' kernel, which leaves what this one reads.
  Status addBias(const Operand &bias) {
    int depth = problem.depth, bytes = std::max(problem.bytes(), 4);
    TileShape tile = plainGradTile(depth, bytes);
    p.dbias = scoreTensor(given.byScores(bias));
    p.tiles = tilesOf(p.queries, tile.rows);
    if (bias.shape[3] != p.keys || p.tiles == 0)
      if (Status status = addFill(bias, 0, launches); !status.ok())
        return status;
    uint64_t blocks = uint64_t(tilesOf(p.keys, tile.columns)) *
                      (bias.shape[2] == 1 ? 1 : p.tiles) * bias.shape[1] *
                      bias.shape[0];
    if (blocks == 0 || p.tiles == 0)
      return Status::success();
    PreparedLists lists;
    if (Status status = PreparedLists::make(given, tile, listTilesOfQueries,
                                            launches, lists);
        !status.ok())
      return status;
    p.lists = lists.parameters;
    KernelLaunch &launch =
        launches.add("AttentionBiasGrad", "gradientOfBias" + problem.suffix(),
                     blocks, plainThreads, p);
    launch.sharedBytes = plainGradShared(depth, bytes);
    launches.usesScratch(offsetof(AttentionParameters, means));
    lists.use(offsetof(AttentionParameters, lists), launches);
    return Status::success();
  }

private:
  Form plain(const char *entry) const {
    int depth = problem.depth, bytes = problem.bytes();
    return {"AttentionPlainGrad", entry, plainGradTile(depth, bytes),
            plainThreads, plainGradShared(depth, bytes)};
  }

  /// A head of rows meets `columns`.
  Status add(const Form &form, int64_t rows, int64_t heads, int64_t columns,
             PreparedLists::List &list) {
    p.tiles =
        static_cast<uint32_t>((rows + form.tile.rows - 1) / form.tile.rows);
    int64_t batch = given.q.shape[0];
    if (p.tiles * heads * batch == 0)
      return Status::success();
    // The last queries see most keys, and the first keys are seen by most.
    p.beginsWithLast = &list == &listTilesOfQueries;
    p.headsAtOnce = problem.headsAtOnce(heads * batch, columns);
    PreparedLists lists;
    if (problem.isListed)
      if (Status status =
              PreparedLists::make(given, form.tile, list, launches, lists);
          !status.ok())
        return status;
    p.lists = lists.parameters;
    KernelLaunch &launch =
        launches.add(problem.source(form.source), form.entry + problem.suffix(),
                     uint64_t(p.tiles) * heads * batch, form.threads, p);
    launch.sharedBytes = form.sharedBytes;
    launches.usesScratch(offsetof(AttentionParameters, means));
    if (problem.isListed)
      lists.use(offsetof(AttentionParameters, lists), launches);
    return Status::success();
  }

  AttentionParameters &p;
  const AttentionProblem &problem;
  const AttentionArguments &given;
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
  GradientLaunches add(problem, given.forward, launches);
  if (p.rows > 0)
    add.addMeans();
  status = add.addQueries();
  if (status.ok())
    status = add.addKeysAndValues();
  return status.ok() && given.dbias ? add.addBias(*given.dbias) : status;
}

} // namespace hocket::runtime::cuda
