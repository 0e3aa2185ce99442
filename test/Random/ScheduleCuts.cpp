//===- ScheduleCuts.cpp - parts that are not even, and what crosses them --===//

#include "ScheduleText.h"
#include <algorithm>

using namespace hocket;
using namespace hocket::random;

static std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "(" : ", ") + std::to_string(value);
  return text + ")";
}

std::string ScheduleMaker::orderOf() {
  return rng.chance(0.5)   ? " zigzag"
         : rng.chance(0.4) ? " striped"
                           : " striped " + std::to_string(rng.between(1, 4));
}

/// What one line says mostly fits what another says of a dim of that size.
std::string ScheduleMaker::cutOf(int64_t size,
                                 const std::vector<std::string> &over) {
  int64_t ranks = 1;
  std::string key = std::to_string(size);
  for (const std::string &axis : over) {
    ranks *= sizeOf(axis);
    key += " " + axis;
  }
  auto [known, isNew] = cuts.try_emplace(key);
  if (!isNew && rng.chance(0.8))
    return known->second;
  if (ranks == 1 || rng.chance(0.6))
    return known->second = "";
  if (over.size() == 1 && rng.chance(0.3))
    return known->second = orderOf();
  std::vector<int64_t> values;
  switch (rng.below(3)) {
  case 0:
    return known->second = " aligned " + std::to_string(rng.between(1, 5));
  case 1:
    for (int64_t i = 0; i < ranks; ++i)
      values.push_back(rng.between(0, 3));
    values[rng.below(values.size())] += 1;
    return known->second = " weights " + list(values);
  default:
    break;
  }
  std::vector<int64_t> ends = {size};
  for (int64_t i = 1; i < ranks; ++i)
    ends.push_back(rng.between(0, size));
  std::sort(ends.begin(), ends.end());
  for (size_t i = 0; i < ends.size(); ++i)
    values.push_back(ends[i] - (i ? ends[i - 1] : 0));
  return known->second = " sizes " + list(values);
}
