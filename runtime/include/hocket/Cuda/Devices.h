//===- Devices.h - ranks that compute on a GPU -----------------*- C++ -*-===//

#ifndef HOCKET_CUDA_DEVICES_H
#define HOCKET_CUDA_DEVICES_H

#include "hocket/Runtime/Device.h"
#include "hocket/Runtime/Processes.h"
#include <vector>

namespace hocket::runtime {

/// Code of one program for one kind of chip.
struct ChipCode {
  int chip =
      0; // 90: compute capability 9.0; 0: PTX, for the driver to assemble
  std::string bytes;
};

/// The code of a program for GPUs, as its executable carries it: CBOR of a list
/// of [chip, bytes] of generated code and, where there are hooks, ["hooks",
/// bytes], the shared object that has them.
std::vector<uint8_t> packChipCode(const std::vector<ChipCode> &code,
                                  const std::vector<uint8_t> &hooks = {});

/// Ranks of one process compute on one GPU, each in a stream of its own: on the
/// first that it sees (CUDA_VISIBLE_DEVICES says others); of several processes
/// each takes another one of its machine. `code` has `size` bytes of
/// packChipCode. All `processes` call it. The user's error where there is no
/// driver, an older one than CUDA 12.0, no GPU from sm_80 on, or not one for
/// each process.
Status openCudaDevices(const uint8_t *code, size_t size, Processes &processes,
                       std::shared_ptr<const Devices> &devices);

} // namespace hocket::runtime

#endif // HOCKET_CUDA_DEVICES_H
