//===- Findings.cpp - where the look-alike says what is wrong -------------===//

#include "test/Gpu/Driver/Findings.h"
#include <fcntl.h>
#include <unistd.h>

using namespace hocket::lookalike;

void Findings::add(const std::string &sentence) {
  ++added;
  std::string line = sentence + "\n";
  int file = path.empty()
                 ? -1
                 : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  // A report that cannot be written must not pass for an empty one.
  if (write(file < 0 ? STDERR_FILENO : file, line.data(), line.size()) < 0)
    _exit(70);
  if (file >= 0)
    close(file);
}
