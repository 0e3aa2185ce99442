//===- BlasLibrary.cpp - cuBLASLt, found when a program starts ------------===//

#include "runtime/lib/Cuda/Blas/BlasLibrary.h"
#include "runtime/lib/Cuda/OpenLibrary.h"

namespace hocket::runtime::cuda {

static Status unusable(const std::string &why) {
  return Status::userError(
      "products need cuBLASLt 12 or newer, " + why +
      "; install the CUDA toolkit or the Python package nvidia-cublas, and "
      "name the folder of libcublasLt.so.13 in LD_LIBRARY_PATH");
}

std::vector<std::string> BlasLibrary::usualNames() {
  return {"libcublasLt.so.13", "libcublasLt.so.12",
          "/usr/local/cuda/lib64/libcublasLt.so.13",
          "/usr/local/cuda/lib64/libcublasLt.so.12"};
}

Status BlasLibrary::load(const std::vector<std::string> &names) {
  std::string problem;
  void *found = openFirst(names, name, problem);
  if (!found)
    return unusable("which is not found: " + problem);
#define HOCKET_FIND(symbol, type, member, parameters)                          \
  functions.member =                                                           \
      reinterpret_cast<type(*) parameters>(dlsym(found, #symbol));             \
  if (!functions.member)                                                       \
    return unusable("and " + name + " has no " #symbol);
  HOCKET_CUDA_BLAS_FUNCTIONS(HOCKET_FIND)
#undef HOCKET_FIND
  version = functions.getVersion();
  if (version < 120000)
    return unusable("and " + name + " is " + versionText(version));
  return Status::success();
}

Status BlasLibrary::failure(const char *function, BlasStatus code,
                            const std::string &what) const {
  const char *text = functions.getStatusString(code);
  return Status::runtimeError(std::string(function) + " of cuBLASLt " +
                              versionText(version) + " failed" +
                              (what.empty() ? "" : " for " + what) + ": " +
                              (text ? text : std::to_string(code)));
}

Blas::~Blas() {
  if (handle)
    library.functions.destroy(handle);
}

Status Blas::open() {
  if (BlasStatus code = library.functions.create(&handle))
    return library.failure("cublasLtCreate", code, "");
  return Status::success();
}

} // namespace hocket::runtime::cuda
