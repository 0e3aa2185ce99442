//===- NcclLibrary.h - NCCL, found when a program starts -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLLIBRARY_H
#define HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLLIBRARY_H

#include "hocket/Runtime/Status.h"
#include "runtime/lib/Cuda/Nccl/Api.h"
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// The library of this process. It stays loaded once it is.
class NcclLibrary {
public:
  /// Loads the first of `names` that there is and looks up its functions. An
  /// error of the user if none is there or it is older than 2.18.
  Status load(const std::vector<std::string> &names = usualNames());

  /// As the loader finds libraries, and where toolkits lie.
  static std::vector<std::string> usualNames();

  NcclFunctions functions = {};
  int version = 0;  // 22809 is 2.28.9
  std::string name; // of the one that was loaded

  /// The error of `function`, which returned `code` for `what`, with what the
  /// library says of the latest error.
  Status failure(const char *function, NcclResult code,
                 const std::string &what) const;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_NCCL_NCCLLIBRARY_H
