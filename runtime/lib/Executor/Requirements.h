//===- Requirements.h - what a plan wants of a tensor source ---*- C++ -*-===//

#ifndef HOCKET_LIB_EXECUTOR_REQUIREMENTS_H
#define HOCKET_LIB_EXECUTOR_REQUIREMENTS_H

#include "hocket/Runtime/Tensors.h"

namespace hocket::runtime {

/// Whether `source` describes all of `tensors` with their dims and readable
/// dtypes; if not, one message names every one that does not fit.
Status checkTensors(const std::vector<plan::GlobalTensor> &tensors,
                    const TensorSource &source);

} // namespace hocket::runtime

#endif // HOCKET_LIB_EXECUTOR_REQUIREMENTS_H
