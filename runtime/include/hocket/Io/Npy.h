//===- Npy.h - reading NumPy's array files ---------------------*- C++ -*-===//

#ifndef HOCKET_IO_NPY_H
#define HOCKET_IO_NPY_H

#include "hocket/Io/FileTypes.h"

namespace hocket::runtime {

/// Checks the `size` bytes at `data`, an .npy file of version 1, 2 or 3, and
/// describes its array, which points into `data`. Little-endian numbers and
/// bool in C order are read; Fortran order, big-endian numbers, strings,
/// objects and records are refused. `error` is a sentence without the file's
/// name.
bool parseNpy(const uint8_t *data, size_t size, StoredTensor &tensor,
              std::string &error);

} // namespace hocket::runtime

#endif // HOCKET_IO_NPY_H
