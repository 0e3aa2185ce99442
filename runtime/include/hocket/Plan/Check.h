//===- Check.h - whether a plan can be run safely --------------*- C++ -*-===//

#ifndef HOCKET_PLAN_CHECK_H
#define HOCKET_PLAN_CHECK_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// True if an executor may run `plan` without checking an index again: all
/// indices in range, tables sized to their axes, views inside their buffers on
/// every rank, shapes that fit, each rank in one class, collectives that
/// members run with the same meaning and in an order, outputs written once.
/// Otherwise false, and `error` says where and why in one sentence: "class 0,
/// step 3 (matmul, encoder.dense): ...". The readers call it; a compiler may
/// call it on what it made.
bool check(const Plan &plan, std::string &error);

/// Whether members of each group run the same collectives, and there is an
/// order of all of them that no class goes against: else ranks would wait for
/// each other for ever. check() asks for that too.
bool checkOrder(const Plan &plan, std::string &error);

} // namespace hocket::plan

#endif // HOCKET_PLAN_CHECK_H
