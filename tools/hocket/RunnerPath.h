//===- RunnerPath.h - where the prebuilt runner is --------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_RUNNERPATH_H
#define HOCKET_TOOLS_HOCKET_RUNNERPATH_H

#include "hocket/Plan/Plan.h"
#include <filesystem>
#include <string>

namespace hocket::tool {

/// The runner beside this program into which plans for `target` are put.
inline std::string runnerPath(plan::Target target) {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / (target == plan::Target::Cuda
                                    ? "hocket-runner-cuda"
                                    : "hocket-runner"))
      .string();
}

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_RUNNERPATH_H
