//===- SafetensorsFuzz.cpp - any bytes as a safetensors file --------------===//

#include "hocket/Io/Safetensors.h"
#include <cstdlib>

using namespace hocket::runtime;

/// Every tensor of a file that is accepted can be read to its last byte, and
/// the same tensors are refused or accepted again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::map<std::string, StoredTensor> tensors;
  std::string error;
  if (!parseSafetensors(data, size, tensors, error)) {
    if (error.empty() || !tensors.empty())
      std::abort();
    return 0;
  }
  for (const auto &[name, tensor] : tensors) {
    Box box{tensor.dims, std::vector<int64_t>(tensor.dims.size(), 0),
            tensor.dims};
    hocket::plan::DType type = describedAs(tensor.type);
    std::vector<uint8_t> out(box.elements() * hocket::plan::byteSize(type));
    // Numbers that do not fit are an error; that is as it should be.
    (void)readStored(tensor, name, box, type, out.data());
  }
  return 0;
}
