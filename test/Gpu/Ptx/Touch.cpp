//===- Touch.cpp - an access of a thread, checked -------------------------===//

#include "test/Gpu/Ptx/Touch.h"
#include <cstdio>

using namespace hocket::ptx;

Space hocket::ptx::resolve(Space space, uint64_t &address) {
  if (space != Space::Generic)
    return space;
  uint64_t window = address & windowMask;
  if (window == sharedWindow || window == localWindow ||
      window == parameterWindow)
    address &= ~windowMask;
  return window == sharedWindow      ? Space::Shared
         : window == localWindow     ? Space::Local
         : window == parameterWindow ? Space::Param
                                     : Space::Global;
}

Addresses hocket::ptx::addressesOf(Warp &warp, const Step &step, Slot slot) {
  Addresses addresses;
  if (step.wide) {
    const uint64_t *base = warp.lanes<uint64_t>(slot);
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      addresses.of[lane] = base[lane] + step.offset;
  } else {
    const uint32_t *base = warp.lanes<uint32_t>(slot);
    for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
      addresses.of[lane] = static_cast<uint32_t>(base[lane] + step.offset);
  }
  return addresses;
}

static std::string did(bool writes, unsigned bytes) {
  return std::string(writes ? "writes " : "reads ") + std::to_string(bytes) +
         " bytes at ";
}

static std::string named(const std::string &name, int64_t offset) {
  std::string text = "'" + name + "'";
  if (offset)
    text += (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset));
  return text;
}

/// The variable that a byte of the block's memory belongs to.
static std::string variableAt(const std::vector<Placed> &variables, uint64_t at,
                              const char *space) {
  const Placed *best = nullptr;
  for (const Placed &placed : variables)
    if (placed.offset <= at)
      best = &placed;
  return best ? named(best->name, at - best->offset)
              : std::to_string(at) + " of " + space + " memory";
}

std::string Toucher::text(const Place &place, unsigned bytes,
                          bool writes) const {
  const Kernel &kernel = warp.machine.kernel;
  switch (place.space) {
  case Space::Shared:
    return did(writes, bytes) + variableAt(kernel.shared, place.at, "shared");
  case Space::Local:
    return did(writes, bytes) +
           variableAt(kernel.local, place.at % kernel.localBytes, "local");
  case Space::Param:
    return did(writes, bytes) + std::to_string(place.at) + " of the parameters";
  default:
    return did(writes, bytes) + named(place.allocation->name, place.at);
  }
}

Place Toucher::inGlobal(unsigned lane, uint64_t address, unsigned bytes,
                        bool writes) {
  Allocation *&last = warp.machine.lastTouched[step.index];
  if (!last || last->isReleased || address < last->base ||
      address - last->base + bytes > last->region.size())
    last = warp.machine.memory.near(address);
  if (!last) {
    char number[32];
    std::snprintf(number, sizeof number, "0x%llx",
                  static_cast<unsigned long long>(address));
    warp.find(FindingKind::OutOfBounds, step, lane,
              did(writes, bytes) + "address " + number +
                  ", where nothing is allocated");
    return {};
  }
  int64_t at = address - last->base;
  const std::string &name = last->name;
  uint64_t size = last->region.size();
  if (last->isReleased) {
    warp.find(FindingKind::AfterRelease, step, lane,
              did(writes, bytes) + named(name, at) + ", which is released");
  } else if (at < 0 || static_cast<uint64_t>(at) + bytes > size) {
    warp.find(FindingKind::OutOfBounds, step, lane,
              did(writes, bytes) + named(name, at) + ", which has " +
                  std::to_string(size) + " bytes");
  } else if (writes && last->isConstant) {
    warp.find(FindingKind::WriteToConstant, step, lane,
              did(writes, bytes) + named(name, at) + ", which is constant");
  } else {
    return {&last->region, last, Space::Global, static_cast<uint64_t>(at)};
  }
  return {};
}

Place Toucher::inBlock(unsigned lane, Space space, uint64_t at, unsigned bytes,
                       bool writes) {
  Block &block = warp.block;
  const Kernel &kernel = warp.machine.kernel;
  bool shared = space == Space::Shared, local = space == Space::Local;
  Region &region = shared  ? block.shared
                   : local ? block.local
                           : warp.machine.parameters;
  uint64_t size = local ? kernel.localBytes : region.size();
  const char *name = shared  ? "shared memory"
                     : local ? "a thread's local memory"
                             : "the parameters";
  if (at + bytes > size || at + bytes < at) {
    warp.find(FindingKind::OutOfBounds, step, lane,
              did(writes, bytes) + std::to_string(at) + " of " + name +
                  ", which has " + std::to_string(size) + " bytes");
    return {};
  }
  uint64_t begin = local ? warp.thread(lane) * kernel.localBytes : 0;
  return {&region, nullptr, space, begin + at};
}

