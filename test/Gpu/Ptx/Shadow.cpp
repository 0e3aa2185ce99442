//===- Shadow.cpp - who wrote and read bytes of memory last ---------------===//

#include "test/Gpu/Ptx/Shadow.h"

using namespace hocket::ptx;

/// Units that are split keep what was known of the whole.
void Shadow::refine(unsigned finer) {
  std::vector<Cell, ZeroPages<Cell>> old = std::move(cells);
  cells.resize((size + (uint64_t(1) << finer) - 1) >> finer);
  if (!old.empty())
    for (uint64_t i = 0; i < cells.size(); ++i)
      if (const Cell &from = old[i >> (shift - finer)];
          from.writeBlock || from.readBlock)
        cells[i] = from;
  shift = finer;
}

Shadow::Cell *Shadow::cellsOf(uint64_t at, uint64_t bytes, uint64_t &count) {
  uint64_t edges = at | bytes;
  if (edges & ((uint64_t(1) << shift) - 1)) {
    unsigned finer = shift;
    while (edges & ((uint64_t(1) << finer) - 1))
      --finer;
    refine(finer);
  } else if (cells.empty()) {
    refine(shift);
  }
  count = bytes >> shift;
  return &cells[at >> shift];
}

Race Shadow::afterWrite(const Cell &cell, const Accessor &who, bool atomic,
                        Conflict conflict) const {
  if (cell.writeBlock < who.firstBlock || (atomic && cell.atomic))
    return {};
  if (cell.writeBlock != who.block)
    return {conflict, true, cell.writer, cell.writeStep};
  if (cell.copying)
    return {Conflict::Copying, false, cell.writer, cell.writeStep};
  if (cell.writer == who.thread ||
      comesBefore(cell.writeTick, cell.writer / 32, who))
    return {};
  return {conflict, false, cell.writer, cell.writeStep};
}

Race Shadow::afterReads(const Cell &cell, const Accessor &who) const {
  if (cell.readBlock < who.firstBlock)
    return {};
  if (cell.readOnly)
    return {Conflict::ReadOnly, cell.readBlock != who.block, cell.reader,
            cell.readStep};
  Race race{Conflict::WriteAfterRead, cell.readBlock != who.block, cell.reader,
            cell.readStep};
  if (cell.manyBlocks || race.otherBlock) {
    race.otherBlock = true;
    return race;
  }
  for (uint32_t rest = cell.readers; rest; rest &= rest - 1) {
    unsigned warp = __builtin_ctz(rest);
    bool own = warp == who.thread / 32u;
    if (own && !cell.manyLanes && cell.reader == who.thread)
      continue;
    if (!comesBefore(cell.readTick, warp, who))
      return race;
  }
  return {};
}

/// One reader is forgotten when another comes that knows it to be over.
void Shadow::record(Cell &cell, const Accessor &who, bool readOnly) {
  uint32_t own = 1u << (who.thread / 32u);
  if (cell.readBlock < who.firstBlock) {
    cell.manyLanes = cell.manyBlocks = cell.readOnly = false;
    cell.readers = own;
  } else if (cell.readBlock != who.block) {
    cell.manyBlocks = true;
    cell.manyLanes = false;
    cell.readers = own;
  } else {
    bool over = true;
    for (uint32_t rest = cell.readers; rest && over; rest &= rest - 1)
      over = comesBefore(cell.readTick, __builtin_ctz(rest), who);
    cell.manyLanes = !over && (cell.manyLanes || cell.reader != who.thread);
    cell.readers = over ? own : cell.readers | own;
  }
  cell.readOnly |= readOnly;
  cell.readBlock = who.block;
  cell.readTick = who.tick;
  cell.reader = who.thread;
  cell.readStep = who.step;
}

Race Shadow::write(uint64_t at, uint64_t bytes, const Accessor &who,
                   bool atomic) {
  uint64_t count;
  Cell *cell = cellsOf(at, bytes, count);
  Race found;
  for (; count--; ++cell) {
    if (found.conflict == Conflict::None)
      found = afterReads(*cell, who);
    if (found.conflict == Conflict::None)
      found = afterWrite(*cell, who, atomic, Conflict::WriteAfterWrite);
    cell->writeBlock = who.block;
    cell->writeTick = who.tick;
    cell->writer = who.thread;
    cell->writeStep = who.step;
    cell->atomic = atomic;
    cell->copying = false;
  }
  return found;
}

Race Shadow::read(uint64_t at, uint64_t bytes, const Accessor &who,
                  bool readOnly) {
  uint64_t count;
  Cell *cell = cellsOf(at, bytes, count);
  Race found;
  for (; count--; ++cell) {
    if (found.conflict == Conflict::None)
      found = afterWrite(*cell, who, false, Conflict::ReadAfterWrite);
    if (readOnly && cell->writeBlock >= who.firstBlock)
      found = {Conflict::ReadOnly, cell->writeBlock != who.block, cell->writer,
               cell->writeStep};
    record(*cell, who, readOnly);
  }
  return found;
}

Race Shadow::begin(uint64_t at, uint64_t bytes, const Accessor &who) {
  Race found = write(at, bytes, who, false);
  uint64_t count;
  for (Cell *cell = cellsOf(at, bytes, count); count--; ++cell)
    cell->copying = true;
  return found;
}

void Shadow::finish(uint64_t at, uint64_t bytes, const Accessor &who) {
  uint64_t count;
  for (Cell *cell = cellsOf(at, bytes, count); count--; ++cell) {
    cell->copying = false;
    cell->writeTick = who.tick;
  }
}
