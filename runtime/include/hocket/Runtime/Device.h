//===- Device.h - what computes for a rank ---------------------*- C++ -*-===//
//
// A rank's memory and the calls that its instructions become. The executor
// knows no more of a device than this; a new kind is a folder of its own.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_RUNTIME_DEVICE_H
#define HOCKET_RUNTIME_DEVICE_H

#include "hocket/Runtime/Call.h"
#include "hocket/Runtime/Counters.h"
#include "hocket/Runtime/Kernels.h"
#include "hocket/Runtime/Mover.h"
#include "hocket/Runtime/Timeline.h"
#include <functional>
#include <memory>
#include <vector>

namespace hocket::runtime {

class AddressBook;
class Communicator;
class Processes;
class World;
struct RankOptions;

/// What a rank gives its device.
struct DeviceSetup {
  int threads; // of the rank, for library calls and generated kernels
  World *world = nullptr; // that Devices::makeWorld made, or null
};

/// A step that the devices of a process were handed once, to be run as a whole.
/// By the thread of the first rank.
class StepGraph {
public:
  virtual ~StepGraph() = default;
  virtual Status start() = 0;
  /// Returns when it has ended.
  virtual Status finish() = 0;
};

/// Where what a rank reads later is put while its device computes.
class Inbox {
public:
  virtual ~Inbox() = default;
  /// Makes room for `bytes` that go to `place`; before the first put.
  virtual Status reserve(void *place, int64_t bytes) = 0;
  /// Has `fill` write what goes to `place` to memory of the host, and sends it.
  /// Does not wait for what the device computes.
  virtual Status put(void *place,
                     const std::function<Status(void *host)> &fill) = 0;
  /// What was put last is at its places for all that is submitted from here on.
  virtual Status take() = 0;
};

/// Has a step recorded: first begins, the others join, each is handed its
/// calls, the others leave, first ends. Ranks meet between these, and nothing
/// runs.
class Recorder {
public:
  virtual ~Recorder() = default;
  virtual Status begin() = 0;
  virtual Status join(Recorder &first) = 0;
  virtual Status leave() = 0;
  virtual Status end(const std::vector<Recorder *> &others,
                     std::unique_ptr<StepGraph> &graph) = 0;
  /// After each run of the graph: what this rank's part of it has met.
  virtual Status check() = 0;
};

/// One rank's. All methods are called by the thread of that rank only.
class Device {
public:
  virtual ~Device() = default;

  /// Called first.
  virtual Status begin() = 0;

  /// Memory of zeros, 64-byte aligned, that lives as long as the device.
  /// `purpose` is for the error: "activations".
  virtual Status allocate(int64_t bytes, const char *purpose, char *&place) = 0;

  /// Decides everything about an instruction that does not depend on the
  /// tensors' values: all except ReadParameter and the collectives that the
  /// communicator runs itself. `comm` is for hooks.
  virtual Status prepare(const plan::Instruction &instruction,
                         const AddressBook &book, Communicator &comm,
                         std::unique_ptr<Call> &call) = 0;

  /// Before any prepare(): makes the choices for an instruction that all ranks
  /// have to make alike. In runs of several processes alone.
  virtual Status propose(const plan::Instruction & /*instruction*/,
                         const AddressBook & /*book*/) {
    return Status::success();
  }

  /// Has `fill` write `bytes` to memory of the host, which then are at
  /// `place`.
  virtual Status upload(void *place, int64_t bytes,
                        const std::function<Status(void *host)> &fill) = 0;
  /// Shows `use` the `bytes` at `place` in memory of the host, as they are when
  /// all calls before have ended.
  virtual Status
  download(const void *place, int64_t bytes,
           const std::function<Status(const void *host)> &use) const = 0;
  /// Copies between two places of the device.
  virtual Status copy(void *to, const void *from, int64_t bytes) = 0;

  /// How ranks read each other's memory, as long as the device lives.
  virtual Mover &mover() = 0;

  virtual Status submit(Call &call) = 0;
  /// Waits until all calls that were submitted have ended.
  virtual Status finish() = 0;
  /// Last: nothing that was submitted runs any more, also after an error. Ranks
  /// of a process read each other's memory until all have stopped.
  virtual void stop() {}
  /// Null where steps are not recorded.
  virtual Recorder *recorder() { return nullptr; }
  /// Null where nothing is put while a step runs.
  virtual Inbox *inbox() { return nullptr; }
  /// Null where calls have ended when they return, so that the clock of the
  /// host times them.
  virtual Timeline *timeline() { return nullptr; }

  /// Weights in a library's own layout.
  virtual int64_t packedBytes() const = 0;
};

/// Where ranks have their devices from, with the code that the instructions of
/// a program call.
class Devices {
public:
  virtual ~Devices() = default;
  virtual std::unique_ptr<Device> make(const DeviceSetup &setup) const = 0;
  /// Whether `ranks` of this process, which need `bytes` of memory together,
  /// have them.
  virtual Status checkMemory(int64_t ranks, double bytes) const = 0;
  /// What the ranks of all processes communicate in, where these devices have
  /// a way of their own; else `world` stays null. All processes call it, and
  /// each has its own status.
  virtual Status makeWorld(Processes & /*processes*/,
                           const RankOptions & /*options*/,
                           std::unique_ptr<World> & /*world*/) const {
    return Status::success();
  }
  /// Memory of this process's device that no rank was given: one number each.
  virtual std::vector<DeviceMemory> memoryBeside() const { return {}; }
  /// Has the ranks of all processes take what the first process with a proposal
  /// has proposed. All processes call it, between Device::propose and prepare.
  virtual Status decide(Processes & /*processes*/) const {
    return Status::success();
  }
};

/// Ranks compute on the cores of this machine; what `kernels` points to
/// outlives them.
std::shared_ptr<const Devices> cpuDevices(KernelTable kernels);

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_DEVICE_H
