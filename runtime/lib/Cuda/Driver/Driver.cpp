//===- Driver.cpp - the CUDA driver of this machine -----------------------===//

#include "runtime/lib/Cuda/Driver/Driver.h"
#include <dlfcn.h>

namespace hocket::runtime::cuda {

/// 1000 * major + 10 * minor, of cuDriverGetVersion.
static constexpr int oldestVersion = 12000;

static Status cannotRun(const std::string &why) {
  return Status::userError("the program is compiled for GPUs (--target=cuda), "
                           "but " +
                           why);
}

Status Driver::load() {
  const char *name = "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return cannotRun("this machine has no NVIDIA driver (" +
                     std::string(reason ? reason : name) +
                     "); run it where there is one, or compile it with "
                     "--target=cpu");
  }
  const char *missing = nullptr;
#define HOCKET_FIND(symbol, name, parameters)                                  \
  functions.name =                                                             \
      reinterpret_cast<Result(*) parameters>(dlsym(library, #symbol));         \
  if (!functions.name && !missing)                                             \
    missing = #symbol;
  HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_FIND)
#undef HOCKET_FIND
  if (missing)
    return cannotRun("the driver of this machine has no " +
                     std::string(missing) +
                     "; it needs one of CUDA 12.0 or newer");
  return Status::success();
}

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Status Driver::start() {
  int version = 0, devices = 0;
  Result result = functions.driverGetVersion(&version);
  if (result == Success && version < oldestVersion)
    return cannotRun("the driver of this machine is of CUDA " +
                     versionText(version) + "; it needs one of CUDA " +
                     versionText(oldestVersion) + " or newer");
  if (result != Success)
    return status(result, "cuDriverGetVersion");
  const char *function = "cuInit";
  result = functions.init(0);
  if (result == Success) {
    function = "cuDeviceGetCount";
    result = functions.deviceGetCount(&devices);
  }
  if (result == NoDevice || (result == Success && devices == 0))
    return cannotRun("this machine has no GPU that its driver shows; see "
                     "nvidia-smi and CUDA_VISIBLE_DEVICES, or compile it with "
                     "--target=cpu");
  return status(result, function);
}

Status Driver::open(const Driver *&driver) {
  // Never unloaded: threads may use it to the end.
  struct Opened {
    Driver driver;
    Status status;
    Opened() {
      status = driver.load();
      if (status.ok())
        status = driver.start();
    }
  };
  static const Opened opened;
  driver = &opened.driver;
  return opened.status;
}

/// Errors after which the context cannot be used, as cuda.h says of each.
/// Launches are asynchronous: any later call may return them.
static bool isOfLaunch(Result result) {
  return result == IllegalAddress || result == LaunchTimeout ||
         result == Assert ||
         (result >= HardwareStackError && result <= LaunchFailed);
}

Status Driver::status(Result result, const char *function,
                      const std::string &what) const {
  if (result == Success)
    return Status::success();
  const char *name = nullptr, *text = nullptr;
  functions.getErrorName(result, &name);
  functions.getErrorString(result, &text);
  std::string message = std::string(function) + " failed" +
                        (what.empty() ? "" : " for " + what) + ": " +
                        (text ? text : "unknown error") + " (" +
                        (name ? name : std::to_string(result)) + ")";
  if (isOfLaunch(result))
    message += "; a launch before this call may have caused it: start the "
               "program by compute-sanitizer, which names it";
  return Status::runtimeError(message);
}

} // namespace hocket::runtime::cuda
