//===- Attention.cpp - launches of attention ------------------------------===//

#include "runtime/lib/Cuda/Attention/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionProblem.h"
#include "runtime/lib/Cuda/Attention/TileLists.h"

namespace hocket::runtime::cuda {

Status addAttention(const AttentionArguments &given, KernelLaunches &launches) {
  AttentionProblem problem;
  Status status = AttentionProblem::make(given, problem);
  AttentionParameters &p = problem.parameters;
  if (!status.ok() || p.rows == 0)
    return status;
  bool isHalf = problem.isHalf();
  const bool drops = p.dropout.step != 0;
  const bool isListed = problem.isListed;
  TileShape tile = isHalf ? halfTile(problem.depth, drops, isListed)
                          : plainTile(problem.depth, problem.bytes());
  p.tiles = (p.queries + tile.rows - 1) / tile.rows;
  p.beginsWithLast = true;
  p.headsAtOnce = problem.headsAtOnce(p.heads * given.q.shape[0], p.keys);
  PreparedLists lists;
  if (isListed)
    status =
        PreparedLists::make(given, tile, listTilesOfQueries, launches, lists);
  if (!status.ok())
    return status;
  p.lists = lists.parameters;
  KernelLaunch &launch =
      launches.add(problem.source(isHalf ? "AttentionHalf" : "AttentionPlain"),
                   "attention" + problem.suffix(),
                   uint64_t(p.tiles) * p.heads * given.q.shape[0],
                   isHalf ? halfThreads : plainThreads, p);
  launch.sharedBytes = isHalf ? halfShared(problem.depth, drops, isListed)
                              : plainShared(problem.depth, problem.bytes());
  if (isListed)
    lists.use(offsetof(AttentionParameters, lists), launches);
  return status;
}

} // namespace hocket::runtime::cuda
