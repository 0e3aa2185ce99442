//===- Traffic.cpp - sectors of global memory, banks of shared memory -----===//

#include "test/Gpu/Ptx/Touch.h"
#include <algorithm>

using namespace hocket::ptx;

static unsigned activeAddresses(const Addresses &addresses, uint32_t active,
                                uint64_t *sorted) {
  unsigned count = 0;
  eachLane(active,
           [&](unsigned lane) { sorted[count++] = addresses.of[lane]; });
  if (!std::is_sorted(sorted, sorted + count))
    std::sort(sorted, sorted + count);
  return count;
}

/// Sectors that the accesses touch, and that their distinct bytes would fill.
static void countGlobal(Counts &counts, const Addresses &addresses,
                        uint32_t active, unsigned bytes, bool store) {
  uint64_t sorted[32];
  unsigned count = activeAddresses(addresses, active, sorted);
  uint64_t sectors = 0, distinct = 0, nextSector = 0, nextByte = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t first = sorted[i] / 32, last = (sorted[i] + bytes - 1) / 32;
    first = std::max(first, nextSector);
    if (last >= first) {
      sectors += last - first + 1;
      nextSector = last + 1;
    }
    uint64_t begin = std::max(sorted[i], nextByte);
    if (sorted[i] + bytes > begin) {
      distinct += sorted[i] + bytes - begin;
      nextByte = sorted[i] + bytes;
    }
  }
  uint64_t ideal = (distinct + 31) / 32;
  (store ? counts.stores : counts.loads) += 1;
  (store ? counts.storeBytes : counts.loadBytes) += uint64_t(count) * bytes;
  (store ? counts.storedOnce : counts.loadedOnce) += distinct;
  (store ? counts.storeSectors : counts.loadSectors) += sectors;
  (store ? counts.idealStoreSectors : counts.idealLoadSectors) += ideal;
}

/// 32 banks of 4 bytes. Wide accesses are served 128 bytes at a time: all lanes
/// of 4 bytes, half of the warp with 8, a quarter with 16. A pass gives one
/// word of each bank to all lanes that ask for it.
void hocket::ptx::countShared(Counts &counts, const Addresses &addresses,
                              uint32_t active, unsigned bytes) {
  unsigned together = bytes <= 4 ? 32 : std::max(128 / bytes, 1u);
  for (unsigned first = 0; first < lanesOfWarp; first += together) {
    uint64_t words[64];
    unsigned count = 0;
    for (unsigned lane = first; lane < first + together; ++lane)
      if (active >> lane & 1)
        for (unsigned byte = 0; byte < bytes; byte += 4)
          words[count++] = (addresses.of[lane] + byte) / 4;
    if (!count)
      continue;
    if (!std::is_sorted(words, words + count))
      std::sort(words, words + count);
    count = std::unique(words, words + count) - words;
    unsigned banks[32] = {}, ways = 0;
    for (unsigned i = 0; i < count; ++i)
      ways = std::max(ways, ++banks[words[i] % 32]);
    counts.sharedWays += ways;
    counts.idealSharedWays += (count + 31) / 32;
  }
  ++counts.sharedAccesses;
  counts.sharedBytes += uint64_t(__builtin_popcount(active)) * bytes;
}

void hocket::ptx::countAccess(Warp &warp, const Step &step,
                              const Addresses &addresses, uint32_t active,
                              unsigned bytes, bool store) {
  Counts &counts = warp.machine.sites[step.index];
  uint64_t address = addresses.of[__builtin_ctz(active)];
  Space space = resolve(step.space, address);
  if (space == Space::Shared)
    countShared(counts, addresses, active, bytes);
  else if (space == Space::Global)
    countGlobal(counts, addresses, active, bytes, store);
}
