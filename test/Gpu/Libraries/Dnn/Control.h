//===- Control.h - what tests ask of the look-alike ------------*- C++ -*-===//
//
// The look-alike of libcudnn.so.9 has these functions besides those of the
// library. Programs that are tested unchanged do not call them: there, findings
// are lines of the file that HOCKET_LOOKALIKE_REPORT names, or of stderr.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_CONTROL_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_CONTROL_H

#include <cstddef>

extern "C" {
/// The findings so far, one a line; they are forgotten. Stays until the next
/// call.
const char *hocketDnnTakeFindings();
/// What was made and not destroyed, as a sentence, or nothing. Stays until the
/// next call.
const char *hocketDnnLeft();
/// What cudnnGetVersion returns.
void hocketDnnSetVersion(size_t version);
/// The order of the engines that a handle offers which is made after this:
/// without a driver, the device that the handle is for.
void hocketDnnSetDevice(int device);
/// How many engines heuristics return at most: the best, and those that take
/// everything. The first of the best are those that Hocket must not use.
void hocketDnnSetOffers(int best, int fallback);
}

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_CONTROL_H
