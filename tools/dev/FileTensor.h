//===- FileTensor.h - a whole tensor of a file, as doubles -----*- C++ -*-===//
//
// For the small programs in this folder that compare files.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TOOLS_DEV_FILETENSOR_H
#define HOCKET_TOOLS_DEV_FILETENSOR_H

#include "hocket/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace hocket::dev {

struct FileTensor {
  std::vector<int64_t> dims;
  std::vector<double> values; // row-major
};

/// Reads tensor `name` of the safetensors or npy file at `path`; the only one
/// of the file where `name` is empty.
runtime::Status readTensor(const std::string &path, std::string name,
                           FileTensor &tensor);

/// An error if the dims differ.
runtime::Status checkSameDims(const FileTensor &found,
                              const FileTensor &expected);

/// The largest difference of two elements at one place; infinite where one of
/// them is a NaN, which no maximum would show. The dims must be the same.
double farthest(const FileTensor &a, const FileTensor &b);

} // namespace hocket::dev

#endif // HOCKET_TOOLS_DEV_FILETENSOR_H
