//===- NcclLibrary.cpp - NCCL, found when a program starts ----------------===//

#include "runtime/lib/Cuda/Nccl/NcclLibrary.h"
#include "runtime/lib/Cuda/OpenLibrary.h"

namespace hocket::runtime::cuda {

static constexpr int oldestVersion = 21800;

static Status unusable(const std::string &why) {
  return Status::userError(
      "ranks on several GPUs need NCCL 2.18 or newer, " + why +
      "; install it from NVIDIA or as the Python package nvidia-nccl-cu13, and "
      "name the folder of libnccl.so.2 in LD_LIBRARY_PATH");
}

std::vector<std::string> NcclLibrary::usualNames() {
  return {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2",
          "/usr/local/cuda/lib/libnccl.so.2"};
}

Status NcclLibrary::load(const std::vector<std::string> &names) {
  std::string problem;
  void *found = openFirst(names, name, problem);
  if (!found)
    return unusable("which is not found: " + problem);
#define HOCKET_FIND(symbol, type, member, parameters)                          \
  functions.member =                                                           \
      reinterpret_cast<type(*) parameters>(dlsym(found, #symbol));             \
  if (!functions.member)                                                       \
    return unusable("and " + name + " has no " #symbol);
  HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_FIND)
#undef HOCKET_FIND
  if (NcclResult code = functions.getVersion(&version))
    return failure("ncclGetVersion", code, "");
  if (version < oldestVersion)
    return unusable("and " + name + " is " + versionText(size_t(version)));
  return Status::success();
}

Status NcclLibrary::failure(const char *function, NcclResult code,
                            const std::string &what) const {
  const char *name = functions.getErrorString(code);
  const char *reason = functions.getLastError(nullptr);
  std::string text = std::string(function) + " of NCCL " +
                     versionText(size_t(version)) + " failed" +
                     (what.empty() ? "" : " for " + what) + ": " +
                     (name ? name : std::to_string(code));
  return Status::runtimeError(reason && *reason ? text + " (" + reason + ")"
                                                : text);
}

} // namespace hocket::runtime::cuda
