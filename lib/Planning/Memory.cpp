//===- Memory.cpp - the buffers of one rank class -------------------------===//

#include "Memory.h"
#include "hocket/Plan/Workspace.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <climits>

using namespace hocket;
using namespace hocket::planning;

int64_t Memory::aligned(int64_t bytes) {
  return llvm::alignTo(bytes, plan::bufferAlignment);
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

int Memory::addWorkspace(int64_t bytes) {
  int buffer = add(plan::Region::Arena, plan::DType::Bool, bytes);
  lives[buffer].alignment = plan::workspaceAlignment;
  use(buffer);
  return buffer;
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

void Memory::assignWeights() {
  int64_t &weights = rankClass.budget.weightBytes;
  for (plan::Buffer &buffer : rankClass.buffers)
    if (buffer.region == plan::Region::Weights) {
      buffer.offset = weights;
      weights += aligned(buffer.bytes);
    }
}
