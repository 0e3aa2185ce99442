//===- Pack.h - an executable that carries its plan ------------*- C++ -*-===//
//
// A compiled program is the runner followed by
//   the kernels' shared object (may be empty), the plan as CBOR, the trailer
// where the trailer is the last 48 bytes of the file, six little-endian u64:
//   kernels' offset, kernels' size, plan's offset, plan's size,
//   FNV-1a 64 of kernels, plan and those four numbers, and "HOCKET01".
// So no tool chain is needed to make an executable from a plan.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LAUNCHER_PACK_H
#define HOCKET_LAUNCHER_PACK_H

#include "hocket/Io/MappedFile.h"
#include "hocket/Plan/Plan.h"
#include "hocket/Runtime/Device.h"
#include "hocket/Runtime/Processes.h"

namespace hocket::runtime {

/// Writes the executable `out`: the file `runner` with `kernels` (bytes of a
/// shared object, may be empty) and `plan` appended. A runner that carries a
/// plan already is packed anew. `out` appears complete, executable, or not at
/// all. `what` begins errors: a shared library is packed in the same way.
Status packExecutable(const std::string &runner,
                      const std::vector<uint8_t> &kernels,
                      const plan::Plan &plan, const std::string &out,
                      const std::string &what = "executable");

/// What an executable carries.
struct Package {
  MappedFile file;
  plan::Plan plan;
  const uint8_t *kernels = nullptr; // inside `file`
  size_t kernelsSize = 0;
};

/// Reads and checks what was appended to the executable at `path`, which errors
/// call `title`. `carries` is false, with success, if it is a runner to which
/// nothing was ever appended.
Status unpackExecutable(const std::string &path, const std::string &title,
                        Package &package, bool &carries,
                        const std::string &what = "executable");

/// Gives the devices that a plan is compiled for, with the code of its kernels:
/// what an executable carries. An error says what a machine lacks or, of a CPU,
/// which function that the plan calls is not in the code. All `processes` call
/// it, and each has its own status.
using DeviceOpener = Status (*)(const plan::Plan &plan, const uint8_t *kernels,
                                size_t kernelsSize, Processes &processes,
                                std::shared_ptr<const Devices> &devices);

/// Of plans for CPUs.
Status openCpuDevices(const plan::Plan &plan, const uint8_t *kernels,
                      size_t kernelsSize, Processes &processes,
                      std::shared_ptr<const Devices> &devices);
/// Of all plans: in a library of its own (HocketAllDevices), for the kernels of
/// GPUs are large.
Status openDevices(const plan::Plan &plan, const uint8_t *kernels,
                   size_t kernelsSize, Processes &processes,
                   std::shared_ptr<const Devices> &devices);

} // namespace hocket::runtime

#endif // HOCKET_LAUNCHER_PACK_H
