//===- DnnLibrary.cpp - cuDNN, found when a program starts ----------------===//

#include "runtime/lib/Cuda/Dnn/DnnLibrary.h"
#include "runtime/lib/Cuda/OpenLibrary.h"

namespace hocket::runtime::cuda {

static Status unusable(const std::string &why) {
  return Status::userError(
      "cuDNN 9 is needed, " + why +
      "; install it from NVIDIA or as the Python package nvidia-cudnn-cu13, "
      "and name the folder of libcudnn.so.9 in LD_LIBRARY_PATH");
}

std::vector<std::string> DnnLibrary::usualNames() {
  return {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9",
          "/usr/local/cuda/lib/libcudnn.so.9"};
}

Status DnnLibrary::load(const std::vector<std::string> &names) {
  std::string problem;
  void *found = openFirst(names, name, problem);
  if (!found)
    return unusable("which is not found: " + problem);
#define HOCKET_FIND(symbol, type, member, parameters)                          \
  functions.member =                                                           \
      reinterpret_cast<type(*) parameters>(dlsym(found, #symbol));             \
  if (!functions.member)                                                       \
    return unusable("and " + name + " has no " #symbol);
  HOCKET_CUDA_DNN_FUNCTIONS(HOCKET_FIND)
#undef HOCKET_FIND
  version = functions.getVersion();
  if (version < 90000)
    return unusable("and " + name + " is older than that (version " +
                    std::to_string(version) + ")");
  return Status::success();
}

Status DnnLibrary::failure(const char *function, DnnStatus code,
                           const std::string &what) const {
  const char *name = functions.getErrorString(code);
  char reason[512] = "";
  functions.getLastErrorString(reason, sizeof reason);
  std::string text = std::string(function) + " of cuDNN " +
                     versionText(version) + " failed" +
                     (what.empty() ? "" : " for " + what) + ": " +
                     (name ? name : std::to_string(code));
  return Status::runtimeError(*reason ? text + " (" + reason + ")" : text);
}

Dnn::~Dnn() {
  if (device)
    library.functions.descriptorDestroy(device);
  if (handle)
    library.functions.destroy(handle);
}

Status Dnn::open() {
  if (DnnStatus code = library.functions.create(&handle))
    return library.failure("cudnnCreate", code, "");
  return Status::success();
}

Status Dnn::openFor(const std::string &properties) {
  const DnnFunctions &functions = library.functions;
  DnnStatus code = functions.descriptorCreate(DnnDeviceProperties, &device);
  if (!code)
    code = functions.setAttribute(device, DnnDeviceText, DnnTypeChar,
                                  static_cast<int64_t>(properties.size()),
                                  properties.data());
  if (!code)
    code = functions.finalize(device);
  return code ? library.failure("cudnnBackendFinalize", code,
                                "the properties of a device")
              : Status::success();
}

} // namespace hocket::runtime::cuda
