//===- Check.h - whether a plan can be run safely --------------*- C++ -*-===//

#ifndef HOCKET_PLAN_CHECK_H
#define HOCKET_PLAN_CHECK_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// True if an executor may run `plan` without checking an index again: all
/// indices in range, tables sized to their axes, views inside their buffers on
/// every rank, shapes that fit, each rank in one class, collectives that all
/// classes run in the same order and with the same meaning, outputs written
/// once. Otherwise false, and `error` says where and why in one sentence:
/// "class 0, step 3 (matmul, encoder.dense): ...". The readers call it; a
/// compiler may call it on what it made.
bool check(const Plan &plan, std::string &error);

} // namespace hocket::plan

#endif // HOCKET_PLAN_CHECK_H
