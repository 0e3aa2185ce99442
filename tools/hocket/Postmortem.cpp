//===- Postmortem.cpp - hocket postmortem ---------------------------------===//

#include "Options.h"
#include "hocket/Runtime/RunRecord.h"
#include <filesystem>
#include <iostream>

using namespace hocket;
using namespace hocket::tool;

int tool::runPostmortem(const Options &options) {
  const std::string &folder = options.source.path;
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code)) {
    std::cerr << "error: '" << folder
              << "' is no folder; name the one that --checkpoint named\n";
    return kUserError;
  }
  std::string text = runtime::postmortem(folder);
  std::cout << (text.empty() ? "the last run ended as it should" : text)
            << "\n";
  return kOk;
}
