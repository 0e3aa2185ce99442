//===- ViewAlignment.h - alignments that hold for all ranks ----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_VIEWALIGNMENT_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_VIEWALIGNMENT_H

#include "runtime/lib/Device/Address.h"

namespace hocket::runtime::cuda {

/// The bytes, 16 at most, that an operand's address is a multiple of on all
/// ranks of its class: more serves no algorithm of a library.
int64_t viewAlignment(const plan::View &view, const AddressBook &book);

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_VIEWALIGNMENT_H
