//===- OpenLibrary.h - a library found when a program starts ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_OPENLIBRARY_H
#define HOCKET_RUNTIME_LIB_CUDA_OPENLIBRARY_H

#include <dlfcn.h>
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// The first of `names` that the loader finds, with its name in `name`; null
/// with why the first is not found in `problem`. It stays loaded.
inline void *openFirst(const std::vector<std::string> &names, std::string &name,
                       std::string &problem) {
  for (const std::string &each : names) {
    if (void *found = dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      name = each;
      return found;
    }
    if (problem.empty())
      problem = dlerror();
  }
  return nullptr;
}

/// "13.1.0" of 130100.
inline std::string versionText(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_OPENLIBRARY_H
