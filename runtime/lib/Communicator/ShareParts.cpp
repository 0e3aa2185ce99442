//===- ShareParts.cpp - a shared dim as runs that the same members have ---===//

#include "runtime/lib/Communicator/ShareParts.h"
#include <algorithm>
#include <set>

namespace hocket::runtime {

int64_t extentOf(const Share &share) {
  int64_t extent = 0;
  for (size_t i = 0; i < share.size.size(); ++i)
    if (share.size[i] > 0)
      extent = std::max(extent, share.offset[i] + share.size[i]);
  return extent;
}

bool isCovered(const Share &share) {
  int64_t count = 0;
  for (const HaloPart &part : partsOfShare(share))
    count += part.count;
  return count == extentOf(share);
}

std::vector<HaloPart> partsOfShare(const Share &share) {
  std::set<int64_t> bounds;
  for (size_t i = 0; i < share.size.size(); ++i)
    if (share.size[i] > 0)
      bounds.insert({share.offset[i], share.offset[i] + share.size[i]});
  std::vector<HaloPart> parts;
  for (auto bound = bounds.begin(); bound != bounds.end(); ++bound) {
    auto next = std::next(bound);
    if (next == bounds.end())
      break;
    HaloPart part{*bound, *next - *bound, {}};
    for (size_t i = 0; i < share.size.size(); ++i)
      if (share.offset[i] <= part.at &&
          part.at < share.offset[i] + share.size[i])
        part.terms.push_back({int64_t(i), part.at - share.offset[i], 1});
    if (!part.terms.empty())
      parts.push_back(part);
  }
  return parts;
}

} // namespace hocket::runtime
