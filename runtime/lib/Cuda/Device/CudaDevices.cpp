//===- CudaDevices.cpp - ranks that compute on a GPU ----------------------===//

#include "runtime/lib/Cuda/Device/CudaInbox.h"
#include "runtime/lib/Cuda/Device/CudaMover.h"
#include "runtime/lib/Cuda/Device/CudaRecorder.h"
#include "runtime/lib/Cuda/Device/OwnGpus.h"
#include "runtime/lib/Cuda/Device/PrepareCudaCall.h"
#include "runtime/lib/Cuda/Nccl/NcclWorld.h"
#include <cstdio>

namespace hocket::runtime {

namespace {

using namespace cuda;

DeviceAddress addressOf(const void *place) {
  return reinterpret_cast<DeviceAddress>(place);
}

class CudaDevice : public Device {
public:
  CudaDevice(const Gpu &gpu, SharedProducts &products, SharedDnn &sharedDnn,
             NcclWorld *world)
      : stream(gpu), world(world), products(stream, products),
        dnn(sharedDnn, gpu) {}
  ~CudaDevice() override {
    if (!stream.get() || !stream.gpu.enter().ok())
      return;
    for (DeviceAddress region : regions)
      if (world)
        world->release(region);
      else
        stream.api->memFree(region);
  }

  Status begin() override { return stream.open(); }

  Status allocate(int64_t bytes, const char *purpose, char *&place) override {
    DeviceAddress region = 0;
    int64_t most = std::max<int64_t>(bytes, 1);
    Status status = reserve(most,
                            std::to_string(bytes) + " bytes on GPU '" +
                                stream.gpu.name() + "' for " + purpose,
                            region);
    if (!status.ok())
      return status;
    stream.gpu.account().ofRanks += most;
    place = reinterpret_cast<char *>(region);
    return stream.zero(region, bytes);
  }

  Status propose(const plan::Instruction &instruction,
                 const AddressBook &book) override {
    Workspace workspace = Workspace::of(instruction, book);
    if (auto *matmul = std::get_if<plan::Matmul>(&instruction.body))
      return products.propose(*matmul, workspace, book);
    if (auto *convolution = std::get_if<plan::Convolution>(&instruction.body))
      return convolutions.propose(*convolution, workspace, book);
    if (auto *attention = std::get_if<plan::Attention>(&instruction.body))
      if (attention->engine == plan::AttentionEngine::Cudnn)
        return attentions.propose(*attention, workspace, book);
    if (auto *gradient = std::get_if<plan::AttentionGrad>(&instruction.body))
      if (gradient->forward.engine == plan::AttentionEngine::Cudnn)
        return attentions.propose(*gradient, workspace, book);
    return Status::success();
  }

  Status prepare(const plan::Instruction &instruction, const AddressBook &book,
                 Communicator &comm, std::unique_ptr<Call> &call) override {
    return prepareCudaCall(instruction,
                           {book, comm, stream, lookups, products, convolutions,
                            attentions, hooks},
                           call);
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
  void stop() override {
    if (!stream.get() || !stream.gpu.enter().ok())
      return;
    recording.abandon();
    incoming.stop();
    stream.api->streamSynchronize(stream.get());
  }
  Recorder *recorder() override { return &recording; }
  Inbox *inbox() override { return &incoming; }
  Timeline *timeline() override { return &times; }
  int64_t packedBytes() const override { return 0; }

private:
  /// Memory whose bytes have no values, until the device ends.
  Status reserve(int64_t bytes, const std::string &what,
                 DeviceAddress &region) {
    Status status = world ? world->allocate(bytes, what, region)
                          : stream.gpu.allocate(size_t(bytes), what, region);
    if (status.ok())
      regions.push_back(region);
    return status;
  }
  Status reserveScratch(int64_t bytes, const std::string &what,
                        DeviceAddress &region) {
    Status status = reserve(bytes, what, region);
    stream.gpu.account().tables += status.ok() ? bytes : 0;
    return status;
  }

  mutable CudaStream stream;
  NcclWorld *const world; // of several processes, or null
  CudaTimeline times{stream};
  CudaMover moves{stream, times};
  Lookups lookups{stream};
  Products products;
  RankDnn dnn;
  Convolutions convolutions{stream, dnn};
  Attentions attentions{stream, dnn};
  HookMemory hooks{stream,
                   [this](auto &&...what) { return reserveScratch(what...); }};
  CudaRecorder recording{stream, lookups, times};
  CudaInbox incoming{stream};
  std::vector<DeviceAddress> regions;
};

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

class CudaDevices : public Devices {
public:
  /// All processes call it.
  Status open(const uint8_t *code, size_t size, Processes &processes) {
    auto *launched = dynamic_cast<LaunchedProcesses *>(&processes);
    Status status = processes.agree(
        gpu.open(code, size, launched ? launched->localIndex() : 0));
    if (status.ok() && processes.count() > 1)
      status = requireOwnGpus(gpu, processes);
    return status;
  }

  std::unique_ptr<Device> make(const DeviceSetup &setup) const override {
    return std::make_unique<CudaDevice>(gpu, products, dnn,
                                        static_cast<NcclWorld *>(setup.world));
  }

  Status checkMemory(int64_t ranks, double bytes) const override {
    size_t available = 0, total = 0;
    Status status = gpu.memory(available, total);
    if (!status.ok() || bytes <= double(available))
      return status;
    return Status::runtimeError(
        (ranks == 1 ? "the rank needs " + gibibytes(bytes) + " of memory"
                    : "the " + std::to_string(ranks) + " ranks need " +
                          gibibytes(bytes) + " of memory together") +
        ", GPU '" + gpu.name() + "' has " + gibibytes(double(available)) +
        " free");
  }

  /// Several processes have a rank each, as the launcher has seen to, and
  /// communicate by NCCL.
  Status makeWorld(Processes &processes, const RankOptions &options,
                   std::unique_ptr<World> &world) const override {
    auto *launched = dynamic_cast<LaunchedProcesses *>(&processes);
    if (!launched)
      return Status::success();
    auto made = std::make_unique<NcclWorld>(gpu, *launched, options);
    int64_t before = gpu.used();
    Status status = made->open();
    gpu.account().nccl += std::max<int64_t>(gpu.used() - before, 0);
    world = std::move(made);
    return status;
  }

  std::vector<DeviceMemory> memoryBeside() const override {
    const GpuAccount &account = gpu.account();
    int64_t known =
        gpu.usedAtFirst() + account.ofRanks + account.tables + account.nccl;
    int64_t rest = std::max<int64_t>(gpu.used() - known, 0);
    return {{"context", {gpu.usedAtFirst()}},
            {"modules and libraries", {rest}},
            {"NCCL", {account.nccl}},
            {"tables", {account.tables}}};
  }

  Status decide(Processes &processes) const override {
    Status status = products.agree(processes);
    return status.ok() ? dnn.agree(processes) : status;
  }

private:
  Gpu gpu;
  mutable SharedProducts products;
  mutable SharedDnn dnn;
};

} // namespace

Status openCudaDevices(const uint8_t *code, size_t size, Processes &processes,
                       std::shared_ptr<const Devices> &devices) {
  auto made = std::make_shared<CudaDevices>();
  Status status = made->open(code, size, processes);
  devices = made;
  return status;
}

} // namespace hocket::runtime
