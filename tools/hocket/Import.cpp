//===- Import.cpp - hocket import -----------------------------------------===//
//
// The importer is a Python program. It lies in share/hocket/import beside the
// folder of this program, both where hocket is built and where it is installed.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>

using namespace hocket;
using namespace hocket::tool;

/// This process becomes the Python; comes back only if there is none.
static int become(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  std::cerr << "error: cannot start Python, '" << words[0]
            << "': " << std::strerror(errno)
            << "\nnote: hocket import is a Python program; name one that has "
               "PyTorch: HOCKET_PYTHON=PYTHON hocket import ...\n";
  return kUserError;
}

int tool::runImport(const Options &options) {
  if (options.output.empty()) {
    std::cerr << "hocket import: error: -o FILE is needed\n";
    return kUsage;
  }
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  auto script = self.parent_path().parent_path() /
                "share/hocket/import/import_command.py";
  if (!std::filesystem::exists(script, error)) {
    std::cerr << "error: the importer is not at '" << script.string()
              << "'\nnote: cmake --install puts it there\n";
    return kUserError;
  }
  const char *python = getenv("HOCKET_PYTHON");
  std::vector<std::string> words = {python && *python ? python : "python3",
                                    "-B",
                                    script.string(),
                                    "--hocket",
                                    self.string(),
                                    "-o",
                                    options.output};
  words.insert(words.end(), options.importArguments.begin(),
               options.importArguments.end());
  if (options.force)
    words.push_back("--force");
  words.push_back("--");
  words.push_back(options.source.path);
  return become(words);
}
