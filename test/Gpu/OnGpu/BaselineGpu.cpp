//===- BaselineGpu.cpp - memory of a GPU, and times on it -----------------===//

#include "BaselineGpu.h"
#include <cstring>

using namespace hocket::baseline;
using namespace hocket::runtime::cuda;
using hocket::runtime::Status;

bool hocket::baseline::typeOf(const std::string &word, ElementType &type) {
  const std::pair<const char *, ElementType> types[] = {
      {"f32", ElementType::F32},
      {"bf16", ElementType::BF16},
      {"f16", ElementType::F16}};
  for (auto [name, each] : types)
    if (word == name) {
      type = each;
      return true;
    }
  return false;
}

int64_t hocket::baseline::bytesOf(ElementType type) {
  return type == ElementType::F32 ? 4 : 2;
}

Gpu::~Gpu() {
  if (!driver)
    return;
  const Driver &cu = *driver;
  for (DeviceAddress address : allocated)
    cu->memFree(address);
  for (Event event : {begin, end})
    if (event)
      cu->eventDestroy(event);
  if (ownStream)
    cu->streamDestroy(ownStream);
  if (context)
    cu->devicePrimaryCtxRelease(device);
}

Status Gpu::open() {
  Status opened = Driver::open(driver);
  if (!opened.ok())
    return opened;
  const Driver &cu = *driver;
  Status now = status(cu->deviceGet(&device, 0), "cuDeviceGet");
  if (now.ok())
    now = status(cu->devicePrimaryCtxRetain(&context, device),
                 "cuDevicePrimaryCtxRetain");
  if (now.ok())
    now = status(cu->ctxSetCurrent(context), "cuCtxSetCurrent");
  if (now.ok())
    now = status(cu->streamCreate(&ownStream, StreamNonBlocking),
                 "cuStreamCreate");
  for (Event *event : {&begin, &end})
    if (now.ok())
      now = status(cu->eventCreate(event, EventDefault), "cuEventCreate");
  return now;
}

Status Gpu::allocate(int64_t bytes, DeviceAddress &address) {
  Status now = status((*driver)->memAlloc(&address, bytes), "cuMemAlloc");
  if (now.ok())
    allocated.push_back(address);
  return now;
}

/// The bits of 16 that are nearest to 0 of a float's: of bf16 the upper half,
/// of f16 the exponent with another bias. Small ones become 0.
static uint16_t narrow(float number, ElementType type) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  if (type == ElementType::BF16)
    return uint16_t(bits >> 16);
  int exponent = int(bits >> 23 & 255) - 127 + 15;
  uint32_t sign = bits >> 16 & 0x8000;
  return uint16_t(exponent <= 0
                      ? sign
                      : sign | uint32_t(exponent) << 10 | (bits >> 13 & 1023));
}

Status Gpu::allocateRandom(int64_t bytes, ElementType type,
                           DeviceAddress &address) {
  std::vector<char> content(bytes);
  uint64_t state = 0x9e3779b97f4a7c15 + allocated.size();
  int64_t width = bytesOf(type);
  for (int64_t i = 0; i + width <= bytes; i += width) {
    state = state * 6364136223846793005 + 1442695040888963407;
    float number = float(int32_t(state >> 32)) * 0x1p-31f;
    uint16_t half = narrow(number, type);
    std::memcpy(&content[i], width == 4 ? static_cast<void *>(&number) : &half,
                width);
  }
  Status now = allocate(bytes, address);
  if (now.ok())
    now = status(
        (*driver)->memcpyHtoDAsync(address, content.data(), bytes, ownStream),
        "cuMemcpyHtoDAsync");
  Status ended =
      status((*driver)->streamSynchronize(ownStream), "cuStreamSynchronize");
  return now.ok() ? ended : now;
}

Status Gpu::timeOnce(const std::function<Status()> &work, double &seconds) {
  const Driver &cu = *driver;
  float milliseconds = 0;
  Status now = status(cu->eventRecord(begin, ownStream), "cuEventRecord");
  if (now.ok())
    now = work();
  if (now.ok())
    now = status(cu->eventRecord(end, ownStream), "cuEventRecord");
  if (now.ok())
    now = status(cu->eventSynchronize(end), "cuEventSynchronize");
  if (now.ok())
    now = status(cu->eventElapsedTime(&milliseconds, begin, end),
                 "cuEventElapsedTime");
  seconds = double(milliseconds) * 1e-3;
  return now;
}

Status Gpu::time(const std::function<Status()> &work, int64_t runs,
                 Times &times) {
  constexpr int64_t uncounted = 2;
  for (int64_t run = 0; run < uncounted + runs; ++run) {
    double seconds = 0;
    Status now = timeOnce(work, seconds);
    if (!now.ok())
      return now;
    if (run >= uncounted)
      times.push_back(seconds);
  }
  return Status::success();
}
