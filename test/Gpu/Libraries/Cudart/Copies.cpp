//===- Copies.cpp - copies on a stream, and waiting for it ----------------===//

#include "test/Gpu/Libraries/Cudart/Cudart.h"
#include "test/Gpu/Libraries/Device.h"

namespace hocket::lookalike {

static runtime::cuda::DeviceAddress addressOf(const void *place) {
  return reinterpret_cast<runtime::cuda::DeviceAddress>(place);
}

extern "C" {

Error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                      Stream stream) {
  constexpr int deviceToDevice = 3;
  constexpr Error notSupported = 801;
  if (kind != deviceToDevice) {
    tell("cudaMemcpyAsync is given another direction than from device to "
         "device, which the look-alike does not know");
    return keep(notSupported);
  }
  return call("cudaMemcpyAsync", [&](auto &driver) {
    return driver.memcpyDtoDAsync(addressOf(to), addressOf(from), bytes,
                                  stream);
  });
}

Error cudaMemsetAsync(void *to, int value, size_t bytes, Stream stream) {
  return call("cudaMemsetAsync", [&](auto &driver) {
    return driver.memsetD8Async(
        addressOf(to), static_cast<unsigned char>(value), bytes, stream);
  });
}

Error cudaStreamSynchronize(Stream stream) {
  return call("cudaStreamSynchronize",
              [&](auto &driver) { return driver.streamSynchronize(stream); });
}

} // extern "C"

} // namespace hocket::lookalike
