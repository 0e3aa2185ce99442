//===- hooks.cu - the functions that hooks.hkt puts in place on a GPU -----===//
//
// They launch their kernels on the stream of the call and wait for nothing.
//
//===----------------------------------------------------------------------===//

#include "hocket/Hook.h"

namespace {

constexpr int threads = 128; // of a block

/// As kernels take a tensor: of three dims, or of one, which is the last.
struct Tensor {
  float *data;
  int64_t shape[3], strides[3];

  explicit Tensor(const hocket_tensor &tensor)
      : data(static_cast<float *>(tensor.data)) {
    for (int dim = 0; dim < 3; ++dim) {
      int given = dim - (3 - tensor.dims);
      shape[dim] = given < 0 ? 1 : tensor.shape[given];
      strides[dim] = given < 0 ? 0 : tensor.strides[given];
    }
  }
  int64_t size() const { return shape[0] * shape[1] * shape[2]; }
  int64_t rows() const { return shape[0] * shape[1]; }

  __device__ float &at(int64_t row, int64_t k) const {
    return data[row / shape[1] * strides[0] + row % shape[1] * strides[1] +
                k * strides[2]];
  }
  /// Element `index` in row-major order.
  __device__ float &at(int64_t index) const {
    return at(index / shape[2], index % shape[2]);
  }
};

/// One thread for each of `size` elements.
__device__ int64_t index() {
  return blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
}

/// Launches what the call is to do; a launch without blocks is none.
template <class Kernel, class... Arguments>
int launch(const hocket_call *call, int64_t blocks, Kernel kernel,
           Arguments... arguments) {
  if (blocks > 0)
    kernel<<<unsigned(blocks), threads, 0, cudaStream_t(call->stream)>>>(
        arguments...);
  return cudaGetLastError();
}

int64_t blocksFor(int64_t size) { return (size + threads - 1) / threads; }

/// The sum of a number of each thread of a block, for all of them.
__device__ float sumOfBlock(float mine) {
  __shared__ float terms[threads];
  terms[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      terms[threadIdx.x] += terms[threadIdx.x + half];
  }
  __syncthreads();
  float sum = terms[0];
  __syncthreads(); // before the next sum
  return sum;
}

/// 1 / sqrt(mean of the squares of the row of this block + 1e-6).
__device__ float scaleOfBlock(Tensor x) {
  float sum = 0;
  for (int64_t k = threadIdx.x; k < x.shape[2]; k += threads)
    sum += x.at(blockIdx.x, k) * x.at(blockIdx.x, k);
  return 1 / sqrtf(sumOfBlock(sum) / float(x.shape[2]) + 1e-6f);
}

__global__ void swigluKernel(Tensor gate, Tensor up, Tensor y, int64_t size) {
  int64_t i = index();
  if (i < size)
    y.at(i) = gate.at(i) / (1 + expf(-gate.at(i))) * up.at(i);
}

__global__ void swigluGradKernel(Tensor gate, Tensor up, Tensor dy,
                                 Tensor dgate, Tensor dup, int64_t size) {
  int64_t i = index();
  if (i >= size)
    return;
  float g = gate.at(i), d = dy.at(i), s = 1 / (1 + expf(-g));
  dup.at(i) = d * g * s;
  dgate.at(i) = d * up.at(i) * s * (1 + g * (1 - s));
}

/// A block a row.
__global__ void rmsKernel(Tensor x, Tensor weight, Tensor y) {
  float scale = scaleOfBlock(x);
  for (int64_t k = threadIdx.x; k < x.shape[2]; k += threads)
    y.at(blockIdx.x, k) = x.at(blockIdx.x, k) * scale * weight.at(0, k);
}

/// A block a row; leaves the row's scale for the sum over rows.
__global__ void rmsGradKernel(Tensor x, Tensor weight, Tensor dy, Tensor dx,
                              float *scales) {
  int64_t row = blockIdx.x;
  float scale = scaleOfBlock(x), mine = 0;
  for (int64_t k = threadIdx.x; k < x.shape[2]; k += threads)
    mine += dy.at(row, k) * weight.at(0, k) * x.at(row, k) * scale;
  float mean = sumOfBlock(mine) / float(x.shape[2]);
  for (int64_t k = threadIdx.x; k < x.shape[2]; k += threads)
    dx.at(row, k) =
        scale * (dy.at(row, k) * weight.at(0, k) - x.at(row, k) * scale * mean);
  if (threadIdx.x == 0)
    scales[row] = scale;
}

/// A thread a column, so that the order of the sum is always the same.
__global__ void rmsWeightGradKernel(Tensor x, Tensor dy, const float *scales,
                                    Tensor dweight, int64_t rows) {
  int64_t k = index();
  if (k >= x.shape[2])
    return;
  float sum = 0;
  for (int64_t row = 0; row < rows; ++row)
    sum += dy.at(row, k) * x.at(row, k) * scales[row];
  dweight.at(0, k) = sum;
}

__global__ void packKernel(Tensor x, float *mine, int64_t size) {
  int64_t i = index();
  if (i < size)
    mine[i] = x.at(i);
}

__global__ void sumKernel(const float *all, int64_t members, Tensor y,
                          int64_t size) {
  int64_t i = index();
  if (i >= size)
    return;
  float sum = 0;
  for (int64_t member = 0; member < members; ++member)
    sum += all[member * size + i];
  y.at(i) = sum;
}

} // namespace

HOCKET_HOOK(swiglu) {
  Tensor gate(call->inputs[0]), up(call->inputs[1]), y(call->outputs[0]);
  return launch(call, blocksFor(y.size()), swigluKernel, gate, up, y, y.size());
}

HOCKET_HOOK(swiglu_grad) {
  Tensor gate(call->inputs[0]), up(call->inputs[1]), dy(call->inputs[2]);
  Tensor dgate(call->outputs[0]), dup(call->outputs[1]);
  return launch(call, blocksFor(dy.size()), swigluGradKernel, gate, up, dy,
                dgate, dup, dy.size());
}

HOCKET_HOOK(rms) {
  Tensor x(call->inputs[0]), weight(call->inputs[1]), y(call->outputs[0]);
  return launch(call, x.rows(), rmsKernel, x, weight, y);
}

HOCKET_HOOK(rms_grad) {
  Tensor x(call->inputs[0]), weight(call->inputs[1]), dy(call->inputs[2]);
  Tensor dx(call->outputs[0]), dweight(call->outputs[1]);
  auto *scales = static_cast<float *>(
      call->scratch(call->device, x.rows() * int64_t(sizeof(float))));
  if (!scales)
    return 1;
  int status = launch(call, x.rows(), rmsGradKernel, x, weight, dy, dx, scales);
  return status ? status
                : launch(call, blocksFor(x.shape[2]), rmsWeightGradKernel, x,
                         dy, scales, dweight, x.rows());
}

/// Everybody fetches all, and adds in the same order: the same bits everywhere.
HOCKET_HOOK(gathered_sum) {
  Tensor x(call->inputs[0]), y(call->outputs[0]);
  int64_t size = x.size(), bytes = size * int64_t(sizeof(float));
  auto *mine = static_cast<float *>(call->scratch(call->device, bytes));
  auto *all =
      static_cast<float *>(call->scratch(call->device, call->members * bytes));
  if (!mine || !all)
    return 1;
  if (int status = launch(call, blocksFor(size), packKernel, x, mine, size))
    return status;
  if (call->all_gather(call->communicator, mine, all, bytes))
    return 1;
  return launch(call, blocksFor(size), sumKernel, all, call->members, y, size);
}
