//===- CpuDevice.cpp - ranks that compute on cores ------------------------===//

#include "hocket/Runtime/Device.h"
#include "runtime/lib/Cpu/Device/Memory.h"
#include "runtime/lib/Cpu/Device/PrepareCpuCall.h"
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace hocket::runtime {

namespace {

/// A call is finished when it returns, and the host's memory is the device's.
class CpuDevice : public Device {
public:
  CpuDevice(const KernelTable &kernels, const DeviceSetup &setup)
      : kernels(kernels), setup(setup) {}

  Status begin() override {
    setLibraryThreads(setup.threads);
    return Status::success();
  }

  Status allocate(int64_t bytes, const char *purpose, char *&place) override {
    regions.push_back(std::make_unique<Memory>());
    Status status = regions.back()->allocate(bytes, purpose);
    place = regions.back()->data();
    return status;
  }

  Status prepare(const plan::Instruction &instruction, const AddressBook &book,
                 Communicator &comm, std::unique_ptr<Call> &call) override {
    packs.resize(book.rankClass.packs);
    return prepareCpuCall(instruction,
                          {book, kernels, comm, packs, setup.threads}, call);
  }

  Status upload(void *place, int64_t bytes,
                const std::function<Status(void *)> &fill) override {
    return fill(place);
  }
  Status
  download(const void *place, int64_t bytes,
           const std::function<Status(const void *)> &use) const override {
    return use(place);
  }
  Status copy(void *to, const void *from, int64_t bytes) override {
    std::memcpy(to, from, bytes);
    return Status::success();
  }

  Mover &mover() override { return hostMover(); }

  Status submit(Call &call) override { return call.run(); }
  Status finish() override { return Status::success(); }

  int64_t packedBytes() const override {
    int64_t bytes = 0;
    for (const std::unique_ptr<PackedWeight> &pack : packs)
      bytes += pack ? pack->bytes() : 0;
    return bytes;
  }

private:
  const KernelTable &kernels;
  const DeviceSetup setup;
  std::vector<std::unique_ptr<Memory>> regions;
  std::vector<std::unique_ptr<PackedWeight>> packs;
};

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

class CpuDevices : public Devices {
public:
  explicit CpuDevices(KernelTable kernels) : kernels(std::move(kernels)) {}

  std::unique_ptr<Device> make(const DeviceSetup &setup) const override {
    return std::make_unique<CpuDevice>(kernels, setup);
  }

  /// Refuses what would end with the system killing the process.
  Status checkMemory(int64_t ranks, double bytes) const override {
    double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(sysconf(_SC_PAGESIZE));
    if (bytes <= present)
      return Status::success();
    return Status::runtimeError(
        "the " + std::to_string(ranks) + " ranks need " + gibibytes(bytes) +
        " of memory together, this machine has " + gibibytes(present));
  }

private:
  const KernelTable kernels;
};

} // namespace

std::shared_ptr<const Devices> cpuDevices(KernelTable kernels) {
  return std::make_shared<CpuDevices>(std::move(kernels));
}

} // namespace hocket::runtime
