//===- Alignment.h - what the address of a view is a multiple of -*- C++ -*-==//

#ifndef HOCKET_LIB_PLANNING_ALIGNMENT_H
#define HOCKET_LIB_PLANNING_ALIGNMENT_H

#include "hocket/Plan/Plan.h"

namespace hocket::planning {

/// The bytes that the address of a view's first element is a multiple of on all
/// ranks, 64 at most: what every buffer is.
int64_t alignmentOf(const plan::View &view, const plan::Plan &plan,
                    const plan::RankClass &rankClass);

} // namespace hocket::planning

#endif // HOCKET_LIB_PLANNING_ALIGNMENT_H
