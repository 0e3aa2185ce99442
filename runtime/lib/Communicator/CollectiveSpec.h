//===- CollectiveSpec.h - checks of collectives, alone and paired -*- C++ -*-=//

#ifndef HOCKET_LIB_COMMUNICATOR_COLLECTIVESPEC_H
#define HOCKET_LIB_COMMUNICATOR_COLLECTIVESPEC_H

#include "hocket/Runtime/Communicator.h"

namespace hocket::runtime {

/// Whether `spec` makes sense by itself: tables as long as members, extents of
/// src and dst as the kind wants them.
Status checkSpec(const CollectiveSpec &spec);

/// Empty if `a` and `b`, prepared by two members, are one collective; else what
/// differs: "one reduces f32 and the other f64".
std::string difference(const CollectiveSpec &a, const CollectiveSpec &b);

/// The chunk [begin, end) of `total` elements that member `i` of `count`
/// reduces in an all_reduce.
inline int64_t chunkBegin(int64_t total, int64_t i, int64_t count) {
  return total / count * i + total % count * i / count;
}

} // namespace hocket::runtime

#endif // HOCKET_LIB_COMMUNICATOR_COLLECTIVESPEC_H
