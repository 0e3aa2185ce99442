//===- PtxRun.h - a kernel as PTX, interpreted -----------------*- C++ -*-===//

#ifndef HOCKET_TEST_CODEGEN_PTXRUN_H
#define HOCKET_TEST_CODEGEN_PTXRUN_H

#include "KernelMemory.h"
#include "test/Gpu/Ptx/Launch.h"

namespace hocket::test {

/// Whether there is libdevice, which kernels that call functions need.
bool hasDeviceLibrary();

/// Compiles the kernel for a GPU, with addresses that are multiples of
/// `alignment` bytes (at least an element's) and of no more, and runs its
/// launches on the interpreter. `memory` has the inputs and then the outputs,
/// which it fills; outputs that are granted to be in place lie where their
/// inputs do. Any finding of the interpreter fails the test. False if the
/// kernel needs libdevice and there is none. What the launches did is added to
/// `counts`.
bool runPtx(codegen::KernelRequest request, std::vector<Memory> &memory,
            int64_t coordinate, ptx::Counts *counts = nullptr,
            int64_t alignment = 64);

} // namespace hocket::test

#endif // HOCKET_TEST_CODEGEN_PTXRUN_H
