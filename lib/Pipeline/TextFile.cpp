//===- TextFile.cpp - text written whole or not at all --------------------===//

#include "hocket/Pipeline/TextFile.h"
#include "hocket/Io/SignalEnd.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace hocket;

static bool writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += count;
  }
  return true;
}

/// The rights of the file that is there, or those of any new file.
static mode_t rightsFor(const struct stat *there) {
  if (there)
    return there->st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static bool replace(const std::string &path, const struct stat *there,
                    const std::string &text) {
  // A link stays one: what it leads to is replaced.
  std::error_code none;
  std::string target = path;
  if (there)
    if (auto real = std::filesystem::canonical(path, none); !none)
      target = real.string();
  std::string temporary = target + ".XXXXXX";
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return false;
  runtime::TemporaryName named;
  named.set(temporary);
  bool good = writeAll(file, text) && fchmod(file, rightsFor(there)) == 0;
  good &= close(file) == 0;
  if (good && rename(temporary.c_str(), target.c_str()) == 0)
    return true;
  int code = errno;
  unlink(temporary.c_str());
  errno = code;
  return false;
}

bool hocket::writeTextFile(const std::string &path, const std::string &text,
                           std::string &why) {
  struct stat there;
  bool exists = stat(path.c_str(), &there) == 0;
  bool good = false;
  if (exists && !S_ISREG(there.st_mode)) {
    int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    good = file >= 0 && writeAll(file, text);
    if (file >= 0)
      close(file);
  } else {
    good = replace(path, exists ? &there : nullptr, text);
  }
  if (!good)
    why = std::strerror(errno);
  return good;
}
