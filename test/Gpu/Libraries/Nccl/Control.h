//===- Control.h - what tests ask of the look-alike ------------*- C++ -*-===//
//
// The look-alike of libnccl.so.2 has these functions besides those of the
// library. Programs that are tested unchanged do not call them: there, findings
// are lines of the file that HOCKET_LOOKALIKE_REPORT names, or of stderr.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_NCCL_CONTROL_H
#define HOCKET_TEST_GPU_LIBRARIES_NCCL_CONTROL_H

extern "C" {
/// The findings so far about calls, one a line; they are forgotten. Stays until
/// the next call of this thread.
const char *hocketNcclTakeFindings();
/// What was made and not destroyed, as a sentence, or nothing. Stays until the
/// next call of this thread.
const char *hocketNcclLeft();
/// What ncclGetVersion tells.
void hocketNcclSetVersion(int version);
}

#endif // HOCKET_TEST_GPU_LIBRARIES_NCCL_CONTROL_H
