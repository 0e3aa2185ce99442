//===- PreparedLists.cpp - lists of tiles where kernels find them ---------===//

#include "runtime/lib/Cuda/Attention/TileLists.h"

namespace hocket::runtime::cuda {

static DocumentIds idsOf(const Operand &operand) {
  DocumentIds ids = {};
  ids.data = addressOf(operand);
  ids.strides[0] = operand.strides[0];
  ids.strides[1] = operand.strides[1];
  ids.count = static_cast<int32_t>(operand.shape[1]);
  ids.isWide = operand.type == plan::DType::I64;
  return ids;
}

Status PreparedLists::make(const AttentionArguments &given, TileShape shape,
                           List &list, KernelLaunches &launches,
                           PreparedLists &prepared) {
  if (launches.areOnlyCounted && !given.documents)
    return Status::success();
  TileLists lists;
  Status status = list(given, shape, lists);
  if (!status.ok())
    return status;
  prepared.addTables(lists, launches);
  if (!given.documents)
    return status;
  TileParameters &p = prepared.parameters;
  p.rows = idsOf(given.documents->queries);
  p.columns = idsOf(given.documents->keys);
  if (&list == &listTilesOfKeys)
    std::swap(p.rows, p.columns);
  prepared.addChoice(given, shape, launches);
  return status;
}

void PreparedLists::addTables(const TileLists &lists,
                              KernelLaunches &launches) {
  parameters = {};
  parameters.starts = launches.addTable(lists.starts);
  parameters.tiles = launches.addTable(lists.tiles);
  parameters.masks = launches.addTable(lists.masks);
  parameters.order = launches.addTable(lists.order());
  parameters.total = static_cast<int64_t>(lists.tiles.size());
  parameters.lists = static_cast<uint32_t>(lists.starts.size() - 1);
  parameters.isPerHead = lists.isPerHead;
  parameters.block = lists.block;
  parameters.lead = lists.lead;
}

static void useTables(size_t offset, bool tiles, KernelLaunches &launches) {
  launches.usesTable(offset + offsetof(TileParameters, starts));
  launches.usesTable(offset + offsetof(TileParameters, masks));
  launches.usesTable(offset + offsetof(TileParameters, order));
  if (tiles)
    launches.usesTable(offset + offsetof(TileParameters, tiles));
}

void PreparedLists::addChoice(const AttentionArguments &given, TileShape shape,
                              KernelLaunches &launches) {
  DocumentsParameters p = {};
  p.lists = parameters;
  p.batch = static_cast<uint32_t>(given.q.shape[0]);
  p.tileRows = shape.rows;
  p.tileColumns = shape.columns;
  p.rowTiles = tilesOf(parameters.rows.count, shape.rows);
  p.columnTiles = tilesOf(parameters.columns.count, shape.columns);
  p.ranges = launches.takeScratch(int64_t(p.batch) * p.columnTiles * 16);
  p.chosen = launches.takeScratch(p.batch * parameters.total *
                                  int64_t(sizeof(ListedTile)));
  p.counts = launches.takeScratch(int64_t(p.batch) * parameters.lists * 4);
  auto add = [&](const char *entry, uint64_t warps) {
    constexpr unsigned each = documentsThreads / 32;
    if (warps == 0)
      return;
    launches.add("AttentionDocuments", entry, (warps + each - 1) / each,
                 documentsThreads, p);
    useTables(offsetof(DocumentsParameters, lists), /*tiles=*/true, launches);
    for (size_t place : {offsetof(DocumentsParameters, ranges),
                         offsetof(DocumentsParameters, chosen),
                         offsetof(DocumentsParameters, counts)})
      launches.usesScratch(place);
  };
  add("documentRanges", uint64_t(p.batch) * p.columnTiles);
  add("documentTiles", uint64_t(p.batch) * parameters.lists);
  areChosen = true;
  parameters.tiles = p.chosen;
  parameters.counts = p.counts;
}

void PreparedLists::use(size_t offset, KernelLaunches &launches) const {
  useTables(offset, /*tiles=*/!areChosen, launches);
  if (!areChosen)
    return;
  launches.usesScratch(offset + offsetof(TileParameters, tiles));
  launches.usesScratch(offset + offsetof(TileParameters, counts));
}

} // namespace hocket::runtime::cuda
