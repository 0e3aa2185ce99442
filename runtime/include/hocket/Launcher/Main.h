//===- Main.h - the command line of a compiled program ---------*- C++ -*-===//

#ifndef HOCKET_LAUNCHER_MAIN_H
#define HOCKET_LAUNCHER_MAIN_H

#include "hocket/Launcher/Pack.h"
#include <string>
#include <vector>

namespace hocket::runtime {

/// The main function of an executable: runs the plan that it carries. Returns
/// the exit status: 0, 1 for the user's mistake, 2 for bad usage, 3 for a
/// failure at run time.
int runMain(int argc, char **argv, DeviceOpener open);

/// The same for a plan in memory and the arguments after the program's name;
/// `program` is what help and errors call it.
int runPlan(const std::string &program, const plan::Plan &plan,
            const uint8_t *kernels, size_t kernelsSize, DeviceOpener open,
            const std::vector<std::string> &arguments);

} // namespace hocket::runtime

#endif // HOCKET_LAUNCHER_MAIN_H
