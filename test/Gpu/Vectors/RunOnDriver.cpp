//===- RunOnDriver.cpp - the output of a vector on a GPU ------------------===//

#include "test/Gpu/Vectors/Run.h"

using namespace hocket::vectors;
using namespace hocket::runtime::cuda;
using hocket::runtime::Status;

/// What a launch takes, released at its end.
struct DriverRun::Buffers {
  const Driver &driver;
  DeviceAddress input = 0, output = 0;
  Library library = nullptr;
  ~Buffers() {
    if (library)
      driver->libraryUnload(library);
    if (output)
      driver->memFree(output);
    if (input)
      driver->memFree(input);
  }
};

DriverRun::~DriverRun() {
  if (stream)
    (*driver)->streamDestroy(stream);
  if (context)
    (*driver)->devicePrimaryCtxRelease(device);
}

Status DriverRun::open() {
  Status status = Driver::open(driver);
  if (!status.ok())
    return status;
  const Driver &cu = *driver;
  char name[128] = "";
  int major = 0, minor = 0, version = 0;
  cu->driverGetVersion(&version);
  status = cu.status(cu->deviceGet(&device, 0), "cuDeviceGet");
  if (status.ok())
    status = cu.status(cu->deviceGetName(name, sizeof name, device),
                       "cuDeviceGetName");
  if (status.ok())
    status = cu.status(
        cu->deviceGetAttribute(&major, ComputeCapabilityMajor, device),
        "cuDeviceGetAttribute");
  if (status.ok())
    status = cu.status(
        cu->deviceGetAttribute(&minor, ComputeCapabilityMinor, device),
        "cuDeviceGetAttribute");
  title = std::string(name) + ", compute capability " + std::to_string(major) +
          "." + std::to_string(minor) + ", driver of CUDA " +
          std::to_string(version / 1000) + "." +
          std::to_string(version % 1000 / 10);
  if (status.ok())
    status = cu.status(cu->devicePrimaryCtxRetain(&context, device),
                       "cuDevicePrimaryCtxRetain");
  if (status.ok())
    status = cu.status(cu->ctxSetCurrent(context), "cuCtxSetCurrent");
  if (status.ok())
    status = cu.status(cu->streamCreate(&stream, StreamNonBlocking),
                       "cuStreamCreate");
  return status;
}

Status DriverRun::launch(const Vector &vector, Buffers &buffers) {
  const Driver &cu = *driver;
  Kernel kernel = nullptr;
  Function function = nullptr;
  Status status =
      cu.status(cu->libraryLoadData(&buffers.library, vector.ptx.c_str(),
                                    nullptr, nullptr, 0, nullptr, nullptr, 0),
                "cuLibraryLoadData");
  if (status.ok())
    status = cu.status(cu->libraryGetKernel(&kernel, buffers.library, "k"),
                       "cuLibraryGetKernel");
  if (status.ok())
    status = cu.status(cu->kernelGetFunction(&function, kernel),
                       "cuKernelGetFunction");
  std::vector<std::byte> block = vector.parameters;
  void *parameters[] = {&buffers.input, &buffers.output, block.data()};
  if (status.ok())
    status = cu.status(cu->launchKernel(function, vector.blocks, 1, 1,
                                        vector.threads, 1, 1, 0, stream,
                                        parameters, nullptr),
                       "cuLaunchKernel");
  return status;
}

Status DriverRun::run(const Vector &vector, std::vector<std::byte> &output) {
  const Driver &cu = *driver;
  Buffers buffers{cu};
  output.assign(vector.outputBytes, std::byte(0));
  size_t inputBytes = std::max<size_t>(vector.input.size(), 16);
  Status status =
      cu.status(cu->memAlloc(&buffers.input, inputBytes), "cuMemAlloc");
  if (status.ok())
    status =
        cu.status(cu->memAlloc(&buffers.output, output.size()), "cuMemAlloc");
  if (status.ok() && !vector.input.empty())
    status = cu.status(cu->memcpyHtoDAsync(buffers.input, vector.input.data(),
                                           vector.input.size(), stream),
                       "cuMemcpyHtoDAsync");
  if (status.ok())
    status =
        cu.status(cu->memsetD8Async(buffers.output, 0, output.size(), stream),
                  "cuMemsetD8Async");
  if (status.ok())
    status = launch(vector, buffers);
  if (status.ok())
    status = cu.status(cu->memcpyDtoHAsync(output.data(), buffers.output,
                                           output.size(), stream),
                       "cuMemcpyDtoHAsync");
  Status ended =
      cu.status(cu->streamSynchronize(stream), "cuStreamSynchronize");
  return status.ok() ? ended : status;
}
