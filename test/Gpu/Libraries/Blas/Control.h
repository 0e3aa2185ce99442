//===- Control.h - what tests ask of the look-alike ------------*- C++ -*-===//
//
// The look-alike of libcublasLt.so.13 has these functions besides those of the
// library. Programs that are tested unchanged do not call them: there, findings
// are lines of the file that HOCKET_LOOKALIKE_REPORT names, or of stderr.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_BLAS_CONTROL_H
#define HOCKET_TEST_GPU_LIBRARIES_BLAS_CONTROL_H

#include <cstddef>

extern "C" {
/// The findings so far, one a line; they are forgotten. Stays until the next
/// call.
const char *hocketBlasTakeFindings();
/// What was made and not destroyed, as a sentence, or nothing. Stays until the
/// next call.
const char *hocketBlasLeft();
/// What cublasLtGetVersion returns.
void hocketBlasSetVersion(size_t version);
/// The order of the algorithms that a handle offers which is made after this:
/// without a driver, the device that the handle is for.
void hocketBlasSetDevice(int device);
}

#endif // HOCKET_TEST_GPU_LIBRARIES_BLAS_CONTROL_H
