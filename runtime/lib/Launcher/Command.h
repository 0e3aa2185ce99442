//===- Command.h - what the command line asks of a program -----*- C++ -*-===//

#ifndef HOCKET_LIB_LAUNCHER_COMMAND_H
#define HOCKET_LIB_LAUNCHER_COMMAND_H

#include "Options.h"

namespace hocket::runtime {

/// A program on the command line, and whether this process speaks for all.
struct Command {
  const std::string &program;
  const plan::Plan &plan;
  const std::vector<std::string> &arguments;
  bool isSpeaking;
  ProgramKind kind;
  LauncherOptions options;

  /// The exit status of a command that needs no ranks, or of one that is wrong.
  std::optional<int> answer();

private:
  int say(const std::string &text) const;
  int refuse(const std::string &fault) const;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_COMMAND_H
