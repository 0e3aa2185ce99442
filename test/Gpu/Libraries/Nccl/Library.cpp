//===- Library.cpp - the library itself, and its end ----------------------===//

#include "test/Gpu/Libraries/Device.h"
#include "test/Gpu/Libraries/Nccl/Call.h"
#include "test/Gpu/Libraries/Nccl/Control.h"
#include <sstream>

using namespace hocket::lookalike;

using Lock = std::lock_guard<std::mutex>;

namespace {

/// What ncclMemAlloc gave and cuMemFree took; what nobody took the driver
/// finds.
std::string wronglyFreed() {
  std::string text;
  for (const auto &[buffer, bytes] : nccl().allocations)
    if (!isAllocated(reinterpret_cast<uint64_t>(buffer), bytes))
      text += std::to_string(bytes) +
              " bytes of ncclMemAlloc are not freed with ncclMemFree\n";
  return text;
}

/// At the end of a program, whose peers get what it has given them. After an
/// error that destroys the context nothing can be released.
struct AtEnd {
  ~AtEnd() {
    nccl().settle();
    if (hasDriverFailed())
      return;
    std::istringstream lines(nccl().left() + wronglyFreed());
    for (std::string line; std::getline(lines, line);)
      tellAtEnd("NCCL: " + line);
  }
} atEnd;

} // namespace

extern "C" {

const char *hocketNcclTakeFindings() {
  static thread_local std::string taken;
  Lock lock(nccl().mutex);
  taken = std::move(nccl().findings);
  nccl().findings.clear();
  return taken.c_str();
}

const char *hocketNcclLeft() {
  static thread_local std::string text;
  Lock lock(nccl().mutex);
  text = nccl().left();
  return text.c_str();
}

void hocketNcclSetVersion(int version) {
  Lock lock(nccl().mutex);
  nccl().version = version;
}

NcclResult ncclGetVersion(int *version) {
  Call call("ncclGetVersion");
  if (!call.code && call.has(version, "the place for the version"))
    *version = nccl().version;
  return call.code;
}

const char *ncclGetErrorString(NcclResult result) {
  switch (result) {
  case NcclSuccess:
    return "no error";
  case NcclUnhandledCudaError:
    return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
  case NcclSystemError:
    return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
  case NcclInternalError:
    return "internal error - please report this issue to the NCCL developers";
  case NcclInvalidArgument:
    return "invalid argument (run with NCCL_DEBUG=WARN for details)";
  case NcclInvalidUsage:
    return "invalid usage (run with NCCL_DEBUG=WARN for details)";
  case NcclRemoteError:
    return "remote process exited or there was a network error";
  case NcclInProgress:
    return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char *ncclGetLastError(NcclComm) {
  static thread_local std::string text;
  Lock lock(nccl().mutex);
  text = nccl().lastError;
  return text.c_str();
}
}
