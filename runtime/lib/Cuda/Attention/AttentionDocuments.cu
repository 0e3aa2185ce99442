//===- AttentionDocuments.cu - the tiles whose documents meet -------------===//
//
// Documents are data: of the tiles that rows may meet, each batch entry has
// those in which a document may be both. The numbers of a tile's rows lie
// between a least and a most one, and so do those of its columns; where these
// ranges do not meet, no row sees a column, whatever the numbers are. Where all
// are one number, nothing is hidden.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Attention/Documents.cuh"

namespace hocket::runtime::cuda {

struct IdRange {
  int64_t least, most;
};

/// Of [first, end) of a batch entry, to all lanes of a warp.
static __device__ inline IdRange rangeOf(const DocumentIds &ids, int64_t b,
                                         int64_t first, int64_t end) {
  IdRange range = {INT64_MAX, INT64_MIN};
  end = min(end, int64_t(ids.count));
  for (int64_t i = first + threadIdx.x % 32; i < end; i += 32) {
    const int64_t id = documentOf(ids, b, i);
    range.least = min(range.least, id);
    range.most = max(range.most, id);
  }
#pragma unroll
  for (int step = 16; step; step /= 2) {
    range.least = min(range.least, __shfl_xor_sync(~0u, range.least, step));
    range.most = max(range.most, __shfl_xor_sync(~0u, range.most, step));
  }
  return range;
}

static __device__ inline uint32_t warpOfGrid() {
  return blockIdx.x * (documentsThreads / 32) + threadIdx.x / 32;
}

/// A warp a tile of columns.
static __device__ void findRanges(const DocumentsParameters &p) {
  const uint32_t number = warpOfGrid();
  if (number >= p.batch * p.columnTiles)
    return;
  const int64_t b = number / p.columnTiles;
  const int64_t first = int64_t(number % p.columnTiles) * p.tileColumns;
  const IdRange range =
      rangeOf(p.lists.columns, b, first, first + p.tileColumns);
  if (threadIdx.x % 32 == 0)
    reinterpret_cast<IdRange *>(p.ranges)[number] = range;
}

/// A warp a list of a batch entry.
static __device__ void chooseTiles(const DocumentsParameters &p) {
  const uint32_t number = warpOfGrid();
  if (number >= p.batch * p.lists.lists)
    return;
  const int64_t b = number / p.lists.lists, list = number % p.lists.lists;
  const int64_t first = list % p.rowTiles * p.tileRows;
  const IdRange rows = rangeOf(p.lists.rows, b, first, first + p.tileRows);
  const auto *starts = reinterpret_cast<const int64_t *>(p.lists.starts) + list;
  const auto *tiles =
      reinterpret_cast<const ListedTile *>(p.lists.tiles) + starts[0];
  const auto *ranges =
      reinterpret_cast<const IdRange *>(p.ranges) + b * p.columnTiles;
  auto *chosen =
      reinterpret_cast<ListedTile *>(p.chosen) + b * p.lists.total + starts[0];
  const int64_t count = starts[1] - starts[0];
  const int lane = threadIdx.x % 32;
  int32_t met = 0;
  for (int64_t i = lane; i - lane < count; i += 32) {
    ListedTile tile = {};
    bool meet = i < count;
    if (meet) {
      tile = tiles[i];
      const IdRange columns = ranges[tile.tile];
      meet = rows.least <= columns.most && columns.least <= rows.most;
      tile.hasDocuments =
          min(rows.least, columns.least) != max(rows.most, columns.most);
    }
    const uint32_t all = __ballot_sync(~0u, meet);
    if (meet)
      chosen[met + __popc(all & ((1u << lane) - 1))] = tile;
    met += __popc(all);
  }
  if (lane == 0)
    reinterpret_cast<int32_t *>(p.counts)[number] = met;
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

extern "C" __global__ void __launch_bounds__(documentsThreads)
    documentRanges(const __grid_constant__ DocumentsParameters p) {
  findRanges(p);
}
extern "C" __global__ void __launch_bounds__(documentsThreads)
    documentTiles(const __grid_constant__ DocumentsParameters p) {
  chooseTiles(p);
}
