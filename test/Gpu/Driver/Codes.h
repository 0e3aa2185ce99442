//===- Codes.h - the driver's result codes and their names -----*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_DRIVER_CODES_H
#define HOCKET_TEST_GPU_DRIVER_CODES_H

namespace hocket::lookalike {

/// Codes of CUresult that Api.h does not name.
enum MoreCodes : int {
  InvalidHandle = 400,
  IllegalState = 401,
  NotPermitted = 800,
  NotSupported = 801,
  StreamCaptureMerge = 902,
  StreamCaptureUnmatched = 903,
  CapturedEvent = 907,
};

struct CodeName {
  int code;
  const char *name, *text;
};

/// Null for a code that is not known.
const CodeName *nameOf(int code);

/// Whether the context is of no use after the error.
bool isSticky(int code);

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_DRIVER_CODES_H
