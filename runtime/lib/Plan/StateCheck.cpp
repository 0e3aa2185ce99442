//===- StateCheck.cpp - what lives from step to step ----------------------===//

#include "Boxes.h"
#include "Checker.h"
#include "PlanFields.h"
#include <algorithm>
#include <cmath>

namespace hocket::plan {

/// Every state has a buffer of its own, as large as the rank's box of it.
bool Checker::checkStates() {
  if (current->states.size() != plan.states.size())
    return fail("has buffers for " + std::to_string(current->states.size()) +
                " states, there are " + std::to_string(plan.states.size()));
  std::vector<std::pair<int64_t, int64_t>> taken; // [begin, end) bytes
  for (size_t i = 0; i < plan.states.size(); ++i) {
    const GlobalTensor &tensor = plan.states[i];
    int number = current->states[i];
    if (number < 0 || size_t(number) >= current->buffers.size())
      return fail("buffer " + std::to_string(number) + " of the state '" +
                  tensor.name + "' does not exist");
    const Buffer &buffer = current->buffers[number];
    if (buffer.region != Region::State || buffer.type != tensor.type)
      return fail("the buffer of the state '" + tensor.name + "' is " +
                  toString(buffer.type) + " in " +
                  words(Region())[size_t(buffer.region)] + ", expected " +
                  toString(tensor.type) + " in state");
    for (int64_t rank : ranksAlong(axesOf(tensor))) {
      int64_t bytes =
          elementCount(boxOf(plan, tensor, rank).size) * byteSize(buffer.type);
      if (bytes != buffer.bytes)
        return fail("the buffer of the state '" + tensor.name + "' has " +
                    std::to_string(buffer.bytes) + " bytes, rank " +
                    std::to_string(rank) + " has " + std::to_string(bytes) +
                    " of it");
    }
    if (buffer.bytes > 0)
      taken.push_back({buffer.offset, buffer.offset + buffer.bytes});
  }
  std::sort(taken.begin(), taken.end());
  for (size_t i = 1; i < taken.size(); ++i)
    if (taken[i].first < taken[i - 1].second)
      return fail("two states lie at byte " + std::to_string(taken[i].first) +
                  " of the state bytes");
  return true;
}

bool Checker::checkInits(const std::vector<GlobalTensor> &tensors) {
  for (const GlobalTensor &tensor : tensors)
    if (!std::isfinite(tensor.init.value) ||
        (tensor.init.kind == InitKind::Normal && tensor.init.value < 0))
      return fail("parameter '" + tensor.name +
                  "' begins with a number that cannot be");
  return true;
}

} // namespace hocket::plan
