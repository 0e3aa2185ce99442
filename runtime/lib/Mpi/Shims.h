//===- Shims.h - the shared objects of shims, in the program ---*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_SHIMS_H
#define HOCKET_LIB_MPI_SHIMS_H

#include <cstddef>
#include <cstdint>

namespace hocket::runtime {

/// Empty where the program was built without the library.
struct ShimBytes {
  const uint8_t *data = nullptr;
  size_t size = 0;
};

ShimBytes openMpiShim();
ShimBytes mpichShim();

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_SHIMS_H
