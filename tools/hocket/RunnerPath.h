//===- RunnerPath.h - where the prebuilt runner is --------------*- C++ -*-===//

#ifndef HOCKET_TOOLS_HOCKET_RUNNERPATH_H
#define HOCKET_TOOLS_HOCKET_RUNNERPATH_H

#include <filesystem>
#include <string>

namespace hocket::tool {

/// The hocket-runner beside this program.
inline std::string runnerPath() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "hocket-runner").string();
}

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_RUNNERPATH_H
