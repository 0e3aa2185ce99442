//===- Elements.h - the elements of a tensor in memory ---------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_ELEMENTS_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_ELEMENTS_H

#include "hocket/Runtime/Half.h"
#include "test/Gpu/Libraries/Dnn/Compute.h"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace hocket::lookalike {

/// `T` is what sums are made in.
template <typename T> T load(int64_t type, const char *at) {
  auto as = [&](auto value) {
    std::memcpy(static_cast<void *>(&value), at, sizeof value);
    return static_cast<T>(value);
  };
  switch (type) {
  case DnnF64:
    return as(double());
  case DnnF32:
    return as(float());
  case DnnI32:
    return as(int32_t());
  case DnnF16:
    return as(runtime::Float16());
  default:
    return as(runtime::BFloat16());
  }
}

template <typename T> void store(int64_t type, T value, char *at) {
  auto as = [&](auto narrow) { std::memcpy(at, &narrow, sizeof narrow); };
  switch (type) {
  case DnnF64:
    return as(double(value));
  case DnnF32:
    return as(float(value));
  case DnnF16:
    return as(runtime::Float16(float(value)));
  default:
    return as(runtime::BFloat16(float(value)));
  }
}

/// The bytes of a tensor from its first to its last element.
inline std::vector<char> spanOf(const Tensor &tensor, const Numbers &places) {
  int64_t last = *std::max_element(places.begin(), places.end());
  return std::vector<char>((last + 1) * bytesOf(tensor.type));
}

/// Row-major; nothing after a finding.
template <typename T>
std::vector<T> read(const Tensor &tensor, uint64_t address,
                    DeviceMemory &memory) {
  Numbers places = tensor.places();
  std::vector<char> bytes = spanOf(tensor, places);
  for (const HocketLookalikeRange &range : rangesOf(tensor, address))
    if (!memory.read(range.address, range.bytes,
                     &bytes[range.address - address]))
      return {};
  std::vector<T> values;
  for (int64_t place : places)
    values.push_back(
        load<T>(tensor.type, &bytes[place * bytesOf(tensor.type)]));
  return values;
}

/// False after a finding.
template <typename T>
bool write(const Tensor &tensor, uint64_t address, const std::vector<T> &values,
           DeviceMemory &memory) {
  Numbers places = tensor.places();
  std::vector<char> bytes = spanOf(tensor, places);
  for (size_t i = 0; i < places.size(); ++i)
    store(tensor.type, values[i], &bytes[places[i] * bytesOf(tensor.type)]);
  for (const HocketLookalikeRange &range : rangesOf(tensor, address))
    if (!memory.write(range.address, range.bytes,
                      &bytes[range.address - address]))
      return false;
  return true;
}

/// Adds the terms of a result in the order of an engine.
template <typename T> class Sum {
public:
  explicit Sum(Order order) : order(order) {}

  std::vector<T> terms;
  T halves[2] = {}; // of Order::Halves

  T add() {
    T sum = 0;
    if (order == Order::Halves) {
      halves[0] = halves[1] = 0;
      for (size_t i = terms.size(); i-- > 0;)
        halves[i >= terms.size() / 2] += terms[i];
      return halves[1] + halves[0];
    }
    if (order == Order::Chunks) {
      for (size_t first = 0; first < terms.size(); first += 8) {
        T chunk = 0;
        for (size_t i = first; i < std::min(first + 8, terms.size()); ++i)
          chunk += terms[i];
        sum += chunk;
      }
      return sum;
    }
    static std::atomic<size_t> runs = 0;
    size_t first = order == Order::Random ? ++runs : 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      T term = terms[(first + i) % terms.size()];
      sum += order == Order::Rounded ? rounded(term) : term;
    }
    return sum;
  }

private:
  static T rounded(T value) {
    uint32_t bits = runtime::bitsOf(float(value));
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    return T(runtime::floatOf(bits));
  }

  Order order;
};

} // namespace hocket::lookalike

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_ELEMENTS_H
