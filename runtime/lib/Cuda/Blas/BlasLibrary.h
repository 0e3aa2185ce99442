//===- BlasLibrary.h - cuBLASLt, found when a program starts ---*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASLIBRARY_H
#define HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASLIBRARY_H

#include "hocket/Runtime/Status.h"
#include "runtime/lib/Cuda/Blas/Api.h"
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// The library of this process. It stays loaded once it is.
class BlasLibrary {
public:
  /// Loads the first of `names` that there is and looks up its functions. An
  /// error of the user if none is there or it is older than 12.
  Status load(const std::vector<std::string> &names = usualNames());

  /// The name that versions 13 and 12 have in toolkits and Python packages,
  /// found as the loader finds libraries, and where toolkits lie.
  static std::vector<std::string> usualNames();

  BlasFunctions functions = {};
  size_t version = 0; // 130100 is 13.1.0
  std::string name;   // of the one that was loaded

  /// The error of `function`, which returned `code` for `what`.
  Status failure(const char *function, BlasStatus code,
                 const std::string &what) const;
};

/// The library's state on the device whose context is current when it is
/// opened. One per rank; products must not outlive it.
class Blas {
public:
  /// `library`, which is loaded, and `driver` outlive this.
  Blas(const BlasLibrary &library, const DriverFunctions &driver)
      : library(library), driver(driver) {}
  ~Blas();
  Blas(const Blas &) = delete;
  Blas &operator=(const Blas &) = delete;

  Status open();

  const BlasLibrary &library;
  const DriverFunctions &driver;
  BlasHandle handle = nullptr;
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_BLAS_BLASLIBRARY_H
