//===- Memory.cpp - the device's memory, each byte of it checked ----------===//

#include "test/Gpu/Ptx/Memory.h"
#include "test/Gpu/Ptx/Syntax.h"

using namespace hocket::ptx;

/// Between the end of one allocation and the next.
static constexpr uint64_t gap = uint64_t(1) << 33;

uint64_t Memory::allocate(uint64_t size, const std::string &name) {
  auto made = std::make_unique<Allocation>();
  made->base = next;
  made->name = name;
  made->region = Region(size);
  uint64_t base = next;
  next = (next + size + gap + 255) / 256 * 256;
  allocations.emplace(base, std::move(made));
  return base;
}

uint64_t Memory::allocateZeros(uint64_t size, const std::string &name) {
  uint64_t base = allocate(size, name);
  allocations.at(base)->region.holdsZeros = true;
  return base;
}

void Memory::release(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end() || found->second->isReleased)
    throw PtxError("no allocation begins at the address that is released");
  found->second->isReleased = true;
  found->second->region = Region();
}

Allocation *Memory::near(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after != allocations.begin()) {
    Allocation &before = *std::prev(after)->second;
    if (address - before.base < before.region.size() + gap / 2)
      return &before;
  }
  if (after != allocations.end() && after->first - address < gap / 2)
    return after->second.get();
  return nullptr;
}

static Allocation &whole(Memory &memory, uint64_t address, uint64_t size) {
  Allocation *found = memory.near(address);
  if (!found || found->isReleased || address < found->base ||
      address - found->base + size > found->region.size())
    throw PtxError("a copy of " + std::to_string(size) +
                   " bytes is not within one allocation");
  return *found;
}

void Memory::write(uint64_t address, const void *data, uint64_t size) {
  if (!size)
    return;
  Allocation &found = whole(*this, address, size);
  std::memcpy(&found.region.bytes[address - found.base], data, size);
  found.region.define(address - found.base, size);
}

void Memory::read(uint64_t address, void *data, uint64_t size) const {
  if (!size)
    return;
  Allocation &found = whole(const_cast<Memory &>(*this), address, size);
  std::memcpy(data, &found.region.bytes[address - found.base], size);
}

uint32_t Memory::takeBlocks(uint32_t count) {
  uint32_t first = nextBlock;
  nextBlock += count;
  return first;
}
