//===- Tensor.cpp - operands of calls of libraries ------------------------===//

#include "test/Gpu/Libraries/Tensor.h"
#include "hocket/Runtime/Elements.h"
#include <cstring>
#include <random>

namespace hocket::test {

void forEachIndex(
    const std::vector<int64_t> &shape,
    const std::function<void(const std::vector<int64_t> &)> &visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<int64_t> index(shape.size());
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t rest = flat;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      index[dim] = rest % shape[dim];
    visit(index);
  }
}

Tensor::Tensor(DType type, std::vector<int64_t> givenShape,
               std::vector<int64_t> givenStrides, int64_t shift)
    : type(type), shape(std::move(givenShape)),
      strides(std::move(givenStrides)) {
  if (strides.empty()) {
    strides.assign(shape.size(), 1);
    for (size_t dim = shape.size() - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * std::max<int64_t>(shape[dim + 1], 1);
  }
  int64_t end = shift + 1;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    end += std::max<int64_t>(shape[dim] - 1, 0) * strides[dim];
  bytes = std::make_shared<std::vector<uint8_t>>(
      end * plan::byteSize(type) + 512, 0xff);
  auto address = reinterpret_cast<uintptr_t>(bytes->data());
  first = (256 - address % 256) % 256 + shift * plan::byteSize(type);
  static uint32_t seed = 0;
  std::mt19937 generator(++seed);
  std::uniform_real_distribution<double> numbers(-1, 1);
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    set(index, numbers(generator));
  });
}

Operand Tensor::operand() const {
  return {bytes->data() + first, type, shape, strides};
}

int64_t Tensor::place(const std::vector<int64_t> &index) const {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return first + offset * plan::byteSize(type);
}

double Tensor::get(const std::vector<int64_t> &index) const {
  const uint8_t *at = bytes->data() + place(index);
  return runtime::visitType(type, [&](auto value) {
    std::memcpy(static_cast<void *>(&value), at, sizeof value);
    if constexpr (sizeof value == 2)
      return static_cast<double>(static_cast<float>(value));
    else
      return static_cast<double>(value);
  });
}

void Tensor::set(const std::vector<int64_t> &index, double value) {
  uint8_t *at = bytes->data() + place(index);
  runtime::visitType(type, [&](auto zero) {
    using T = decltype(zero);
    T element;
    if constexpr (sizeof(T) == 2)
      element = T(static_cast<float>(value));
    else
      element = T(value);
    std::memcpy(at, static_cast<void *>(&element), sizeof element);
  });
}

void Tensor::forget() { std::fill(bytes->begin(), bytes->end(), 0xff); }

bool Tensor::isCleanOutside() const {
  std::vector<uint8_t> rest = *bytes;
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    std::memset(rest.data() + place(index), 0xff, plan::byteSize(type));
  });
  return std::count(rest.begin(), rest.end(), 0xff) == int64_t(rest.size());
}

std::vector<uint8_t> Tensor::bits() const {
  std::vector<uint8_t> all;
  forEachIndex(shape, [&](const std::vector<int64_t> &index) {
    auto at = bytes->begin() + place(index);
    all.insert(all.end(), at, at + plan::byteSize(type));
  });
  return all;
}

} // namespace hocket::test
