//===- NewFile.cpp - a file that appears whole or not at all --------------===//

#include "hocket/Io/NewFile.h"
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Another one each time.
static std::string withSuffix(const std::string &path) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t number = uint64_t(now.tv_nsec) * 2654435761u + uint64_t(getpid());
  std::string name = path + ".";
  for (int i = 0; i < 6; ++i, number /= 36)
    name += letters[number % 36];
  return name;
}

NewFile::~NewFile() {
  int code = errno;
  drop();
  errno = code;
}

void NewFile::drop() {
  if (file >= 0)
    close(std::exchange(file, -1));
  if (!temporary.empty())
    unlink(temporary.c_str());
  named.clear();
  temporary.clear();
}

bool NewFile::create(const std::string &name) {
  path = name;
  // A nameless file gets its name by way of /proc.
  if (access("/proc/self/fd", X_OK) == 0)
    file = open(folderOf(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  return file >= 0 || createNamed(name);
}

/// Tells the running system from any other one, and from itself after a
/// restart; empty where it does not say.
static std::string runningSystem() {
  std::ifstream text("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(text, id);
  return id;
}

/// Tells the file from all others of the running system.
static std::string identity(const struct stat &status) {
  return runningSystem() + ' ' + std::to_string(status.st_dev) + ' ' +
         std::to_string(status.st_ino);
}

std::string NewFile::place() const {
  if (hasTemporaryName())
    return temporary;
  struct stat status;
  if (fstat(file, &status) != 0)
    return "";
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file) +
         '\n' + identity(status);
}

bool NewFile::join(const std::string &placeOfOther) {
  size_t end = placeOfOther.find('\n');
  std::string name = placeOfOther.substr(0, end);
  if (end != std::string::npos) {
    // Before it is opened: to open what is no file can wait for ever.
    struct stat status;
    if (stat(name.c_str(), &status) != 0)
      return false;
    if (identity(status) != placeOfOther.substr(end + 1)) {
      errno = ENOENT;
      return false;
    }
  }
  file = open(name.c_str(), O_WRONLY | O_CLOEXEC);
  return file >= 0;
}

bool NewFile::createNamed(const std::string &name) {
  drop();
  path = name;
  temporary = path + ".XXXXXX";
  file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) {
    temporary.clear();
    return false;
  }
  named.set(temporary);
  // A temporary is private; the result has the rights of any new file.
  mode_t mask = umask(0);
  umask(mask);
  return fchmod(file, 0666 & ~mask) == 0;
}

bool NewFile::write(const void *data, size_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t done = ::write(file, at, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    at += done;
    bytes -= size_t(done);
  }
  return true;
}

/// A name that is taken can only be replaced by another name: for a moment
/// there are two.
bool NewFile::giveName() {
  if (temporary.empty()) {
    std::string nameless = "/proc/self/fd/" + std::to_string(file),
                wanted = path;
    while (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, wanted.c_str(),
                  AT_SYMLINK_FOLLOW) != 0) {
      if (errno != EEXIST)
        return false;
      wanted = withSuffix(path);
    }
    if (wanted == path)
      return true;
    temporary = wanted;
    named.set(temporary);
  }
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return false;
  named.clear();
  temporary.clear();
  return true;
}

bool NewFile::publishOpen(int &descriptor) {
  if (!giveName())
    return false;
  descriptor = std::exchange(file, -1);
  return true;
}

bool NewFile::publish(bool isFlushed) {
  if (isFlushed && fsync(file) != 0)
    return false;
  // What cannot be closed is not whole; one without a name has to stay open.
  if (!temporary.empty() && close(std::exchange(file, -1)) != 0)
    return false;
  if (!giveName())
    return false;
  if (file >= 0 && close(std::exchange(file, -1)) != 0)
    return false;
  // The name is on disk when its folder is; a file system that cannot flush a
  // folder has nothing more to offer.
  int folder = isFlushed ? open(folderOf(path).c_str(),
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                         : -1;
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return true;
}

} // namespace hocket::runtime
