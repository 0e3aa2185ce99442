//===- Messages.h - what a program says on the terminal --------*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_MESSAGES_H
#define HOCKET_LIB_LAUNCHER_MESSAGES_H

#include "hocket/Runtime/Status.h"

namespace hocket::runtime {

/// The exit status of a command line that is wrong.
constexpr int usageStatus = 2;

// Each returns the exit status.

/// Prints every line of the message as an error, except those that continue
/// one.
int fail(const Status &status);
int failUsage(const std::string &message);
/// Prints `text` to standard output.
int print(const std::string &text);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_MESSAGES_H
