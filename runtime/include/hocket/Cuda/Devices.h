//===- Devices.h - ranks that compute on a GPU -----------------*- C++ -*-===//

#ifndef HOCKET_CUDA_DEVICES_H
#define HOCKET_CUDA_DEVICES_H

#include "hocket/Runtime/Device.h"
#include <vector>

namespace hocket::runtime {

/// Code of one program for one kind of chip.
struct ChipCode {
  int chip =
      0; // 90: compute capability 9.0; 0: PTX, for the driver to assemble
  std::string bytes;
};

/// The generated code of a program for GPUs, as its executable carries it: CBOR
/// of a list of [chip, bytes].
std::vector<uint8_t> packChipCode(const std::vector<ChipCode> &code);

/// Ranks compute on the first GPU that this process sees (CUDA_VISIBLE_DEVICES
/// says others), each in a stream of its own. `code` has `size` bytes of
/// packChipCode. The user's error where there is no driver, an older one than
/// CUDA 12.0, or no GPU from sm_80 on.
Status openCudaDevices(const uint8_t *code, size_t size,
                       std::shared_ptr<const Devices> &devices);

} // namespace hocket::runtime

#endif // HOCKET_CUDA_DEVICES_H
