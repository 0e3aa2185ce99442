//===- OwnFile.cpp - the file that this code was loaded from --------------===//

#include "runtime/lib/Calling/OwnFile.h"
#include <climits>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace hocket::runtime {

/// The loader keeps the name that it was given, which may be relative to the
/// folder that was current then, and that folder.
std::string fileOfLibrary() {
  Dl_info info;
  void *library = nullptr;
  auto *here = reinterpret_cast<void *>(&fileOfLibrary);
  if (!dladdr1(here, &info, &library, RTLD_DL_LINKMAP) || !info.dli_fname)
    return "";
  char folder[PATH_MAX];
  if (dlinfo(library, RTLD_DI_ORIGIN, folder) != 0)
    return info.dli_fname;
  return std::filesystem::path(folder) /
         std::filesystem::path(info.dli_fname).filename();
}

} // namespace hocket::runtime
