//===- WindowCount.cpp - where windows of collectives begin, by class -----===//

#include "hocket/Plan/Summary.h"
#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace hocket::plan {

/// Byte of the arena, where it is the same on all ranks of the class.
static int64_t beginOf(const RankClass &rankClass, const View &view) {
  const Buffer &buffer = rankClass.buffers[view.buffer];
  return buffer.offset + view.offset * byteSize(buffer.type);
}

WindowCount countWindows(const Plan &plan) {
  // Whether of load, id, tensor, whether dst.
  std::map<std::array<int64_t, 4>, std::vector<int64_t>> begins;
  for (const RankClass &rankClass : plan.classes)
    for (bool isLoad : {true, false})
      for (const Instruction &instruction :
           isLoad ? rankClass.load : rankClass.step) {
        auto *one = std::get_if<Collective>(&instruction.body);
        for (size_t i = 0; one && one->moves() && i < one->pairs.size(); ++i)
          for (bool isDst : {false, true}) {
            const View &view = isDst ? one->pairs[i].dst : one->pairs[i].src;
            bool isEmpty = std::count(view.shape.begin(), view.shape.end(), 0);
            if (!isEmpty &&
                rankClass.buffers[view.buffer].region == Region::Arena)
              begins[{isLoad, one->id, int64_t(i), isDst}].push_back(
                  beginOf(rankClass, view));
          }
      }
  WindowCount count;
  for (const auto &[window, places] : begins) {
    count.all += places.size() > 1;
    count.elsewhere += std::set(places.begin(), places.end()).size() > 1;
  }
  return count;
}

} // namespace hocket::plan
