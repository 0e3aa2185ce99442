//===- HaloCase.h - dims that are cut, and margins, at random --*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_HALOCASE_H
#define HOCKET_TEST_RUNTIME_HALOCASE_H

#include "test/Runtime/CollectiveCase.h"
#include <random>

namespace hocket::test {

/// A dim that is cut, and the shape around it.
struct HaloCase {
  plan::Halo halo;
  std::vector<int64_t> shape = {3, 0, 2};
  int dim = 1;
  plan::DType type = plan::DType::F64;
  Layout layout = Layout::Dense;

  std::vector<int64_t> shapeWith(int64_t rows) const {
    std::vector<int64_t> result = shape;
    result[dim] = rows;
    return result;
  }
  std::vector<int64_t> owned(int64_t member) const {
    return shapeWith(halo.size[member]);
  }
  std::vector<int64_t> held(int64_t member) const {
    return shapeWith(halo.heldSize[member]);
  }
};

/// Shares and margins at random: uneven, empty, over several members, smaller
/// than what is owned.
inline plan::Halo randomHalo(std::mt19937 &random, int64_t members,
                             plan::Border border) {
  auto below = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random);
  };
  plan::Halo halo;
  halo.border = border;
  for (int64_t i = 0; i < members; ++i) {
    halo.offset.push_back(halo.extent);
    halo.size.push_back(below(3) ? below(6) : 0);
    halo.extent += halo.size.back();
  }
  int64_t reach = plan::reachOf(border, halo.extent);
  if (reach < 0)
    reach = 3;
  for (int64_t i = 0; i < members; ++i) {
    int64_t near = std::min<int64_t>(below(2) ? 2 : reach, reach);
    int64_t begin = halo.offset[i] - 3 + below(7);
    begin = std::max(begin, -near);
    int64_t end = begin + below(halo.size[i] + 8);
    end = std::min(end, halo.extent + near);
    halo.heldOffset.push_back(begin);
    halo.heldSize.push_back(std::max<int64_t>(end - begin, 0));
  }
  return halo;
}

/// Shares at random, and what edges of a graph may name: any rows of others.
inline plan::Halo randomRows(std::mt19937 &random, int64_t members) {
  plan::Halo halo = randomHalo(random, members, plan::Border::Zero);
  for (int64_t i = 0; i < members; ++i) {
    int64_t begin = halo.offset[i], end = begin + halo.size[i], before = 0;
    halo.rows.emplace_back();
    for (int64_t row = 0; row < halo.extent; ++row) {
      bool isOwn = row >= begin && row < end;
      if (!isOwn && random() % 3 != 0)
        continue;
      halo.rows.back().push_back(row);
      before += row < begin;
    }
    halo.heldOffset[i] = begin - before;
    halo.heldSize[i] = halo.rows.back().size();
  }
  return halo;
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_HALOCASE_H
