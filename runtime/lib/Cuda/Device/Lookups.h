//===- Lookups.h - ids outside of tables, told at a step's end -*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_LOOKUPS_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_LOOKUPS_H

#include "runtime/lib/Cuda/Device/CudaStream.h"
#include "runtime/lib/Cuda/Kernels/LookupError.h"

namespace hocket::runtime::cuda {

/// The records of one rank in which its lookups say what they met; a kernel
/// cannot fail.
class Lookups {
public:
  explicit Lookups(CudaStream &stream) : stream(stream) {}
  ~Lookups();
  Lookups(const Lookups &) = delete;
  Lookups &operator=(const Lookups &) = delete;

  /// Room for all that will be added; the first call counts.
  Status reserve(size_t lookups);
  /// The record of one more. `where` begins its error, `ids` is what that calls
  /// the tensor.
  DeviceAddress add(std::string where, std::string ids, int64_t vocab);

  /// The same of an attention whose padding a library takes in some forms.
  DeviceAddress addPadding(std::string where);

  /// Has the records brought to the host when all that is issued has run.
  Status fetch();
  /// After that: the first lookup that met such an id, which then may be met
  /// again.
  Status check();

private:
  struct Lookup {
    std::string where, ids;
    int64_t vocab;
    bool isPadding = false;
  };
  CudaStream &stream;
  std::vector<Lookup> lookups;
  DeviceAddress records = 0;
  LookupError *seen = nullptr; // pinned memory of the host
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_LOOKUPS_H
