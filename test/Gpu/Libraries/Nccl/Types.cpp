//===- Types.cpp - types and operators of elements ------------------------===//

#include "test/Gpu/Libraries/Nccl/Types.h"
#include "hocket/Runtime/Half.h"
#include <cmath>
#include <cstring>

namespace hocket::lookalike {

size_t sizeOf(NcclType type) {
  switch (type) {
  case NcclInt8:
  case NcclUint8:
    return 1;
  case NcclFloat16:
  case NcclBfloat16:
    return 2;
  case NcclInt32:
  case NcclUint32:
  case NcclFloat32:
    return 4;
  case NcclInt64:
  case NcclUint64:
  case NcclFloat64:
    return 8;
  }
  return 0;
}

const char *nameOf(NcclType type) {
  switch (type) {
  case NcclInt8:
    return "int8";
  case NcclUint8:
    return "uint8";
  case NcclInt32:
    return "int32";
  case NcclUint32:
    return "uint32";
  case NcclInt64:
    return "int64";
  case NcclUint64:
    return "uint64";
  case NcclFloat16:
    return "float16";
  case NcclFloat32:
    return "float32";
  case NcclFloat64:
    return "float64";
  case NcclBfloat16:
    return "bfloat16";
  }
  return nullptr;
}

const char *nameOf(NcclOperator reduction) {
  switch (reduction) {
  case NcclSum:
    return "sum";
  case NcclProd:
    return "product";
  case NcclMax:
    return "maximum";
  case NcclMin:
    return "minimum";
  }
  return nullptr;
}

namespace {

/// Sums of signed numbers wrap around: what C++ leaves open, unsigned ones do.
template <typename T, typename Wide>
T combine(NcclOperator reduction, T a, T b) {
  Wide x = a, y = b;
  switch (reduction) {
  case NcclSum:
    return static_cast<T>(x + y);
  case NcclProd:
    return static_cast<T>(x * y);
  case NcclMax:
    return a > b ? a : b;
  case NcclMin:
    return a < b ? a : b;
  }
  return a;
}

/// As CUDA's fmax and fmin: the number, where one of two is a NaN.
template <typename T, typename Wide>
T combineFloats(NcclOperator reduction, T a, T b) {
  Wide x = a, y = b;
  switch (reduction) {
  case NcclSum:
    return static_cast<T>(x + y);
  case NcclProd:
    return static_cast<T>(x * y);
  case NcclMax:
    return static_cast<T>(std::fmax(x, y));
  case NcclMin:
    return static_cast<T>(std::fmin(x, y));
  }
  return a;
}

template <typename T, typename Combine>
void each(size_t count, char *sum, const char *next, Combine combine) {
  for (size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, sum + i * sizeof(T), sizeof(T));
    std::memcpy(&b, next + i * sizeof(T), sizeof(T));
    a = combine(a, b);
    std::memcpy(sum + i * sizeof(T), &a, sizeof(T));
  }
}

} // namespace

void accumulate(NcclType type, NcclOperator reduction, size_t count, char *sum,
                const char *next) {
  auto integers = [&](auto zero) {
    using T = decltype(zero);
    each<T>(count, sum, next,
            [&](T a, T b) { return combine<T, uint64_t>(reduction, a, b); });
  };
  auto floats = [&](auto zero, auto wide) {
    using T = decltype(zero);
    using Wide = decltype(wide);
    each<T>(count, sum, next,
            [&](T a, T b) { return combineFloats<T, Wide>(reduction, a, b); });
  };
  switch (type) {
  case NcclInt8:
    return integers(int8_t());
  case NcclUint8:
    return integers(uint8_t());
  case NcclInt32:
    return integers(int32_t());
  case NcclUint32:
    return integers(uint32_t());
  case NcclInt64:
    return integers(int64_t());
  case NcclUint64:
    return integers(uint64_t());
  case NcclFloat16:
    return floats(runtime::Float16(), float());
  case NcclFloat32:
    return floats(float(), float());
  case NcclFloat64:
    return floats(double(), double());
  case NcclBfloat16:
    return floats(runtime::BFloat16(), float());
  }
}

} // namespace hocket::lookalike
