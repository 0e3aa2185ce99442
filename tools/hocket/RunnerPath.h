//===- RunnerPath.h - what plans are put into ------------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_RUNNERPATH_H
#define HOCKET_TOOLS_HOCKET_RUNNERPATH_H

#include "hocket/Plan/Plan.h"
#include <filesystem>
#include <string>

namespace hocket::tool {

inline std::filesystem::path folderOfProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

/// The runner beside this program into which plans for `target` are put.
inline std::string runnerPath(plan::Target target) {
  return folderOfProgram() / (target == plan::Target::Cuda
                                  ? "hocket-runner-cuda"
                                  : "hocket-runner");
}

/// The library that plans are put into which are called. The build says where
/// it is, as seen from the folder of programs.
inline std::string libraryPath() {
  return (folderOfProgram() / HOCKET_LIBRARY).lexically_normal();
}

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_RUNNERPATH_H
