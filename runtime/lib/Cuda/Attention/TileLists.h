//===- TileLists.h - the tiles that kernels of attention meet --*- C++ -*-===//
//
// Under a block layout a tile of rows meets only those tiles of columns that
// its rows visit. Which these are follows from AttentionArguments::visited, as
// on a CPU: a rank lists them when it prepares, for each kernel with its own
// tiles. Of documents a step chooses among the tiles that are listed.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CUDA_ATTENTION_TILELISTS_H
#define HOCKET_LIB_CUDA_ATTENTION_TILELISTS_H

#include "hocket/Cpu/Attention.h"
#include "runtime/lib/Cuda/Attention/AttentionParameters.h"
#include "runtime/lib/Cuda/Kernels/KernelLaunch.h"

namespace hocket::runtime::cuda {

/// How many tiles of `size` there are.
inline uint32_t tilesOf(int64_t count, int size) {
  return static_cast<uint32_t>((count + size - 1) / size);
}

/// See TileParameters.
struct TileLists {
  std::vector<int64_t> starts = {0};
  std::vector<ListedTile> tiles;
  std::vector<uint32_t> masks; // equal ones are one
  uint32_t rowTiles = 0;       // of a head
  bool isPerHead = false;
  uint32_t block = 1, lead = 0;

  /// Tiles of rows, those first that meet most tiles, in all heads together.
  std::vector<uint32_t> order() const;
};

/// Rows are queries, or keys. Without `visited` tiles meet where causality and
/// a window let them. Fails if there are more masks than a kernel counts.
Status listTilesOfQueries(const AttentionArguments &given, TileShape shape,
                          TileLists &lists);
Status listTilesOfKeys(const AttentionArguments &given, TileShape shape,
                       TileLists &lists);

/// The lists of the launch that is added next.
class PreparedLists {
public:
  using List = decltype(listTilesOfQueries);

  /// Lists tiles into tables; of documents, adds the launches that choose among
  /// them, into scratch.
  static Status make(const AttentionArguments &given, TileShape shape,
                     List &list, KernelLaunches &launches,
                     PreparedLists &prepared);
  TileParameters parameters = {};
  /// After the launch, which has `parameters` at `offset` of its argument.
  void use(size_t offset, KernelLaunches &launches) const;

private:
  bool areChosen = false; // `tiles` is scratch

  void addTables(const TileLists &lists, KernelLaunches &launches);
  void addChoice(const AttentionArguments &given, TileShape shape,
                 KernelLaunches &launches);
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_LIB_CUDA_ATTENTION_TILELISTS_H
