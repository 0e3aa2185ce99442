//===- DeviceCalls.cpp - devices, contexts and names of errors ------------===//

#include "test/Gpu/Driver/Calls.h"
#include <cstdio>

using namespace hocket::lookalike;

namespace hocket::runtime::cuda {

Result cuInit(unsigned flags) {
  return call("cuInit", Needs::Nothing, [&](Call &call) {
    const std::string &error = call.driver.environment.error;
    call.require(error.empty(), InvalidValue, "is called where " + error);
    call.require(flags == 0, InvalidValue, "is given flags other than 0");
    if (call.driver.contexts.empty())
      throw Failure{NoDevice};
    call.driver.isInitialized = true;
  });
}

Result cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", Needs::Nothing, [&](Call &call) {
    call.require(version, InvalidValue, "is given no place for its result");
    *version = call.driver.environment.version;
  });
}

Result cuGetErrorName(Result code, const char **name) {
  const CodeName *known = nameOf(code);
  *name = known ? known->name : nullptr;
  return known ? Success : InvalidValue;
}

Result cuGetErrorString(Result code, const char **text) {
  const CodeName *known = nameOf(code);
  *text = known ? known->text : nullptr;
  return known ? Success : InvalidValue;
}

Result cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", Needs::Initialized, [&](Call &call) {
    call.require(count, InvalidValue, "is given no place for its result");
    *count = call.driver.contexts.size();
  });
}

static void checkDevice(Call &call, DeviceNumber device) {
  if (device < 0 || device >= static_cast<int>(call.driver.contexts.size()))
    throw Failure{InvalidDevice};
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  return call("cuDeviceGet", Needs::Initialized, [&](Call &call) {
    checkDevice(call, ordinal);
    *device = ordinal;
  });
}

Result cuDeviceGetName(char *name, int bytes, DeviceNumber device) {
  return call("cuDeviceGetName", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    call.require(name && bytes > 0, InvalidValue,
                 "is given no place for its result");
    std::snprintf(name, bytes, "Look-alike");
  });
}

Result cuDeviceGetUuid_v2(DeviceUuid *uuid, DeviceNumber device) {
  return call("cuDeviceGetUuid_v2", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    call.require(uuid, InvalidValue, "is given no place for its result");
    *uuid = {};
    std::snprintf(uuid->bytes, sizeof uuid->bytes, "look-alike %d",
                  call.driver.environment.devices[device]);
  });
}

Result cuDeviceGetPCIBusId(char *text, int bytes, DeviceNumber device) {
  return call("cuDeviceGetPCIBusId", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    call.require(text && bytes >= 13, InvalidValue,
                 "is given no place for its result");
    const Environment &environment = call.driver.environment;
    int card = environment.areSlices ? 0 : environment.devices[device];
    std::snprintf(text, bytes, "0000:%02x:00.0", card);
  });
}

Result cuDeviceGetAttribute(int *value, Attribute attribute,
                            DeviceNumber device) {
  return call("cuDeviceGetAttribute", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    Chip chip = chipOf(call.driver.environment.chip);
    switch (attribute) {
    case MaxThreadsPerBlock:
      *value = 1024;
      return;
    case MaxGridDimX:
      *value = 0x7fffffff;
      return;
    case MultiprocessorCount:
      *value = 108;
      return;
    case ComputeCapabilityMajor:
      *value = chip.major;
      return;
    case ComputeCapabilityMinor:
      *value = chip.minor;
      return;
    case MaxSharedMemoryPerBlockOptin:
      *value = chip.sharedBytesOptin;
      return;
    }
    call.refuse(InvalidValue, "is asked for attribute " +
                                  std::to_string(attribute) +
                                  ", which the look-alike does not know");
  });
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber device) {
  return call("cuDeviceTotalMem_v2", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    *bytes = call.driver.allocations.total();
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  return call("cuDevicePrimaryCtxRetain", Needs::Initialized, [&](Call &call) {
    checkDevice(call, device);
    *context = &call.driver.contexts[device];
    ++(*context)->retained;
  });
}

Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  return call("cuDevicePrimaryCtxRelease_v2", Needs::Initialized,
              [&](Call &call) {
                checkDevice(call, device);
                CUctx_st &context = call.driver.contexts[device];
                call.require(context.retained, InvalidContext,
                             "releases a context that is not retained");
                if (context.retained == 1)
                  call.driver.scheduler.drain();
                --context.retained;
              });
}

Result cuCtxSetCurrent(Context context) {
  return call("cuCtxSetCurrent", Needs::Initialized, [&](Call &call) {
    bool known = !context;
    for (const CUctx_st &one : call.driver.contexts)
      known |= &one == context && one.retained;
    call.require(known, InvalidContext,
                 "is given a context that is not retained");
    currentContext = context;
  });
}

} // namespace hocket::runtime::cuda
