//===- Findings.cpp - where the look-alike says what is wrong -------------===//

#include "test/Gpu/Driver/Findings.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace hocket::lookalike;

void Findings::add(const std::string &sentence) {
  ++added;
  std::string line = sentence + "\n";
  int file = STDERR_FILENO;
  if (!path.empty())
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  // A report that cannot be written must not pass for an empty one.
  if (file < 0 || write(file, line.data(), line.size()) < 0) {
    std::fprintf(stderr, "%scannot be written to '%s'\n", line.c_str(),
                 path.c_str());
    _exit(70);
  }
  if (file != STDERR_FILENO)
    close(file);
}
