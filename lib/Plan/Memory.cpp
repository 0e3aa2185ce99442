//===- Memory.cpp - lifetimes and addresses of buffers --------------------===//
//
// Arena offsets: larger buffers first, each at the lowest offset that is free
// during its life (greedy by size, Pisarchyk and Lee, arXiv 2001.03288).
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include <algorithm>
#include <climits>

using namespace hocket;
using namespace hocket::planning;

static constexpr int64_t kAlignment = 64;

static int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Places `members` (buffer numbers) in one arena; returns its size.
static int64_t placeByLife(std::vector<plan::Buffer> &buffers,
                           std::vector<int> members,
                           const std::vector<Life> &lives) {
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::vector<int> placed; // by offset
  int64_t total = 0;
  for (int member : members) {
    int64_t offset = 0, size = aligned(buffers[member].bytes);
    for (int other : placed) {
      if (!lives[other].overlaps(lives[member]))
        continue;
      if (offset + size <= buffers[other].offset)
        break;
      offset = std::max(offset,
                        buffers[other].offset + aligned(buffers[other].bytes));
    }
    buffers[member].offset = offset;
    total = std::max(total, offset + size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), member,
                                   [&](int a, int b) {
                                     return buffers[a].offset <
                                            buffers[b].offset;
                                   }),
                  member);
  }
  return total;
}

int Memory::add(plan::Region region, int64_t offset, plan::DType type,
                int64_t elements) {
  rankClass.buffers.push_back(
      {region, offset, elements * plan::byteSize(type), type});
  lives.emplace_back();
  lives.back().isOfStep = isStep;
  return rankClass.buffers.size() - 1;
}

int Memory::add(plan::Region region, plan::DType type, int64_t elements) {
  return add(region, 0, type, elements);
}

int Memory::addTensor(plan::Region region, int64_t index, plan::DType type,
                      int64_t elements) {
  return add(region, index, type, elements);
}

int Memory::addState(plan::DType type, int64_t elements) {
  int64_t &bytes = rankClass.budget.stateBytes;
  int buffer = add(plan::Region::State, bytes, type, elements);
  bytes += aligned(rankClass.buffers[buffer].bytes);
  return buffer;
}

void Memory::use(int buffer) {
  Life &life = lives[buffer];
  life.first = std::min(life.first, now);
  life.last = std::max(life.last, now);
}

void Memory::release(int buffer) {
  lives[buffer].last = std::max(lives[buffer].last, now - 1);
}

void Memory::assign() {
  std::vector<plan::Buffer> &buffers = rankClass.buffers;
  std::vector<int> loadOnly, stepOnly;
  int64_t &weights = rankClass.budget.weightBytes;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].region == plan::Region::Weights) {
      buffers[i].offset = weights;
      weights += aligned(buffers[i].bytes);
    } else if (buffers[i].region == plan::Region::Arena) {
      (lives[i].isOfStep ? stepOnly : loadOnly).push_back(i);
    }
  }
  // Loading is over when the first step begins: both use the same arena.
  int64_t load = placeByLife(buffers, loadOnly, lives);
  int64_t step = placeByLife(buffers, stepOnly, lives);
  rankClass.budget.arenaBytes = std::max(load, step);
}
