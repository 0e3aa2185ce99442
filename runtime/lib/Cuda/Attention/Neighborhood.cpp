//===- Neighborhood.cpp - launches of neighborhood attention --------------===//

#include "runtime/lib/Cuda/Attention/Neighborhood.h"
#include "runtime/lib/Cuda/Attention/NeighborhoodParameters.h"
#include <algorithm>

namespace hocket::runtime::cuda {

/// Dims of positions that are missing come first.
static GridTensor gridTensor(const Operand &operand) {
  GridTensor x = {};
  x.data = addressOf(operand);
  size_t missing = 6 - operand.shape.size();
  for (size_t dim = 0; dim < operand.shape.size(); ++dim)
    x.strides[dim < 2 ? dim : dim + missing] = operand.strides[dim];
  return x;
}

static Status refuse(const std::string &why) {
  return Status::runtimeError("neighborhood attention " + why);
}

static Status check(const NeighborhoodArguments &given,
                    const std::vector<const Operand *> &others) {
  using plan::DType;
  DType type = given.q.type;
  if (type != DType::F32 && type != DType::F64 && type != DType::F16 &&
      type != DType::BF16)
    return refuse(std::string("of ") + plan::toString(type) +
                  " has no CUDA kernel");
  for (const Operand *one : others)
    if (one->type != type)
      return refuse(std::string("of ") + plan::toString(type) + " and " +
                    plan::toString(one->type) +
                    " has no CUDA kernel, expected operands of one type");
  int64_t depth = std::max(given.q.shape.back(), given.v.shape.back());
  if (depth > 256)
    return refuse("with heads of " + std::to_string(depth) +
                  " elements has no CUDA kernel, expected 256 at most");
  constexpr int64_t most = int64_t(1) << 30;
  for (const plan::Neighborhood &window : given.windows)
    if ((window.kernel + window.stride) * window.dilation + window.extent >
        most)
      return refuse("over a dim of " + std::to_string(window.extent) +
                    " positions is more than CUDA kernels count");
  return Status::success();
}

static int64_t rowsOf(const Operand &operand) {
  int64_t rows = 1;
  for (size_t dim = 0; dim + 1 < operand.shape.size(); ++dim)
    rows *= operand.shape[dim];
  return rows;
}

static NeighborhoodParameters parametersOf(const NeighborhoodArguments &given) {
  NeighborhoodParameters p = {};
  p.q = gridTensor(given.q);
  p.k = gridTensor(given.k);
  p.v = gridTensor(given.v);
  p.out = gridTensor(given.out);
  size_t missing = 3 - given.windows.size();
  if (given.lse) {
    p.lse = addressOf(*given.lse);
    for (size_t dim = 0; dim < given.lse->shape.size(); ++dim)
      p.lseStrides[dim < 2 ? dim : dim + missing] = given.lse->strides[dim];
  }
  for (size_t i = 0; i < missing; ++i)
    p.dims[i] = {1, 1, 1, 1, 0, 1, 1, 0, 0, 0};
  for (size_t i = 0; i < given.windows.size(); ++i) {
    const plan::Neighborhood &window = given.windows[i];
    WindowDim &dim = p.dims[missing + i];
    dim.extent = static_cast<int32_t>(window.extent);
    dim.kernel = static_cast<int32_t>(window.kernel);
    dim.stride = static_cast<int32_t>(window.stride);
    dim.dilation = static_cast<int32_t>(window.dilation);
    dim.isCausal = window.causal;
    dim.queries = static_cast<int32_t>(given.q.shape[i + 2]);
    dim.keys = static_cast<int32_t>(given.k.shape[i + 2]);
    dim.queryOffset = static_cast<int32_t>(given.queryOffsets[i]);
    dim.keyOffset = static_cast<int32_t>(given.keyOffsets[i]);
  }
  p.heads = given.q.shape[1];
  p.kvHeads = given.k.shape[1];
  p.group = given.group;
  p.headOffset = given.headOffset;
  p.kvHeadOffset = given.kvHeadOffset;
  p.scale = given.scale;
  p.depth = static_cast<int32_t>(given.q.shape.back());
  p.width = static_cast<int32_t>(given.v.shape.back());
  return p;
}

/// A kernel with a warp for each of `rows`; that of a gradient uses scratch.
static Status addRows(const char *kernel, plan::DType type, int64_t rows,
                      NeighborhoodParameters &p, KernelLaunches &launches) {
  if (rows >= int64_t(1) << 31)
    return refuse("with " + std::to_string(rows) +
                  " rows is more than CUDA kernels count");
  p.rows = static_cast<uint32_t>(rows);
  std::string name = type == plan::DType::F32   ? "F32"
                     : type == plan::DType::F64 ? "F64"
                     : type == plan::DType::F16 ? "F16"
                                                : "BF16";
  name = kernel + name + (std::max(p.depth, p.width) <= 64 ? "D64" : "D256");
  constexpr unsigned threads = 128, warps = threads / 32;
  if (rows > 0) {
    launches.add("Neighborhood", name, (uint64_t(rows) + warps - 1) / warps,
                 threads, p);
    if (p.dq.data || p.dk.data)
      launches.usesScratch(offsetof(NeighborhoodParameters, left));
  }
  return Status::success();
}

Status addNeighborhood(const NeighborhoodArguments &given,
                       KernelLaunches &launches) {
  Status status = check(given, {&given.k, &given.v, &given.out});
  if (!status.ok())
    return status;
  NeighborhoodParameters p = parametersOf(given);
  return addRows("neighborhood", given.q.type, rowsOf(given.q), p, launches);
}

Status addNeighborhoodGrad(const NeighborhoodGradArguments &given,
                           KernelLaunches &launches) {
  const NeighborhoodArguments &forward = given.forward;
  Status status =
      check(forward, {&forward.k, &forward.v, &forward.out, &given.dout,
                      &given.dq, &given.dk, &given.dv});
  if (!status.ok())
    return status;
  NeighborhoodParameters p = parametersOf(forward);
  p.dout = gridTensor(given.dout);
  p.dq = gridTensor(given.dq);
  p.dk = gridTensor(given.dk);
  p.dv = gridTensor(given.dv);
  plan::DType type = forward.q.type;
  int64_t queries = rowsOf(forward.q);
  p.allQueries = static_cast<uint32_t>(queries);
  p.left = launches.takeScratch(3 * std::max<int64_t>(queries, 1) *
                                (type == plan::DType::F64 ? 8 : 4));
  status = addRows("queryGradient", type, queries, p, launches);
  if (!status.ok())
    return status;
  return addRows("keyGradient", type, rowsOf(forward.k), p, launches);
}

} // namespace hocket::runtime::cuda
