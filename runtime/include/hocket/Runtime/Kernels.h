//===- Kernels.h - the functions that a plan calls by name -----*- C++ -*-===//

#ifndef HOCKET_RUNTIME_KERNELS_H
#define HOCKET_RUNTIME_KERNELS_H

#include <cstdint>
#include <string>
#include <unordered_map>

namespace hocket::runtime {

/// See plan::Kernel for what the arguments are.
using KernelFunction = void (*)(void *const *args, const int64_t *scalars,
                                int64_t begin, int64_t end);
using KernelTable = std::unordered_map<std::string, KernelFunction>;

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_KERNELS_H
