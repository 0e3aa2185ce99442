//===- CudaDevices.cpp - ranks that compute on a GPU ----------------------===//

#include "runtime/lib/Cuda/Device/CudaMover.h"
#include "runtime/lib/Cuda/Device/CudaRecorder.h"
#include "runtime/lib/Cuda/Device/PrepareCudaCall.h"
#include <cstdio>

namespace hocket::runtime {

namespace {

using namespace cuda;

DeviceAddress addressOf(const void *place) {
  return reinterpret_cast<DeviceAddress>(place);
}

class CudaDevice : public Device {
public:
  CudaDevice(const Gpu &gpu, SharedProducts &products,
             SharedConvolutions &convolutions)
      : stream(gpu), products(stream, products),
        convolutions(stream, convolutions) {}
  ~CudaDevice() override {
    if (!stream.get() || !stream.gpu.enter().ok())
      return;
    recording.abandon();
    stream.api->streamSynchronize(stream.get());
    for (DeviceAddress region : regions)
      stream.api->memFree(region);
  }

  Status begin() override { return stream.open(); }

  Status allocate(int64_t bytes, const char *purpose, char *&place) override {
    DeviceAddress region = 0;
    Status status = stream.api.status(
        stream.api->memAlloc(&region, size_t(std::max<int64_t>(bytes, 1))),
        "allocating " + std::to_string(bytes) + " bytes on GPU '" +
            stream.gpu.name() + "' for " + purpose);
    if (!status.ok())
      return status;
    regions.push_back(region);
    place = reinterpret_cast<char *>(region);
    return stream.zero(region, bytes);
  }

  Status prepare(const plan::Instruction &instruction, const AddressBook &book,
                 Communicator &comm, std::unique_ptr<Call> &call) override {
    return prepareCudaCall(
        instruction, {book, stream, lookups, products, convolutions}, call);
  }

  Status upload(void *place, int64_t bytes,
                const std::function<Status(void *)> &fill) override {
    return stream.copyIn(addressOf(place), bytes, fill);
  }
  Status
  download(const void *place, int64_t bytes,
           const std::function<Status(const void *)> &use) const override {
    return stream.copyOut(addressOf(place), bytes, use);
  }
  Status copy(void *to, const void *from, int64_t bytes) override {
    return stream.copy(addressOf(to), addressOf(from), bytes);
  }

  Mover &mover() override { return moves; }

  Status submit(Call &call) override { return call.run(); }
  Status finish() override {
    Status status = lookups.fetch();
    if (status.ok())
      status = stream.finish();
    return status.ok() ? lookups.check() : status;
  }
  Recorder *recorder() override { return &recording; }
  int64_t packedBytes() const override { return 0; }

private:
  mutable CudaStream stream;
  CudaMover moves{stream};
  Lookups lookups{stream};
  Products products;
  Convolutions convolutions;
  CudaRecorder recording{stream, lookups};
  std::vector<DeviceAddress> regions;
};

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

class CudaDevices : public Devices {
public:
  Status open(const uint8_t *code, size_t size) { return gpu.open(code, size); }

  std::unique_ptr<Device> make(const DeviceSetup &) const override {
    return std::make_unique<CudaDevice>(gpu, products, convolutions);
  }

  Status checkMemory(int64_t ranks, double bytes) const override {
    size_t available = 0, total = 0;
    Status status = gpu.memory(available, total);
    if (!status.ok() || bytes <= double(available))
      return status;
    return Status::runtimeError(
        "the " + std::to_string(ranks) + " ranks need " + gibibytes(bytes) +
        " of memory together, GPU '" + gpu.name() + "' has " +
        gibibytes(double(available)) + " free");
  }

private:
  Gpu gpu;
  mutable SharedProducts products;
  mutable SharedConvolutions convolutions;
};

} // namespace

Status openCudaDevices(const uint8_t *code, size_t size,
                       std::shared_ptr<const Devices> &devices) {
  auto made = std::make_shared<CudaDevices>();
  Status status = made->open(code, size);
  devices = made;
  return status;
}

} // namespace hocket::runtime
