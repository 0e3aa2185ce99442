//===- Chip.h - what kernels expect of a GPU -------------------*- C++ -*-===//
//
// Figures that all chips from sm_80 on have alike, or that are large enough for
// the largest.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_LIB_CODEGEN_GPU_CHIP_H
#define HOCKET_LIB_CODEGEN_GPU_CHIP_H

#include <cstdint>

namespace hocket::codegen {

/// Threads of a warp.
constexpr int64_t kWarp = 32;
/// Of the widest access of a thread, of what memory moves at least, and of a
/// line of a cache.
constexpr int64_t kAccessBytes = 16, kSectorBytes = 32, kLineBytes = 128;
/// Threads that keep a large chip busy with the bytes that they wait for, and
/// those that use all of it.
constexpr int64_t kEnoughThreads = 1 << 15, kAllThreads = 1 << 18;
/// Of a block whose neighbors reduce other columns: whole warps of the same.
constexpr int64_t kThreadsOfColumns = 512;

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_GPU_CHIP_H
