//===- PtxRun.h - a kernel as PTX, interpreted -----------------*- C++ -*-===//

#ifndef HOCKET_TEST_CODEGEN_PTXRUN_H
#define HOCKET_TEST_CODEGEN_PTXRUN_H

#include "KernelMemory.h"
#include "test/Gpu/Ptx/Launch.h"

namespace hocket::test {

/// Whether there is a library of functions, which kernels that call them need.
bool hasDeviceLibrary();
/// Why a test is skipped that needs its functions.
constexpr const char *noDeviceLibrary =
    "neither libdevice.10.bc of a CUDA toolkit nor nvptx64--.bc of libclc was "
    "found when this was built";

/// Compiles the kernel for a GPU, with addresses that are multiples of
/// `alignment` bytes (at least an element's) and of no more, and runs its
/// launches on the interpreter. `memory` has the inputs and then the outputs,
/// which it fills; outputs that are granted to be in place lie where their
/// inputs do. Any finding of the interpreter fails the test. False if the
/// kernel needs that library and there is none. What the launches did is added
/// to `counts`.
bool runPtx(codegen::KernelRequest request, std::vector<Memory> &memory,
            int64_t coordinate, ptx::Counts *counts = nullptr,
            int64_t alignment = 64);

} // namespace hocket::test

#endif // HOCKET_TEST_CODEGEN_PTXRUN_H
