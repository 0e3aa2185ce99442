//===- Layouts.h - the block layouts of a program --------------*- C++ -*-===//

#ifndef HOCKET_PLAN_LAYOUTS_H
#define HOCKET_PLAN_LAYOUTS_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

/// 16 hexadecimal digits, of the key blocks that every row of every head of
/// every attention visits, or "none". It is of the model: every schedule of it
/// has the same. Two programs of which one draws other random blocks, or is of
/// another length, differ.
std::string layoutsDigest(const Plan &plan);

} // namespace hocket::plan

#endif // HOCKET_PLAN_LAYOUTS_H
