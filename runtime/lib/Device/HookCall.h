//===- HookCall.h - calling a user's own function --------------*- C++ -*-===//

#ifndef HOCKET_LIB_DEVICE_HOOKCALL_H
#define HOCKET_LIB_DEVICE_HOOKCALL_H

#include "hocket/Runtime/Kernels.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime {

/// What hooks of a rank have of a device with memory of its own.
class HookDevice {
public:
  virtual ~HookDevice() = default;
  /// In which a hook is to launch what it does.
  virtual void *stream() const = 0;
  /// At least `bytes` for what is the `number`-th that one call asks for; one
  /// call after the other has the same.
  virtual Status scratch(size_t number, int64_t bytes, void *&place) = 0;
  /// After a call of `hook`: an error where one has done what it may not do
  /// while steps are recorded.
  virtual Status check(const std::string &hook) = 0;
};

struct HookArguments {
  std::vector<Operand> inputs, outputs;
  int64_t rank = 0, ranks = 1;
  int threads = 1;
  HookDevice *device = nullptr; // null: memory is the host's
  Communicator *comm = nullptr; // of a collective
  CollectiveSpec collective;    // which it does
};

HookArguments argumentsOf(const plan::Hook &hook, const AddressBook &book);
/// Of a collective that a hook does, which comes from `source`.
HookArguments argumentsOf(const plan::Collective &collective,
                          const AddressBook &book, int source,
                          Communicator &comm);

/// The call of hook `name`, a hocket_function at `entry`.
std::unique_ptr<Call> makeHook(const std::string &name, KernelFunction entry,
                               HookArguments arguments);

} // namespace hocket::runtime

#endif // HOCKET_LIB_DEVICE_HOOKCALL_H
