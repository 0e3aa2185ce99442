//===- Allocations.cpp - memory of devices and pinned memory --------------===//

#include "test/Gpu/Driver/Allocations.h"
#include <cstdio>

using namespace hocket::lookalike;

/// Allocations of a device take multiples of this.
static constexpr uint64_t granule = 512;

static uint64_t rounded(uint64_t bytes) {
  return (bytes + granule - 1) / granule * granule;
}

Block *Allocations::add(int device, uint64_t bytes, const std::string &name) {
  uint64_t base = memory.allocate(bytes, name);
  auto block = std::make_unique<Block>();
  block->allocation = memory.near(base);
  block->device = device;
  // A NaN in each type of floats, and a large index.
  std::memset(block->host(), 0xff, bytes);
  return blocks.emplace(base, std::move(block)).first->second.get();
}

Block *Allocations::allocate(int device, uint64_t bytes) {
  if (bytes > limit || used(device) + rounded(bytes) > limit)
    return nullptr;
  usedBy[device] += rounded(bytes);
  most = std::max(most, usedBy[device]);
  return add(device, bytes, "allocation " + std::to_string(++made));
}

/// What the host writes is not seen, so all bytes are taken to have values.
Block *Allocations::allocatePinned(uint64_t bytes) {
  Block *block =
      add(hostDevice, bytes, "pinned allocation " + std::to_string(++made));
  block->allocation->region.define(0, bytes);
  pinnedBlocks[block->host()] = block;
  return block;
}

uint64_t Allocations::keep(int device, const std::string &name) {
  Block *block = add(device, 1, name);
  block->isKept = true;
  return block->base();
}

void Allocations::release(Block *block) {
  if (block->device == hostDevice)
    pinnedBlocks.erase(block->host());
  else
    usedBy[block->device] -= rounded(block->size());
  uint64_t base = block->base();
  memory.release(base);
  blocks.erase(base);
}

Block *Allocations::begin(uint64_t address) const {
  auto found = blocks.find(address);
  return found == blocks.end() ? nullptr : found->second.get();
}

Block *Allocations::beginPinned(const void *place) const {
  auto found = pinnedBlocks.find(static_cast<const std::byte *>(place));
  return found == pinnedBlocks.end() ? nullptr : found->second;
}

static std::string named(const std::string &name, int64_t at) {
  std::string text = "'" + name + "'";
  if (at)
    text += (at < 0 ? " - " : " + ") + std::to_string(at < 0 ? -at : at);
  return text;
}

Span Allocations::span(uint64_t address, uint64_t bytes,
                       const std::string &verb) {
  Span span{nullptr, 0, bytes, ""};
  std::string what = verb + " " + std::to_string(bytes) + " bytes at ";
  ptx::Allocation *near = memory.near(address);
  if (!near) {
    char number[32];
    std::snprintf(number, sizeof number, "0x%llx",
                  static_cast<unsigned long long>(address));
    span.wrong = what + "address " + number + ", where nothing is allocated";
    return span;
  }
  int64_t at = address - near->base;
  if (near->isReleased)
    span.wrong = what + named(near->name, at) + ", which is released";
  else if (at < 0 || at + bytes > near->region.size())
    span.wrong = what + named(near->name, at) + ", which has " +
                 std::to_string(near->region.size()) + " bytes";
  else if (!(span.block = begin(near->base)))
    span.wrong = what + named(near->name, at) +
                 ", a variable of a library, which no copy may touch";
  span.at = at;
  return span;
}

Span Allocations::pinned(const void *place, uint64_t bytes,
                         const std::string &verb) {
  auto *begin = static_cast<const std::byte *>(place);
  Span span{nullptr, 0, bytes, ""};
  auto after = pinnedBlocks.upper_bound(begin);
  if (after != pinnedBlocks.end() && begin + bytes > after->first)
    span.wrong = verb + " " + std::to_string(bytes) +
                 " bytes of the host that end within '" +
                 after->second->allocation->name + "'";
  if (after == pinnedBlocks.begin() || !span.wrong.empty())
    return span;
  Block *block = std::prev(after)->second;
  uint64_t at = begin - block->host();
  if (at >= block->size())
    return span;
  if (at + bytes > block->size())
    span.wrong = verb + " " + std::to_string(bytes) + " bytes at " +
                 named(block->allocation->name, at) + ", which has " +
                 std::to_string(block->size()) + " bytes";
  else
    span.block = block;
  span.at = at;
  return span;
}

uint64_t Allocations::used(int device) const {
  auto found = usedBy.find(device);
  return found == usedBy.end() ? 0 : found->second;
}

std::vector<const Block *> Allocations::left() const {
  std::vector<const Block *> left;
  for (const auto &[base, block] : blocks)
    if (!block->isKept)
      left.push_back(block.get());
  return left;
}
