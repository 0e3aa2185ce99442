//===- Streams.cpp - standard input and output ----------------------------===//

#include "Options.h"
#include "hocket/Io/TextFile.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>

using namespace hocket;
using namespace hocket::tool;

int tool::writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    std::cout << text;
    return kOk; // finishOutput tells
  }
  std::string why;
  if (runtime::writeTextFile(path, text, why))
    return kOk;
  std::cerr << "error: cannot write '" << path << "': " << why << "\n";
  return kUserError;
}

int tool::finishOutput(int status) {
  errno = 0;
  std::cout.flush();
  bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout;
  if (!failed)
    return status;
  std::cerr << "error: cannot write to standard output";
  if (errno)
    std::cerr << ": " << std::strerror(errno);
  std::cerr << "\n";
  return status == kOk ? kRunFailure : status;
}

bool tool::readStandardInput(CompileSource &source) {
  if (source.path != "-")
    return true;
  source.path = "<stdin>";
  source.text.emplace(std::istreambuf_iterator<char>(std::cin),
                      std::istreambuf_iterator<char>());
  constexpr size_t mostBytes = size_t(16) << 20; // as of a file
  const char *why = !std::cin && !std::cin.eof() ? "it cannot be read"
                    : source.text->size() > mostBytes
                        ? "it has more than 16 MiB"
                        : nullptr;
  if (why)
    std::cerr << "error: cannot read standard input: " << why << "\n";
  return !why;
}
