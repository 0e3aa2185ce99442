//===- Cudart.h - what the look-alike of libcudart shares ------*- C++ -*-===//
//
// The functions that code of nvcc calls for `kernel<<<...>>>(...)`, and those
// that put work on a stream. Each does what it does by the driver, which finds
// what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_CUDART_CUDART_H
#define HOCKET_TEST_GPU_LIBRARIES_CUDART_CUDART_H

#include "runtime/lib/Cuda/Driver/Driver.h"
#include <string>

namespace hocket::lookalike {

using Error = int; // cudaError_t, whose codes are those of the driver
using runtime::cuda::Function;
using runtime::cuda::Stream;

/// dim3.
struct Dim3 {
  unsigned x, y, z;
};

/// Keeps an error, if it is one, for cudaGetLastError of this thread.
Error keep(Error error);

/// Counts a call, which a test may want to fail; does `act` by the driver.
template <class Act> Error call(const char *function, Act act);

/// The driver that the process has loaded, or null.
const runtime::cuda::DriverFunctions *driver();

/// The function of a registered kernel in the current context, by the address
/// of its stub on the host; loads its code when it is first asked for.
Error functionOf(const void *stub, Function &function);

/// The code of countCall.
Error counted(const char *function);

template <class Act> Error call(const char *function, Act act) {
  constexpr Error noDevice = 100;
  Error error = counted(function);
  if (!error)
    error = driver() ? act(*driver()) : noDevice;
  return keep(error);
}

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_CUDART_CUDART_H
