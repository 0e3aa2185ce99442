//===- NpyFuzz.cpp - any bytes as an .npy file ----------------------------===//

#include "hocket/Io/Npy.h"
#include <cstdlib>

using namespace hocket::runtime;

/// An array that is accepted can be read to its last byte.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StoredTensor tensor;
  std::string error;
  if (!parseNpy(data, size, tensor, error)) {
    if (error.empty())
      std::abort();
    return 0;
  }
  Box box{tensor.dims, std::vector<int64_t>(tensor.dims.size(), 0),
          tensor.dims};
  hocket::plan::DType type = describedAs(tensor.type);
  std::vector<uint8_t> out(box.elements() * hocket::plan::byteSize(type));
  (void)readStored(tensor, "x", box, type, out.data());
  return 0;
}
