//===- TemporaryFolder.h - a folder that does not stay ---------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_TEMPORARYFOLDER_H
#define HOCKET_LIB_CODEGEN_CPU_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include <sys/types.h>

namespace hocket::codegen {

/// Goes away with everything in it, at the latest when this process ends,
/// however it ends: a small process of its own waits for that.
class TemporaryFolder {
public:
  explicit TemporaryFolder(llvm::StringRef name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  bool isMade() const { return made; }
  llvm::StringRef path() const { return folder; }

private:
  void startWatcher();

  llvm::SmallString<64> folder;
  bool made = false;
  pid_t watcher = -1;
  int alive = -1; // the end of a pipe that only this process holds
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_TEMPORARYFOLDER_H
