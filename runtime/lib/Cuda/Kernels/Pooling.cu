//===- Pooling.cu - maxima and means of windows, and their gradients ------===//
//
// A thread computes one element of what is written. A gradient gathers: a
// position of x looks for the windows that it is in, in the order in which a
// CPU adds them.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Kernels/Loops.cuh"
#include "runtime/lib/Cuda/Kernels/PoolingParameters.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace hocket::runtime::cuda {

constexpr int threads = 256;

template <class T> struct WideOf {
  using Type = float;
};
template <> struct WideOf<double> {
  using Type = double;
};
template <class T> using Wide = typename WideOf<T>::Type;

/// Indices of the three spatial dims.
struct Place {
  int at[3];
};

/// What a thread has to write.
struct Element {
  uint64_t out, y, x;
  Place place;

  __device__ explicit Element(const PoolingParameters &p, uint32_t n) {
    int64_t offsets[4];
    offsetsAt(p.loops, n, offsets);
    offsets[3] += p.firstPlace;
    out = p.out + offsets[0];
    y = p.y + offsets[1];
    x = p.x + offsets[2];
    constexpr int mask = (1 << placeBits) - 1;
    place = {{int(offsets[3] >> 2 * placeBits),
              int(offsets[3] >> placeBits) & mask, int(offsets[3]) & mask}};
  }
};

static __device__ inline int positionOf(const PoolingDim &dim, int output,
                                        int tap) {
  return (dim.yFirst + output) * dim.stride - dim.low + tap * dim.dilation;
}
static __device__ inline bool isData(const PoolingDim &dim, int position) {
  return position >= 0 && position < dim.extent;
}

/// Calls visit(positions) for those of a window that are data, in order.
template <class Visit>
static __device__ inline void forData(const PoolingParameters &p,
                                      const Place &output, Visit visit) {
  Place at;
  for (int i = 0; i < p.dims[0].taps; ++i) {
    at.at[0] = positionOf(p.dims[0], output.at[0], i);
    if (!isData(p.dims[0], at.at[0]))
      continue;
    for (int j = 0; j < p.dims[1].taps; ++j) {
      at.at[1] = positionOf(p.dims[1], output.at[1], j);
      if (!isData(p.dims[1], at.at[1]))
        continue;
      for (int k = 0; k < p.dims[2].taps; ++k) {
        at.at[2] = positionOf(p.dims[2], output.at[2], k);
        if (isData(p.dims[2], at.at[2]))
          visit(at);
      }
    }
  }
}

template <class T>
static __device__ inline Wide<T> load(const PoolingParameters &p, uint64_t x,
                                      const Place &at) {
#pragma unroll
  for (int d = 0; d < 3; ++d)
    x += int64_t(at.at[d] - p.dims[d].xFirst) * p.dims[d].xStep;
  return Wide<T>(*reinterpret_cast<const T *>(x));
}

/// Of the border only what counts, if it does; at least 1.
static __device__ inline int divisorOf(const PoolingParameters &p,
                                       const Place &output) {
  int count = 1;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    const PoolingDim &dim = p.dims[d];
    int begin = p.countsBorder ? -dim.low : 0;
    int end = dim.extent + (p.countsBorder ? dim.high : 0), ofDim = 0;
    for (int tap = 0; tap < dim.taps; ++tap) {
      int position = positionOf(dim, output.at[d], tap);
      ofDim += position >= begin && position < end;
    }
    count *= ofDim;
  }
  return max(count, 1);
}

/// A NaN always takes the place of the largest so far.
template <class W> static __device__ inline bool isLarger(W value, W largest) {
  return value > largest || value != value;
}

/// The position of the largest value of a window, and whether it has data.
template <class T>
static __device__ inline bool largestOf(const PoolingParameters &p, uint64_t x,
                                        const Place &output, Place &at) {
  bool found = false;
  Wide<T> largest = 0;
  forData(p, output, [&](const Place &here) {
    Wide<T> value = load<T>(p, x, here);
    if (!found || isLarger(value, largest)) {
      largest = value;
      at = here;
      found = true;
    }
  });
  return found;
}

