//===- Workspace.h - memory of an instruction's own ------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_DEVICE_WORKSPACE_H
#define HOCKET_RUNTIME_LIB_CUDA_DEVICE_WORKSPACE_H

#include "hocket/Plan/Workspace.h"
#include "runtime/lib/Device/Address.h"

namespace hocket::runtime::cuda {

/// The workspace that the plan gives an instruction: a multiple of 256; none is
/// of 0 bytes.
struct Workspace {
  void *place = nullptr;
  int64_t bytes = 0;

  static Workspace of(const plan::Instruction &instruction,
                      const AddressBook &book) {
    if (instruction.workspace.buffer < 0)
      return {};
    return {book.operand(instruction.workspace).data,
            plan::workspaceBytes(instruction)};
  }
};

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_DEVICE_WORKSPACE_H
