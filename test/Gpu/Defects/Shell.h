//===- Shell.h - a command, and what it took -------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DEFECTS_SHELL_H
#define HOCKET_TEST_GPU_DEFECTS_SHELL_H

#include <string>

namespace hocket::test {

struct Ended {
  int status = 0;     ///< minus the signal that ended it
  double seconds = 0; ///< of the processor, with all that it has waited for
};

/// Runs a command of the shell. Threads may do so at once.
Ended runShell(const std::string &command);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_DEFECTS_SHELL_H
