//===- ListText.h - shapes and strides in sentences ------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_LIB_CUDA_LISTTEXT_H
#define HOCKET_RUNTIME_LIB_CUDA_LISTTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::runtime::cuda {

/// "[2, 3]".
inline std::string listText(const std::vector<int64_t> &list) {
  std::string text;
  for (int64_t number : list)
    text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text.empty() ? "[]" : text + "]";
}

} // namespace hocket::runtime::cuda

#endif // HOCKET_RUNTIME_LIB_CUDA_LISTTEXT_H
