//===- ShareParts.h - a shared dim as runs that the same have --*- C++ -*-===//

#ifndef HOCKET_LIB_COMMUNICATOR_SHAREPARTS_H
#define HOCKET_LIB_COMMUNICATOR_SHAREPARTS_H

#include "hocket/Runtime/Communicator.h"
#include "runtime/lib/Communicator/HaloParts.h"

namespace hocket::runtime {

/// Positions of the dim, which members have parts of that may overlap. Sizes
/// may be 0.
int64_t extentOf(const Share &share);

/// Whether each position below the extent is in the part of some member.
bool isCovered(const Share &share);

/// In runs that the same members have, a term each in their order; what none
/// has is left out.
std::vector<HaloPart> partsOfShare(const Share &share);

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_SHAREPARTS_H
