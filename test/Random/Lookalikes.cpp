//===- Lookalikes.cpp - cases on look-alikes of a GPU ---------------------===//

#include "Lookalikes.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace hocket;

namespace {

/// Findings go to a file of this process.
struct Library {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void (*restart)() = nullptr; // null: not a look-alike
  int (*init)(unsigned) = nullptr;
  std::string report;

  Library() {
    if (!library)
      return;
    restart =
        reinterpret_cast<void (*)()>(dlsym(library, "hocketLookalikeRestart"));
    init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
    report = std::filesystem::temp_directory_path() /
             ("hocket-random-" + std::to_string(getpid()));
    setenv("HOCKET_LOOKALIKE_REPORT", report.c_str(), /*overwrite=*/1);
    setenv("HOCKET_LOOKALIKE_UNDEFINED", "1", /*overwrite=*/0);
    setenv("HOCKET_LOOKALIKE_THREADS", "1", /*overwrite=*/0);
  }
};

} // namespace

static Library &library() {
  static Library library;
  return library;
}

bool random::hasDriver() { return library().library; }

void random::startLookalikes(uint64_t seed) {
  if (!library().restart)
    return;
  setenv("HOCKET_LOOKALIKE_SEED", std::to_string(seed).c_str(), 1);
  library().restart();
  library().init(0); // the runtime does so once a process
}

std::string random::takeFindings() {
  if (!library().restart)
    return "";
  library().restart();
  std::ostringstream findings;
  if (std::ifstream report(library().report); report)
    findings << report.rdbuf();
  std::filesystem::remove(library().report);
  return findings.str();
}
