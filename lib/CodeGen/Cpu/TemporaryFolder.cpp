//===- TemporaryFolder.cpp - a folder that does not stay ------------------===//

#include "TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace hocket::codegen {

TemporaryFolder::TemporaryFolder(StringRef name) {
  made = !sys::fs::createUniqueDirectory(name, folder);
  if (made)
    startWatcher();
}

/// The pipe ends when this process does, by a kill too. Where there is no shell
/// the folder stays after a kill, and only then.
void TemporaryFolder::startWatcher() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  alive = ends[1];
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  for (int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // Not of this terminal, whose interrupt would end it first.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const char *arguments[] = {"sh", "-c", "read -r _; rm -rf -- \"$0\"",
                             folder.c_str(), nullptr};
  if (posix_spawn(&watcher, "/bin/sh", &files, &attributes,
                  const_cast<char **>(arguments), environ) != 0)
    watcher = -1;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[0]);
}

TemporaryFolder::~TemporaryFolder() {
  if (made)
    sys::fs::remove_directories(folder);
  if (watcher > 0) {
    kill(watcher, SIGKILL);
    waitpid(watcher, nullptr, 0);
  }
  if (alive >= 0)
    close(alive);
}

} // namespace hocket::codegen
