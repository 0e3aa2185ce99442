//===- Pooling.h - maxima and means of windows -----------------*- C++ -*-===//

#ifndef HOCKET_CPU_POOLING_H
#define HOCKET_CPU_POOLING_H

#include "hocket/Cpu/Call.h"
#include <memory>

namespace hocket::runtime {

/// See plan::Pooling; `xFirst` and `yFirst` as this rank has them. An operand
/// that is not used has no shape.
struct PoolingArguments {
  plan::PoolingKind kind = plan::PoolingKind::Max;
  bool isGradient = false;
  Operand x, y, dx;
  std::vector<int64_t> taps, strides, dilations, lows, highs;
  std::vector<int64_t> extents, xFirst, yFirst;
  bool countsBorder = true;
};

std::unique_ptr<Call> makePooling(const PoolingArguments &arguments,
                                  int threads);

} // namespace hocket::runtime

#endif // HOCKET_CPU_POOLING_H
