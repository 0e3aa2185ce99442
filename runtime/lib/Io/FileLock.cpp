//===- FileLock.cpp - one run at a time -----------------------------------===//

#include "hocket/Io/FileLock.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hocket::runtime {

bool lockOpenFile(int file) {
  int result;
  do {
    result = flock(file, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno != EWOULDBLOCK;
}

bool isStillAt(int file, const std::string &path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

namespace {

/// "process 17 on node3"
std::string thisProcess() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return "process " + std::to_string(getpid()) + " on " + host;
}

/// What the holder of a lock wrote, or nothing while it is about to.
std::string readHolder(int file) {
  char text[320];
  ssize_t count = pread(file, text, sizeof text, 0);
  return count > 0 ? " (" + std::string(text, size_t(count)) + ")" : "";
}

} // namespace

Status FileLock::take(const std::string &name, const std::string &what,
                      const std::string &instead) {
  while (true) {
    int opened = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
      return Status::userError(what +
                               " cannot be written: " + std::strerror(errno));
    if (!lockOpenFile(opened)) {
      std::string holder = readHolder(opened);
      close(opened);
      return Status::userError(what + " is in use by another run" + holder +
                               "; let it end, or " + instead);
    }
    if (isStillAt(opened, name)) {
      file = opened;
      break;
    }
    close(opened); // its holder has ended and removed it meanwhile
  }
  path = name;
  named.set(path);
  // Only for people: the lock holds without it.
  std::string holder = thisProcess();
  if (ftruncate(file, 0) == 0 &&
      pwrite(file, holder.data(), holder.size(), 0) < 0)
    return Status::runtimeError(what +
                                " cannot be written: " + std::strerror(errno));
  return Status::success();
}

FileLock::~FileLock() {
  if (file < 0)
    return;
  // Removed before it is released: who opened it meanwhile sees that it is
  // gone.
  unlink(path.c_str());
  named.clear();
  close(file);
}

} // namespace hocket::runtime