template <class T>
static __device__ void largest(const PoolingParameters &p,
                               const Element &element) {
  Wide<T> result = -INFINITY;
  forData(p, element.place, [&](const Place &here) {
    Wide<T> value = load<T>(p, element.x, here);
    if (isLarger(value, result))
      result = value;
  });
  *reinterpret_cast<T *>(element.out) = T(result);
}

template <class T>
static __device__ void mean(const PoolingParameters &p,
                            const Element &element) {
  Wide<T> sum = 0;
  forData(p, element.place,
          [&](const Place &here) { sum += load<T>(p, element.x, here); });
  *reinterpret_cast<T *>(element.out) =
      T(sum / Wide<T>(divisorOf(p, element.place)));
}

/// Row-major among all positions, whoever has them; -1 without data.
template <class T>
static __device__ void index(const PoolingParameters &p,
                             const Element &element) {
  Place at = {};
  bool found = largestOf<T>(p, element.x, element.place, at);
  int64_t number = 0;
#pragma unroll
  for (int d = 0; d < 3; ++d)
    number = number * p.dims[d].extent + at.at[d];
  *reinterpret_cast<int64_t *>(element.out) = found ? number : -1;
}

/// Outputs of a dim whose windows have a position: that of the n-th tap from
/// the last one on, so that they rise. False if there is none here.
static __device__ inline bool outputOf(const PoolingDim &dim, int position,
                                       int n, int &output) {
  int begin = position + dim.low - (dim.taps - 1 - n) * dim.dilation;
  output = begin / dim.stride - dim.yFirst;
  return begin >= 0 && begin % dim.stride == 0 && output >= 0 && output < dim.y;
}

template <class T, bool isMax>
static __device__ void gradient(const PoolingParameters &p,
                                const Element &element) {
  Place at;
  bool isThere = true;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    at.at[d] = element.place.at[d] + p.dims[d].xFirst;
    isThere &= isData(p.dims[d], at.at[d]);
  }
  Wide<T> sum = 0;
  auto add = [&](const Place &output) {
    uint64_t y = element.y;
#pragma unroll
    for (int d = 0; d < 3; ++d)
      y += int64_t(output.at[d]) * p.dims[d].yStep;
    Wide<T> value = Wide<T>(*reinterpret_cast<const T *>(y));
    if (!isMax) {
      sum += value / Wide<T>(divisorOf(p, output));
      return;
    }
    Place largest;
    largestOf<T>(p, element.x, output, largest);
    if (largest.at[0] == at.at[0] && largest.at[1] == at.at[1] &&
        largest.at[2] == at.at[2])
      sum += value;
  };
  Place output;
  for (int i = 0; isThere && i < p.dims[0].taps; ++i)
    if (outputOf(p.dims[0], at.at[0], i, output.at[0]))
      for (int j = 0; j < p.dims[1].taps; ++j)
        if (outputOf(p.dims[1], at.at[1], j, output.at[1]))
          for (int k = 0; k < p.dims[2].taps; ++k)
            if (outputOf(p.dims[2], at.at[2], k, output.at[2]))
              add(output);
  *reinterpret_cast<T *>(element.out) = T(sum);
}

} // namespace hocket::runtime::cuda

using namespace hocket::runtime::cuda;

#define HOCKET_KERNEL(name, ...)                                               \
  extern "C" __global__ void __launch_bounds__(256, 2)                         \
      name(const __grid_constant__ PoolingParameters p) {                      \
    uint32_t n = blockIdx.x * threads + threadIdx.x;                           \
    if (n < p.loops.total)                                                     \
      __VA_ARGS__(p, Element(p, n));                                           \
  }
#define HOCKET_KERNELS(type, T)                                                \
  HOCKET_KERNEL(largest##type, largest<T>)                                     \
  HOCKET_KERNEL(mean##type, mean<T>)                                           \
  HOCKET_KERNEL(index##type, index<T>)                                         \
  HOCKET_KERNEL(gradientOfLargest##type, gradient<T, true>)                    \
  HOCKET_KERNEL(gradientOfMean##type, gradient<T, false>)

HOCKET_KERNELS(F32, float)
HOCKET_KERNELS(F64, double)
HOCKET_KERNELS(F16, __half)
HOCKET_KERNELS(BF16, __nv_bfloat16)
