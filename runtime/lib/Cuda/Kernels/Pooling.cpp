//===- Pooling.cpp - launches of pooling and its gradient -----------------===//

#include "runtime/lib/Cuda/Kernels/Pooling.h"
#include "runtime/lib/Cuda/Kernels/LoopNest.h"
#include "runtime/lib/Cuda/Kernels/PoolingParameters.h"

namespace hocket::runtime::cuda {

static Status check(const PoolingArguments &given) {
  for (size_t d = 0; d < given.taps.size(); ++d) {
    int64_t reach = given.taps[d] * given.dilations[d];
    int64_t most = given.extents[d] + given.lows[d] + given.highs[d] + reach;
    if (most >= int64_t(1) << placeBits)
      return Status::runtimeError(
          "pooling over a dim of " + std::to_string(given.extents[d]) +
          " positions with its border and window has no CUDA kernel, expected "
          "less than 2097152");
  }
  return Status::success();
}

/// The dims, those that are missing first.
static void setDims(const PoolingArguments &given, PoolingParameters &p) {
  const Operand &input = given.x.shape.empty() ? given.dx : given.x;
  size_t missing = 3 - given.taps.size();
  for (size_t i = 0; i < missing; ++i)
    p.dims[i] = {1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0};
  for (size_t d = 0; d < given.taps.size(); ++d) {
    PoolingDim &dim = p.dims[missing + d];
    dim.x = static_cast<int32_t>(input.shape[d + 2]);
    dim.y = static_cast<int32_t>(given.y.shape[d + 2]);
    dim.taps = static_cast<int32_t>(given.taps[d]);
    dim.stride = static_cast<int32_t>(given.strides[d]);
    dim.dilation = static_cast<int32_t>(given.dilations[d]);
    dim.low = static_cast<int32_t>(given.lows[d]);
    dim.high = static_cast<int32_t>(given.highs[d]);
    dim.extent = static_cast<int32_t>(given.extents[d]);
    dim.xFirst = static_cast<int32_t>(given.xFirst[d]);
    dim.yFirst = static_cast<int32_t>(given.yFirst[d]);
    if (!given.x.shape.empty())
      dim.xStep = given.x.strides[d + 2] * plan::byteSize(given.x.type);
    dim.yStep = given.y.strides[d + 2] * plan::byteSize(given.y.type);
  }
}

static const char *nameOf(plan::DType type) {
  switch (type) {
  case plan::DType::F64:
    return "F64";
  case plan::DType::F16:
    return "F16";
  case plan::DType::BF16:
    return "BF16";
  default:
    return "F32";
  }
}

static std::string entryOf(const PoolingArguments &given) {
  bool isMean = given.kind == plan::PoolingKind::Average;
  bool isIndex = given.kind == plan::PoolingKind::MaxIndex;
  std::string type = nameOf((isIndex ? given.x : given.y).type);
  if (given.isGradient)
    return (isMean ? "gradientOfMean" : "gradientOfLargest") + type;
  return (isMean ? "mean" : isIndex ? "index" : "largest") + type;
}

/// The strides of batch entries and channels; none of positions.
static std::vector<int64_t> outerStrides(const Operand &operand, size_t rank) {
  std::vector<int64_t> strides(rank, 0);
  if (!operand.shape.empty())
    std::copy_n(operand.strides.begin(), 2, strides.begin());
  return strides;
}

Status addPooling(const PoolingArguments &given, KernelLaunches &launches) {
  Status status = check(given);
  if (!status.ok())
    return status;
  const Operand &out = given.isGradient ? given.dx : given.y;
  PoolingParameters p = {};
  setDims(given, p);
  p.out = addressOf(out);
  p.y = addressOf(given.y);
  p.x = addressOf(given.x);
  p.countsBorder = given.countsBorder;
  size_t rank = out.shape.size();
  std::vector<int64_t> places(rank, 0);
  for (size_t d = 2; d < rank; ++d)
    places[d] = int64_t(1) << placeBits * (rank - 1 - d);
  LoopNest nest(out.shape,
                {out.strides, outerStrides(given.y, rank),
                 outerStrides(given.x, rank), places},
                {plan::byteSize(out.type), plan::byteSize(given.y.type),
                 plan::byteSize(given.x.type), 1});
  std::vector<LoopNest::Part> parts;
  status = nest.parts(parts);
  for (const LoopNest::Part &part : parts) {
    PoolingParameters one = p;
    one.out += part.begin[0];
    one.y += part.begin[1];
    one.x += part.begin[2];
    one.firstPlace = part.begin[3];
    one.loops = part.loops;
    constexpr unsigned threads = 256;
    launches.add("Pooling", entryOf(given),
                 (uint64_t(part.loops.total) + threads - 1) / threads, threads,
                 one);
  }
  return status;
}

} // namespace hocket::runtime::cuda
