//===- Boxes.h - the part of a global tensor that a rank holds -*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_BOXES_H
#define HOCKET_LIB_PLAN_BOXES_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// An interval of each factor of a tensor (of GlobalTensor::shape).
struct Box {
  std::vector<int64_t> offset, size;
};

/// The box of `tensor` that `rank` holds; the whole tensor if it is not cut.
Box boxOf(const Plan &plan, const GlobalTensor &tensor, int64_t rank);

/// True if the boxes, of one tensor and not empty, have an element in common.
bool overlap(const Box &a, const Box &b);

/// True if `rank` writes its box of the output: its coordinate on every axis
/// of replicatedOver is 0.
bool writesOutput(const Plan &plan, const GlobalTensor &tensor, int64_t rank);

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_BOXES_H
