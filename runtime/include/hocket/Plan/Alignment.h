//===- Alignment.h - what the address of a view is a multiple of -*- C++ -*-==//

#ifndef HOCKET_PLAN_ALIGNMENT_H
#define HOCKET_PLAN_ALIGNMENT_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// Bytes that every buffer begins at a multiple of.
inline constexpr int64_t bufferAlignment = 64;

/// The bytes that the address of a view's first element is a multiple of on all
/// ranks of the class: a power of two, `most` at most, which is one itself and
/// at most bufferAlignment.
int64_t alignmentOf(const View &view, const Plan &plan,
                    const RankClass &rankClass, int64_t most = bufferAlignment);

} // namespace hocket::plan

#endif // HOCKET_PLAN_ALIGNMENT_H
