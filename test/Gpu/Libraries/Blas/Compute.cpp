//===- Compute.cpp - the numbers of a product -----------------------------===//

#include "test/Gpu/Libraries/Blas/Compute.h"
#include "hocket/Runtime/Half.h"
#include <cmath>
#include <cstring>
#include <vector>

namespace hocket::lookalike {

using runtime::BFloat16;
using runtime::Float16;

namespace {

/// `T` is what sums are made in.
template <typename T> T load(int type, const char *at) {
  auto as = [&](auto value) {
    std::memcpy(static_cast<void *>(&value), at, sizeof value);
    return static_cast<T>(value);
  };
  switch (type) {
  case BlasF64:
    return as(double());
  case BlasF32:
    return as(float());
  case BlasF16:
    return as(Float16());
  default:
    return as(BFloat16());
  }
}

template <typename T> void store(int type, T value, char *at) {
  auto as = [&](auto narrow) { std::memcpy(at, &narrow, sizeof narrow); };
  switch (type) {
  case BlasF64:
    return as(double(value));
  case BlasF32:
    return as(float(value));
  case BlasF16:
    return as(Float16(float(value)));
  default:
    return as(BFloat16(float(value)));
  }
}

template <typename T> class Product {
public:
  Product(const Call &call, DeviceMemory &memory)
      : call(call), problem(call.problem), memory(memory) {}

  void run() {
    for (int64_t batch = 0; batch < problem.batches(); ++batch)
      if (!runBatch(batch))
        return;
  }

private:
  /// [rows, columns] by columns; a column is read at once.
  bool read(uint64_t address, const BlasLayoutStruct &layout, int64_t batch,
            std::vector<T> &values) {
    int64_t bytes = bytesOf(layout.type), rows = layout.rows;
    std::vector<char> column(rows * bytes);
    values.clear();
    for (int64_t j = 0; j < int64_t(layout.columns); ++j) {
      uint64_t at =
          address + (batch * layout.batchStride + j * layout.leading) * bytes;
      if (!memory.read(at, column.size(), column.data()))
        return false;
      for (int64_t i = 0; i < rows; ++i)
        values.push_back(load<T>(layout.type, &column[i * bytes]));
    }
    return true;
  }

  /// Of an f32 input where the compute type allows it: 10 bits of mantissa.
  void roundInputs(std::vector<T> &values) const {
    if (problem.description.compute != BlasCompute32FastTF32)
      return;
    for (T &value : values) {
      uint32_t bits = runtime::bitsOf(float(value));
      bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
      value = T(runtime::floatOf(bits));
    }
  }

  T term(int64_t i, int64_t j, int64_t p) const {
    int64_t m = problem.m, n = problem.n, k = problem.k;
    T left = a[problem.description.transposesA ? i * k + p : p * m + i];
    T right = b[problem.description.transposesB ? p * n + j : j * k + p];
    return left * right;
  }

  T rounded(T value) const {
    char bytes[8];
    store(problem.d.type, value, bytes);
    return load<T>(problem.d.type, bytes);
  }

  T sum(int64_t i, int64_t j, int64_t batch) {
    int64_t k = problem.k;
    if (call.algorithm.order == Order::Strided) {
      T sums[4] = {};
      for (int64_t p = 0; p < k; ++p)
        sums[p % 4] += term(i, j, p);
      return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }
    if (call.algorithm.order == Order::Chunks) {
      T all = 0;
      for (int64_t first = 0; first < k; first += 16) {
        T chunk = 0;
        for (int64_t p = first; p < std::min(first + 16, k); ++p)
          chunk += term(i, j, p);
        all += chunk;
      }
      return all;
    }
    T halves[2] = {};
    for (int64_t p = k; p-- > 0;)
      halves[p >= k / 2] += term(i, j, p);
    if (call.algorithm.order == Order::Rounded)
      for (T &half : halves)
        half = rounded(half);
    int64_t index = (batch * problem.n + j) * problem.m + i;
    good &= memory.write(call.workspace + 2 * index * sizeof(T), sizeof halves,
                         halves);
    return halves[1] + halves[0];
  }

  T finish(T value, int64_t i) const {
    if (problem.hasBias())
      value += bias[i];
    if (problem.description.epilogue & BlasRelu)
      return value > 0 ? value : T(0);
    if (problem.description.epilogue & BlasGelu)
      return T(0.5) * value *
             (1 + std::tanh(T(0.7978845608028654) *
                            (value + T(0.044715) * value * value * value)));
    return value;
  }

  bool runBatch(int64_t batch) {
    if (problem.hasBias()) {
      BlasLayoutStruct layout = problem.d;
      layout.columns = 1;
      layout.batchStride = problem.description.biasStride;
      auto address = reinterpret_cast<uint64_t>(problem.description.bias);
      if (!read(address, layout, batch, bias))
        return false;
    }
    if (!read(call.a, problem.a, batch, a) ||
        !read(call.b, problem.b, batch, b) ||
        (call.beta != 0 && !read(call.c, problem.c, batch, c)))
      return false;
    roundInputs(a);
    roundInputs(b);
    int64_t bytes = bytesOf(problem.d.type);
    std::vector<char> column(problem.m * bytes);
    for (int64_t j = 0; good && j < problem.n; ++j) {
      for (int64_t i = 0; i < problem.m; ++i) {
        T value = T(call.alpha) * sum(i, j, batch);
        if (call.beta != 0)
          value += T(call.beta) * c[j * problem.m + i];
        store(problem.d.type, finish(value, i), &column[i * bytes]);
      }
      int64_t at = batch * problem.d.batchStride + j * problem.d.leading;
      good &= memory.write(call.d + at * bytes, column.size(), column.data());
    }
    return good;
  }

  const Call &call;
  const Problem &problem;
  DeviceMemory &memory;
  std::vector<T> a, b, c, bias;
  bool good = true;
};

} // namespace

void compute(const Call &call, DeviceMemory &memory) {
  if (call.problem.isDouble())
    Product<double>(call, memory).run();
  else
    Product<float>(call, memory).run();
}

} // namespace hocket::lookalike
