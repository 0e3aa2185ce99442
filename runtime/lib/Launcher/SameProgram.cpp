//===- SameProgram.cpp - whether all processes run one program ------------===//

#include "SameProgram.h"
#include "hocket/Cpu/Library.h"
#include "hocket/Io/MappedFile.h"
#include "hocket/Plan/Layouts.h"
#include "hocket/Runtime/Digest.h"
#include <cstdio>
#include <filesystem>

namespace hocket::runtime {

static std::string sizesOf(const std::vector<std::string> &paths) {
  std::string text;
  for (const std::string &path : paths) {
    std::error_code none; // a folder, or NAME=FILE
    auto size = std::filesystem::file_size(path, none);
    text += (text.empty() ? "" : ", ") +
            (none ? path : std::to_string(size) + " bytes");
  }
  return text.empty() ? "none" : text;
}

/// Without what differs from machine to machine.
static std::string lineOf(const std::vector<std::string> &arguments) {
  const std::string node = "--node";
  std::string line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == node)
      ++i;
    else if (arguments[i].rfind(node + "=", 0) != 0)
      line += (line.empty() ? "" : " ") + arguments[i];
  }
  return line;
}

Status checkSameProgram(const LauncherOptions &options,
                        const std::vector<std::string> &arguments,
                        const plan::Plan &plan, Processes &processes) {
  if (processes.count() == 1)
    return Status::success();
  MappedFile self;
  Status opened =
      processes.agree(self.open("/proc/self/exe", "the executable"));
  if (!opened.ok())
    return opened;
  char code[32];
  std::snprintf(
      code, sizeof code, "%016llx",
      static_cast<unsigned long long>(digest(self.data(), self.size())));
  return processes.requireEqual({{"block layouts", layoutsDigest(plan)},
                                 {"the executable", code},
                                 {"the arguments", lineOf(arguments)},
                                 {"weights of", sizesOf(options.weights)},
                                 {"oneDNN", libraryText()}});
}

} // namespace hocket::runtime
