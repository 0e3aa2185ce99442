//===- Reduce.cu - ordered sums over ranks --------------------------------===//

#include "runtime/lib/Cuda/Kernels/Loops.cuh"
#include "runtime/lib/Cuda/Kernels/ReduceParameters.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

struct Boolean {
  uint8_t byte;
};

/// What elements are added in.
template <class T> struct Wide {
  using Type = T;
  static __device__ T of(T value) { return value; }
  static __device__ T back(T value) { return value; }
};
template <> struct Wide<__half> {
  using Type = float;
  static __device__ float of(__half value) { return __half2float(value); }
  static __device__ __half back(float value) { return __float2half_rn(value); }
};
template <> struct Wide<__nv_bfloat16> {
  using Type = float;
  static __device__ float of(__nv_bfloat16 value) {
    return __bfloat162float(value);
  }
  static __device__ __nv_bfloat16 back(float value) {
    return __float2bfloat16_rn(value);
  }
};
template <> struct Wide<Boolean> {
  using Type = int;
  static __device__ int of(Boolean value) { return value.byte != 0; }
  static __device__ Boolean back(int value) { return {uint8_t(value)}; }
};

struct Sum {
  template <class W> static __device__ W of(W a, W b) { return a + b; }
};
/// A NaN stays.
struct Max {
  template <class W> static __device__ W of(W a, W b) {
    return a < b || b != b ? b : a;
  }
};
struct Min {
  template <class W> static __device__ W of(W a, W b) {
    return b < a || b != b ? b : a;
  }
};
/// Truth values are added by "or".
template <class T, class Op> struct Joined {
  using Type = typename Wide<T>::Type;
  static __device__ Type of(Type a, Type b) { return Op::of(a, b); }
};
template <> struct Joined<Boolean, Sum> {
  static __device__ int of(int a, int b) { return a | b; }
};

/// `count` elements that one access moves.
template <class T, int count> struct alignas(sizeof(T) * count) Unit {
  T elements[count];
};

template <class T, class Op, int count>
static __device__ void reduce(const ReduceParameters &p) {
  using U = Unit<T, count>;
  uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= p.count)
    return;
  number += p.first;
  uint32_t indices[Loops::mostDims] = {};
  int64_t offset = 0;
#pragma unroll
  for (int dim = 0; dim < Loops::mostDims; ++dim) {
    if (dim >= p.loops.rank)
      break;
    indices[dim] = number;
    if (dim + 1 < p.loops.rank)
      indices[dim] = divide(number, p.loops.dims[dim]);
    offset += int64_t(indices[dim]) * p.loops.dims[dim].strides[0];
  }
  auto load = [&](int term) {
    int64_t at = 0;
#pragma unroll
    for (int dim = 0; dim < Loops::mostDims; ++dim) {
      if (dim >= p.loops.rank)
        break;
      at += int64_t(indices[dim]) * p.termStrides[term][dim];
    }
    return *reinterpret_cast<const U *>(p.terms[term] + at);
  };
  U unit = load(0);
  typename Wide<T>::Type sums[count];
#pragma unroll
  for (int i = 0; i < count; ++i)
    sums[i] = Wide<T>::of(unit.elements[i]);
  for (int term = 1; term < p.termCount; ++term) {
    unit = load(term);
#pragma unroll
    for (int i = 0; i < count; ++i)
      sums[i] = Joined<T, Op>::of(sums[i], Wide<T>::of(unit.elements[i]));
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
    unit.elements[i] = Wide<T>::back(sums[i]);
  *reinterpret_cast<U *>(p.dst + offset) = unit;
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_REDUCE(op, type, T)                                             \
  extern "C" __global__ void __launch_bounds__(256)                            \
      reduce##op##type(const __grid_constant__ ReduceParameters p) {           \
    reduce<T, op, 1>(p);                                                       \
  }                                                                            \
  extern "C" __global__ void __launch_bounds__(256)                            \
      reduce##op##type##Unit(const __grid_constant__ ReduceParameters p) {     \
    reduce<T, op, 16 / sizeof(T)>(p);                                          \
  }
#define HOCKET_REDUCTIONS(type, T)                                             \
  HOCKET_REDUCE(Sum, type, T)                                                  \
  HOCKET_REDUCE(Max, type, T)                                                  \
  HOCKET_REDUCE(Min, type, T)

HOCKET_REDUCTIONS(F32, float)
HOCKET_REDUCTIONS(F64, double)
HOCKET_REDUCTIONS(F16, __half)
HOCKET_REDUCTIONS(BF16, __nv_bfloat16)
HOCKET_REDUCTIONS(I32, int)
HOCKET_REDUCTIONS(I64, long long)
HOCKET_REDUCTIONS(Bool, Boolean)
