//===- SameProgram.h - whether all processes run one program ---*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_SAMEPROGRAM_H
#define HOCKET_LIB_LAUNCHER_SAMEPROGRAM_H

#include "Options.h"
#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Processes.h"

namespace hocket::runtime {

/// An error unless all processes have the same executable, and in it the same
/// block layouts, the same command line, sizes of weights and library: else
/// their ranks would not compute one result.
Status checkSameProgram(const LauncherOptions &options,
                        const std::vector<std::string> &arguments,
                        const plan::Plan &plan, Processes &processes);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_SAMEPROGRAM_H
