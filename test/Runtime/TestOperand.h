//===- TestOperand.h - strided operands and naive loops --------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_TESTOPERAND_H
#define HOCKET_TEST_RUNTIME_TESTOPERAND_H

#include "hocket/Cpu/Call.h"
#include "hocket/Runtime/Elements.h"
#include "hocket/Runtime/Tensors.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace hocket::test {

/// An operand with memory of its own. `order` lists its dims outermost first
/// in memory; `pad` elements follow every innermost row.
class TestOperand {
public:
  TestOperand(plan::DType type, const std::vector<int64_t> &shape,
              std::vector<int> order = {}, int64_t pad = 0)
      : type(type), shape(shape), strides(shape.size(), 0) {
    for (size_t dim = order.size(); dim < shape.size(); ++dim)
      order.push_back(static_cast<int>(dim));
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = stride;
      stride *= std::max<int64_t>(shape[order[i]], 1);
      if (i + 1 == order.size())
        stride += pad;
    }
    bytes.assign((stride + 16) * plan::byteSize(type), 0);
  }

  runtime::Operand operand() { return {bytes.data(), type, shape, strides}; }

  TestOperand &random(uint32_t seed, double scale = 1) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> numbers(-scale, scale);
    for (int64_t flat = 0; flat < elements(); ++flat)
      set(flat, numbers(generator));
    return *this;
  }

  int64_t elements() const {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  }

  int64_t place(int64_t flat) const {
    int64_t offset = 0;
    for (size_t dim = shape.size(); dim-- > 0; flat /= shape[dim])
      offset += flat % shape[dim] * strides[dim];
    return offset;
  }
  double at(const std::vector<int64_t> &index) const {
    int64_t flat = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      flat = flat * shape[dim] + index[dim];
    return get(flat);
  }
  void set(int64_t flat, double value) {
    runtime::convert(&value, plan::DType::F64,
                     &bytes[place(flat) * plan::byteSize(type)], type, 1);
  }
  double get(int64_t flat) const {
    double value;
    runtime::convert(&bytes[place(flat) * plan::byteSize(type)], type, &value,
                     plan::DType::F64, 1);
    return value;
  }

  plan::DType type;
  std::vector<int64_t> shape, strides;
  std::vector<uint8_t> bytes;
};

/// Gives the call scratch and runs it.
inline runtime::Status runCall(runtime::Call &call) {
  std::vector<char> scratch(call.scratchBytes() + 64);
  uintptr_t address = reinterpret_cast<uintptr_t>(scratch.data());
  call.setScratch(reinterpret_cast<void *>((address + 63) / 64 * 64));
  return call.run();
}

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_TESTOPERAND_H
