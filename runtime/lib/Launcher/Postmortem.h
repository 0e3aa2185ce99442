//===- Postmortem.h - how a run ended that could not say it ----*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_POSTMORTEM_H
#define HOCKET_LIB_LAUNCHER_POSTMORTEM_H

#include "hocket/Plan/Plan.h"

namespace hocket::runtime {

/// Which ranks of the last run that saved into `folder` failed and where, from
/// the records that its processes left; then where the others were, a line for
/// each. Empty if there are none.
std::string postmortem(const std::string &folder, const plan::Plan &plan);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_POSTMORTEM_H
