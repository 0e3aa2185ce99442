//===- Convert.cpp - element type conversion ------------------------------===//

#include "hocket/Runtime/Elements.h"
#include "hocket/Runtime/Tensors.h"
#include <cstring>
#include <type_traits>

namespace hocket::runtime {

template <typename T> constexpr bool isHalf() {
  return std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
}

template <typename To, typename From> static To convertOne(From value) {
  if constexpr (isHalf<From>())
    return convertOne<To>(static_cast<float>(value));
  else if constexpr (std::is_same_v<From, Boolean>)
    return To(static_cast<int>(value));
  else if constexpr (isHalf<To>())
    return To(static_cast<float>(value));
  else
    return To(value);
}

void convert(const void *source, plan::DType from, void *destination,
             plan::DType to, int64_t count) {
  if (from == to && from != plan::DType::Bool) {
    if (count > 0)
      std::memcpy(destination, source, count * plan::byteSize(from));
    return;
  }
  visitType(from, [&](auto fromZero) {
    visitType(to, [&](auto toZero) {
      using From = decltype(fromZero);
      using To = decltype(toZero);
      const From *input = static_cast<const From *>(source);
      To *output = static_cast<To *>(destination);
      for (int64_t i = 0; i < count; ++i)
        output[i] = convertOne<To>(input[i]);
    });
  });
}

} // namespace hocket::runtime
