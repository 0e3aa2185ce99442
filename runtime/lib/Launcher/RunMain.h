//===- RunMain.h - a program that takes inputs and gives outputs -*- C++ -*-=//

#ifndef HOCKET_LIB_LAUNCHER_RUNMAIN_H
#define HOCKET_LIB_LAUNCHER_RUNMAIN_H

#include "Options.h"
#include "hocket/Launcher/Pack.h"

namespace hocket::runtime {

/// What is wrong with the options for this plan, or nothing.
std::string runFault(const LauncherOptions &options, const plan::Plan &plan);

Status runOnce(const LauncherOptions &options, const plan::Plan &plan,
               const uint8_t *kernels, size_t kernelsSize, DeviceOpener open,
               Processes &processes);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_RUNMAIN_H