Place Toucher::place(unsigned lane, Space space, uint64_t address,
                     unsigned bytes, bool writes, unsigned align) {
  align = align ? align : bytes;
  uint64_t at = address;
  space = resolve(space, at);
  bool global = space == Space::Global || space == Space::Const;
  // One variable is returned on all ways, so that it is never copied: a copy
  // would wait for its parts to be stored, on each access.
  Place found = global ? inGlobal(lane, address, bytes, writes)
                       : inBlock(lane, space, at, bytes, writes);
  if (found.region && address & (align - 1)) {
    warp.find(FindingKind::Misaligned, step, lane,
              text(found, bytes, writes) +
                  ", whose address is no multiple of " + std::to_string(align));
    found.region = nullptr;
  }
  return found;
}

static bool isChecked(const Place &place) {
  return place.space == Space::Global || place.space == Space::Shared;
}

void Toucher::record(const Place &place, unsigned bytes, bool reads,
                     bool writes) {
  if (place.allocation)
    warp.machine.touches.add(step.index, place.allocation, place.at, bytes,
                             reads, writes);
}

const std::byte *Toucher::read(unsigned lane, Space space, uint64_t address,
                               unsigned bytes, unsigned align) {
  Place found = place(lane, space, address, bytes, false, align);
  if (!found.region)
    return nullptr;
  record(found, bytes, true, false);
  Race race;
  if (isChecked(found))
    race = found.region->shadow.read(found.at, bytes, warp.accessor(step, lane),
                                     readOnly);
  if (race.conflict != Conflict::None)
    tell(lane, race, found, bytes, false);
  else if (!found.region->isDefined(found.at, bytes))
    warp.find(FindingKind::UndefinedMemory, step, lane,
              text(found, bytes, false) + ", where some have no value");
  return found.bytes();
}

void Toucher::write(unsigned lane, Space space, uint64_t address,
                    unsigned bytes, const void *data) {
  Place found = place(lane, space, address, bytes, true);
  if (!found.region)
    return;
  record(found, bytes, false, true);
  Race race;
  if (isChecked(found))
    race = found.region->shadow.write(found.at, bytes,
                                      warp.accessor(step, lane), false);
  // Whoever writes the same value last makes no difference.
  bool same = race.conflict == Conflict::WriteAfterWrite &&
              std::memcmp(found.bytes(), data, bytes) == 0;
  if (race.conflict != Conflict::None && !same)
    tell(lane, race, found, bytes, true);
  std::memcpy(found.bytes(), data, bytes);
  found.region->define(found.at, bytes);
}

void Toucher::update(unsigned lane, const Place &place, unsigned bytes) {
  record(place, bytes, true, true);
  Race race;
  if (isChecked(place))
    race = place.region->shadow.write(place.at, bytes,
                                      warp.accessor(step, lane), true);
  if (race.conflict != Conflict::None)
    tell(lane, race, place, bytes, true);
  else if (!place.region->isDefined(place.at, bytes))
    warp.find(FindingKind::UndefinedMemory, step, lane,
              text(place, bytes, false) + ", where some have no value");
}

void Toucher::tell(unsigned lane, const Race &race, const Place &place,
                   unsigned bytes, bool writes) {
  Machine &machine = warp.machine;
  std::string line =
      std::to_string(machine.statement(machine.kernel.steps[race.step]).line);
  std::string who = race.otherBlock ? std::string("another block")
                                    : warp.block.nameOf(race.thread);
  std::string what;
  FindingKind kind = FindingKind::Race;
  if (race.conflict == Conflict::Copying) {
    kind = FindingKind::PendingCopy;
    what =
        ", which cp.async of " + who + " at line " + line + " may still write";
  } else if (race.conflict == Conflict::ReadOnly) {
    what = std::string(", which ") + who +
           (writes ? " reads through ld.global.nc" : " writes") + " at line " +
           line + " in the same launch";
  } else {
    what = ", which " + who +
           (race.conflict == Conflict::WriteAfterRead ? " reads" : " writes") +
           " at line " + line +
           (race.otherBlock ? "" : " with no barrier between");
  }
  warp.find(kind, step, lane, text(place, bytes, writes) + what);
}
