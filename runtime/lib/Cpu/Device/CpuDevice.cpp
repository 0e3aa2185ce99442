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
  explicit CpuDevice(const DeviceSetup &setup) : setup(setup) {}

  void begin() override { setLibraryThreads(setup.threads); }

  Status allocate(int64_t bytes, const char *purpose, char *&place) override {
    regions.push_back(std::make_unique<Memory>());
    Status status = regions.back()->allocate(bytes, purpose);
    place = regions.back()->data();
    return status;
  }

  Status prepare(const plan::Instruction &instruction, const AddressBook &book,
                 Communicator &comm, std::unique_ptr<Call> &call) override {
    packs.resize(book.rankClass.packs);
    return prepareCpuCall(
        instruction, {book, setup.kernels, comm, packs, setup.threads}, call);
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
  void copy(void *to, const void *from, int64_t bytes) override {
    std::memcpy(to, from, bytes);
  }

  Status submit(Call &call) override { return call.run(); }
  Status finish() override { return Status::success(); }

  int64_t packedBytes() const override {
    int64_t bytes = 0;
    for (const std::unique_ptr<PackedWeight> &pack : packs)
      bytes += pack ? pack->bytes() : 0;
    return bytes;
  }

private:
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
  std::unique_ptr<Device> make(const DeviceSetup &setup) const override {
    return std::make_unique<CpuDevice>(setup);
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
};

} // namespace

const Devices &cpuDevices() {
  static const CpuDevices devices;
  return devices;
}

} // namespace hocket::runtime
