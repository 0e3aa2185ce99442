//===- Launches.cpp - kernel<<<...>>>(...) --------------------------------===//

#include "test/Gpu/Libraries/Cudart/Cudart.h"
#include <vector>

namespace hocket::lookalike {

namespace {

/// What stands between <<< and >>>, until the stub of the kernel asks for it.
struct Configuration {
  Dim3 grid, block;
  size_t sharedBytes;
  Stream stream;
};
thread_local std::vector<Configuration> configurations;

Error launch(const void *stub, Dim3 grid, Dim3 block, void **arguments,
             size_t sharedBytes, Stream stream) {
  return call("cudaLaunchKernel", [&](auto &driver) {
    Function function = nullptr;
    Error error = functionOf(stub, function);
    return error
               ? error
               : driver.launchKernel(function, grid.x, grid.y, grid.z, block.x,
                                     block.y, block.z, unsigned(sharedBytes),
                                     stream, arguments, nullptr);
  });
}

} // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t sharedBytes,
                                     Stream stream) {
  configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

Error __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *sharedBytes,
                                 void *stream) {
  constexpr Error missingConfiguration = 52;
  if (configurations.empty())
    return keep(missingConfiguration);
  const Configuration &last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *sharedBytes = last.sharedBytes;
  *static_cast<Stream *>(stream) = last.stream;
  configurations.pop_back();
  return 0;
}

/// A kernel of the library is its stub here.
Error __cudaGetKernel(const void **kernel, const void *stub) {
  *kernel = stub;
  return 0;
}

Error __cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block,
                         void **arguments, size_t sharedBytes, Stream stream) {
  return launch(kernel, grid, block, arguments, sharedBytes, stream);
}

Error cudaLaunchKernel(const void *stub, Dim3 grid, Dim3 block,
                       void **arguments, size_t sharedBytes, Stream stream) {
  return launch(stub, grid, block, arguments, sharedBytes, stream);
}

Error cudaFuncSetAttribute(const void *stub, int attribute, int value) {
  return call("cudaFuncSetAttribute", [&](auto &driver) {
    Function function = nullptr;
    Error error = functionOf(stub, function);
    return error ? error
                 : driver.funcSetAttribute(
                       function, runtime::cuda::FunctionAttribute(attribute),
                       value);
  });
}

} // extern "C"

} // namespace hocket::lookalike
