//===- Attention.cpp - launches of attention ------------------------------===//

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionProblem.h"

namespace hocket::runtime::cuda {

Status addAttention(const AttentionArguments &given, KernelLaunches &launches) {
  AttentionProblem problem;
  Status status = AttentionProblem::make(given, problem);
  AttentionParameters &p = problem.parameters;
  if (!status.ok() || p.rows == 0)
    return status;
  bool isHalf = problem.isHalf();
  const bool drops = p.dropout.step != 0;
  TileShape tile = isHalf ? halfTile(problem.depth, drops)
                          : plainTile(problem.depth, problem.bytes());
  p.tiles = (p.queries + tile.rows - 1) / tile.rows;
  KernelLaunch &launch =
      launches.add(isHalf ? "AttentionHalf" : "AttentionPlain",
                   "attention" + problem.suffix(),
                   uint64_t(p.tiles) * p.heads * given.q.shape[0],
                   isHalf ? halfThreads : plainThreads, p);
  launch.sharedBytes = isHalf ? halfShared(problem.depth, drops)
                              : plainShared(problem.depth, problem.bytes());
  return status;
}

} // namespace hocket::runtime::cuda
