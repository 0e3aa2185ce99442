//===- FileLock.h - one run at a time -------------------------*- C++ -*-===//

#ifndef HOCKET_IO_FILELOCK_H
#define HOCKET_IO_FILELOCK_H

#include "hocket/Io/SignalEnd.h"
#include "hocket/Runtime/Status.h"

namespace hocket::runtime {

/// Whether an open file could be locked for this process alone. Where the file
/// system has no locks, every file can.
bool lockOpenFile(int file);

/// Whether an open file is still the one that `path` leads to.
bool isStillAt(int file, const std::string &path);

/// A file that is locked while this object lives and then removed. It says who
/// holds it. A lock goes with its process, so that what a process that was
/// killed leaves hinders nobody.
class FileLock {
public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

  /// `what` begins the error: "checkpoint folder 'run'"; `instead` ends it:
  /// "save in another folder".
  Status take(const std::string &path, const std::string &what,
              const std::string &instead);

private:
  std::string path;
  TemporaryName named;
  int file = -1;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_FILELOCK_H
