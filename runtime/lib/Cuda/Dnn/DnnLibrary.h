//===- DnnLibrary.h - cuDNN, found when a program starts -------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DNN_DNNLIBRARY_H
#define HOCKET_RUNTIME_LIB_CUDA_DNN_DNNLIBRARY_H

#include "hocket/Runtime/Status.h"
#include "runtime/lib/Cuda/Dnn/Api.h"
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// The library of this process. It stays loaded once it is.
class DnnLibrary {
public:
  /// Loads the first of `names` that there is and looks up its functions. An
  /// error of the user if none is there or it is older than 9.
  Status load(const std::vector<std::string> &names = usualNames());

  /// As the loader finds libraries, and where toolkits lie.
  static std::vector<std::string> usualNames();

  DnnFunctions functions = {};
  size_t version = 0; // 91900 is 9.19.0
  std::string name;   // of the one that was loaded

  /// The error of `function`, which returned `code` for `what`, with what the
  /// library says of the latest error of this thread.
  Status failure(const char *function, DnnStatus code,
                 const std::string &what) const;
};

/// The library's state on the device whose context is current when it is
/// opened. One per rank; convolutions must not outlive it.
class Dnn {
public:
  /// `library`, which is loaded, outlives this.
  explicit Dnn(const DnnLibrary &library) : library(library) {}
  ~Dnn();
  Dnn(const Dnn &) = delete;
  Dnn &operator=(const Dnn &) = delete;

  Status open();
  /// Instead of open(), for a device that is not here: convolutions are chosen
  /// for the one that `properties`, JSON as cuDNN writes and reads it, tells
  /// of. They cannot run.
  Status openFor(const std::string &properties);

  const DnnLibrary &library;
  DnnHandle handle = nullptr;
  DnnDescriptor device = nullptr; // of openFor
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DNN_DNNLIBRARY_H
