//===- AsyncCopy.cpp - cp.async and the waits for it ----------------------===//
//
// The bytes are read at once and written when they are waited for, the latest
// moment that is allowed. Between the two they belong to the copy: whoever
// touches them is found.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Ptx/Lanes.h"
#include "test/Gpu/Ptx/Touch.h"

using namespace hocket::ptx;

namespace {

/// What is copied of width bytes; the others are zeros. option: 0 all, 1 as
/// many as the third source says, 2 none where the third source holds.
uint32_t given(Warp &warp, const Step &step, unsigned lane) {
  if (step.option == 1)
    return std::min<uint32_t>(warp.lanes<uint32_t>(step.operands[2])[lane],
                              step.width);
  if (step.option == 2 && warp.reg(step.operands[2]).bits >> lane & 1)
    return 0;
  return step.width;
}

/// step.offset is the source's; target holds the destination's.
Addresses destinations(Warp &warp, const Step &step) {
  Step other = step;
  other.offset = static_cast<int32_t>(step.target);
  other.wide = step.flag;
  return addressesOf(warp, other, step.operands[0]);
}

void copy(Warp &warp, const Step &step, uint32_t active) {
  Addresses to = destinations(warp, step);
  Addresses from = addressesOf(warp, step, step.operands[1]);
  if (warp.copies.empty())
    warp.copies.resize(lanesOfWarp);
  Toucher toucher(warp, step);
  uint32_t readers = 0;
  eachLane(active, [&](unsigned lane) {
    PendingCopy pending{0, step.width, {}};
    uint32_t bytes = given(warp, step, lane);
    if (bytes) {
      readers |= 1u << lane;
      const std::byte *data =
          toucher.read(lane, Space::Global, from.of[lane], bytes, step.width);
      if (data)
        std::memcpy(pending.data, data, bytes);
    }
    Place place =
        toucher.place(lane, Space::Shared, to.of[lane], step.width, true);
    if (!place.region)
      return;
    Race race = place.region->shadow.begin(place.at, step.width,
                                           warp.accessor(step, lane));
    if (race.conflict != Conflict::None)
      toucher.tell(lane, race, place, step.width, true);
    place.region->define(place.at, step.width, false);
    pending.at = place.at;
    warp.copies[lane].open.push_back(pending);
  });
  if (readers)
    countAccess(warp, step, from, readers, step.width, false);
  countShared(warp.machine.sites[step.index], to, active, step.width);
}

void commit(Warp &warp, const Step &step, uint32_t active) {
  if (warp.copies.empty())
    warp.copies.resize(lanesOfWarp);
  eachLane(active, [&](unsigned lane) {
    warp.copies[lane].groups.push_back(std::move(warp.copies[lane].open));
    warp.copies[lane].open.clear();
  });
}

void finish(Warp &warp, const Step &step, unsigned lane,
            const std::vector<PendingCopy> &group) {
  Region &shared = warp.block.shared;
  for (const PendingCopy &pending : group) {
    std::memcpy(&shared.bytes[pending.at], pending.data, pending.bytes);
    shared.define(pending.at, pending.bytes);
    shared.shadow.finish(pending.at, pending.bytes, warp.accessor(step, lane));
  }
}

/// target: groups that need not be over.
void wait(Warp &warp, const Step &step, uint32_t active) {
  if (warp.copies.empty())
    return;
  eachLane(active, [&](unsigned lane) {
    auto &groups = warp.copies[lane].groups;
    for (; groups.size() > step.target; groups.pop_front())
      finish(warp, step, lane, groups.front());
  });
}

void waitForAll(Warp &warp, const Step &step, uint32_t active) {
  commit(warp, step, active);
  wait(warp, step, active);
}

void decodeCopy(Decoder &decoder) {
  Step &step = decoder.step;
  for (const char *hint : {"L2::64B", "L2::128B", "L2::256B"})
    decoder.take(hint);
  bool cg = decoder.takeOne({"ca", "cg"}) == 1;
  decoder.takeOne({"shared", "shared::cta"});
  decoder.takeOne({"global"});
  step.run = copy;
  step.width = decoder.number(decoder.operand(2));
  if (step.width != 16 && (cg || (step.width != 4 && step.width != 8)))
    decoder.refuse(cg ? "cp.async.cg copies 16 bytes"
                      : "cp.async.ca copies 4, 8 or 16 bytes");
  decoder.fromAddress(decoder.operand(0));
  step.target = static_cast<int32_t>(step.offset);
  step.flag = step.wide;
  decoder.fromAddress(decoder.operand(1));
  if (decoder.operands() < 4)
    return;
  bool isPredicate = decoder.bytesOfRegister(decoder.operand(3)) == 0;
  step.option = isPredicate ? 2 : 1;
  decoder.from(decoder.operand(3), isPredicate ? 0 : 4);
}

void decode(Decoder &decoder) {
  decoder.takeOne({"async"});
  Step &step = decoder.step;
  step.kind = Class::AsyncCopy;
  if (decoder.take("commit_group")) {
    step.run = commit;
  } else if (decoder.take("wait_all")) {
    step.run = waitForAll;
  } else if (decoder.take("wait_group")) {
    step.run = wait;
    step.target = decoder.number(decoder.operand(0));
  } else {
    decodeCopy(decoder);
  }
}

} // namespace

void hocket::ptx::addAsyncCopies(Opcodes &opcodes) { opcodes["cp"] = decode; }
