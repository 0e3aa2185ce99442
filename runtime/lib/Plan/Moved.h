//===- Moved.h - sizes of what collectives move ----------------*- C++ -*-===//

#ifndef HOCKET_LIB_PLAN_MOVED_H
#define HOCKET_LIB_PLAN_MOVED_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// Elements of a box of `shape`, without dim `skip`.
int64_t elementsBut(const std::vector<int64_t> &shape, int skip);

/// Of an all_reduce: a reduce_scatter of chunks, then an all_gather of them.
int64_t chunkOf(int64_t total, int64_t member, int64_t members);

} // namespace hocket::plan

#endif // HOCKET_LIB_PLAN_MOVED_H
