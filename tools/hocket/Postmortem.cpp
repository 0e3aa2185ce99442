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
  runtime::Postmortem last = runtime::postmortem(folder);
  if (!last.text.empty())
    std::cout << last.text << "\n";
  else if (last.unreadable.empty())
    std::cout << "the last run ended as it should\n";
  for (const std::string &text : last.unreadable)
    std::cerr << "error: " << text << "\n";
  return last.unreadable.empty() ? kOk : kUserError;
}
