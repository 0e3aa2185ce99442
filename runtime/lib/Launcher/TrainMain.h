//===- TrainMain.h - a program that trains ----------------------*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_TRAINMAIN_H
#define HOCKET_LIB_LAUNCHER_TRAINMAIN_H

#include "Options.h"
#include "hocket/Launcher/Pack.h"
#include "hocket/Training/Train.h"

namespace hocket::runtime {

/// What is wrong with the options for this plan, or nothing.
std::string trainingFault(const LauncherOptions &options,
                          const plan::Plan &plan);

/// The exit status of a run that a signal has ended, after it had saved.
constexpr int savedAndEnded = 4;

/// `exitStatus` is that of a success.
Status runTraining(const LauncherOptions &options, const plan::Plan &plan,
                   const uint8_t *kernels, size_t kernelsSize,
                   DeviceOpener open, Processes &processes, int &exitStatus);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_TRAINMAIN_H
