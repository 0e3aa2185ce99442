//===- Tensor.h - operands of calls of libraries ---------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_TENSOR_H
#define HOCKET_TEST_GPU_LIBRARIES_TENSOR_H

#include "hocket/Runtime/Call.h"
#include <functional>

namespace hocket::test {

using plan::DType;
using runtime::Operand;

/// An operand in memory of its own. Bytes that belong to no element are all
/// ones, a NaN in each type.
class Tensor {
public:
  Tensor() = default;
  /// Elements in [-1, 1). `strides` empty: row-major. `shift` elements stand
  /// before the first, which else is at a multiple of 256 bytes.
  Tensor(DType type, std::vector<int64_t> shape,
         std::vector<int64_t> strides = {}, int64_t shift = 0);

  Operand operand() const;
  double get(const std::vector<int64_t> &index) const;
  void set(const std::vector<int64_t> &index, double value);
  /// Sets all elements to a NaN.
  void forget();
  /// Whether the bytes that belong to no element are as they were.
  bool isCleanOutside() const;
  /// The bits of all elements, row-major.
  std::vector<uint8_t> bits() const;

  DType type = DType::F32;
  std::vector<int64_t> shape, strides;

private:
  int64_t place(const std::vector<int64_t> &index) const; // bytes
  std::shared_ptr<std::vector<uint8_t>> bytes;
  int64_t first = 0; // bytes
};

/// Calls visit(index) for all indices in the box, row-major.
void forEachIndex(const std::vector<int64_t> &shape,
                  const std::function<void(const std::vector<int64_t> &)> &);

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_TENSOR_H
