//===- TextFile.cpp - text written whole or not at all --------------------===//

#include "hocket/Io/TextFile.h"
#include "hocket/Io/NewFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

/// To a device or a pipe.
static bool writeThrough(const std::string &path, const std::string &text) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool good = true;
  for (size_t done = 0; good && done < text.size();) {
    ssize_t count = write(file, text.data() + done, text.size() - done);
    good = count > 0 || (count < 0 && errno == EINTR);
    done += count > 0 ? size_t(count) : 0;
  }
  int code = errno;
  close(file);
  errno = code;
  return good;
}

static bool replace(const std::string &path, const struct stat *there,
                    const std::string &text) {
  // A link stays one: what it leads to is replaced.
  std::error_code none;
  std::string target = path;
  if (there)
    if (auto real = std::filesystem::canonical(path, none); !none)
      target = real.string();
  NewFile file;
  return file.create(target) && file.write(text.data(), text.size()) &&
         (!there || fchmod(file.descriptor(), there->st_mode & 07777) == 0) &&
         file.publish();
}

bool writeTextFile(const std::string &path, const std::string &text,
                   std::string &why) {
  struct stat there;
  bool exists = stat(path.c_str(), &there) == 0;
  bool good = exists && !S_ISREG(there.st_mode)
                  ? writeThrough(path, text)
                  : replace(path, exists ? &there : nullptr, text);
  if (!good)
    why = std::strerror(errno);
  return good;
}

} // namespace hocket::runtime
