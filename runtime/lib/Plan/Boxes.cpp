//===- Boxes.cpp - the part of a global tensor that a rank holds ----------===//

#include "Boxes.h"

namespace hocket::plan {

Box boxOf(const Plan &plan, const GlobalTensor &tensor, int64_t rank) {
  Box box{std::vector<int64_t>(tensor.shape.size(), 0), tensor.shape};
  for (const Cut &cut : tensor.cuts) {
    const Table &offset = plan.tables[cut.offset];
    int64_t at = plan.coordinate(rank, offset.axes);
    box.offset[cut.dim] = offset.values[at];
    box.size[cut.dim] = plan.tables[cut.size].values[at];
  }
  return box;
}

bool overlap(const Box &a, const Box &b) {
  for (size_t i = 0; i < a.offset.size(); ++i)
    if (a.offset[i] >= b.offset[i] + b.size[i] ||
        b.offset[i] >= a.offset[i] + a.size[i])
      return false;
  return true;
}

bool writesOutput(const Plan &plan, const GlobalTensor &tensor, int64_t rank) {
  for (int axis : tensor.replicatedOver)
    if (plan.coordinate(rank, {axis}) != 0)
      return false;
  return true;
}

} // namespace hocket::plan
