//===- LoopNest.cpp - strided loops over several operands -----------------===//

#include "runtime/lib/Cuda/Kernels/LoopNest.h"
#include <algorithm>
#include <cstdlib>
#include <string>

namespace hocket::runtime::cuda {

constexpr int64_t mostUnits = (int64_t(1) << 31) - 1;

LoopNest::LoopNest(const std::vector<int64_t> &shape,
                   const std::vector<std::vector<int64_t>> &strides,
                   const std::vector<int64_t> &bytes) {
  std::vector<Dim> all;
  for (size_t k = 0; k < shape.size(); ++k) {
    Dim dim{shape[k], {}};
    for (size_t i = 0; i < strides.size(); ++i)
      dim.strides[i] = strides[i][k] * bytes[i];
    if (shape[k] != 1)
      all.push_back(dim);
  }
  std::sort(all.begin(), all.end(), [](const Dim &a, const Dim &b) {
    return std::llabs(a.strides[0]) > std::llabs(b.strides[0]);
  });
  std::reverse(all.begin(), all.end());
  for (const Dim &dim : all) {
    bool merges = !dims.empty();
    for (int i = 0; merges && i < mostOperands; ++i)
      merges = dim.strides[i] == dims.back().strides[i] * dims.back().extent;
    if (merges)
      dims.back().extent *= dim.extent;
    else
      dims.push_back(dim);
  }
}

int64_t LoopNest::total() const {
  int64_t product = 1;
  for (const Dim &dim : dims)
    product *= dim.extent;
  return product;
}

bool LoopNest::isWidened(int64_t unit, int64_t bytes,
                         const std::vector<int> &moved,
                         const std::vector<uint64_t> &addresses) const {
  if (dims[0].extent * bytes % unit != 0)
    return false;
  for (uint64_t address : addresses)
    if (address % unit != 0)
      return false;
  for (size_t k = 1; k < dims.size(); ++k)
    for (int operand : moved)
      if (dims[k].strides[operand] % unit != 0)
        return false;
  return true;
}

int64_t LoopNest::widen(int64_t bytes, const std::vector<int> &moved,
                        const std::vector<uint64_t> &addresses) {
  if (dims.empty())
    return bytes;
  for (int operand = 0; operand < mostOperands; ++operand) {
    bool isMoved =
        std::find(moved.begin(), moved.end(), operand) != moved.end();
    if (dims[0].strides[operand] != (isMoved ? bytes : 0))
      return bytes;
  }
  int64_t unit = 16;
  while (unit > bytes && !isWidened(unit, bytes, moved, addresses))
    unit /= 2;
  if (unit <= bytes)
    return bytes;
  dims[0].extent = dims[0].extent * bytes / unit;
  for (int operand : moved)
    dims[0].strides[operand] = unit;
  if (dims[0].extent == 1)
    dims.erase(dims.begin());
  return unit;
}

LoopDim loopDim(int64_t extent, const LoopNest::Strides &strides) {
  uint32_t shift = 0;
  while ((int64_t(1) << shift) < extent)
    ++shift;
  uint64_t power = uint64_t(1) << (31 + shift);
  LoopDim dim = {};
  dim.extent = static_cast<uint32_t>(extent);
  dim.multiplier = static_cast<uint32_t>((power + extent - 1) / extent);
  dim.shift = shift - 1;
  std::copy(strides.begin(), strides.end(), dim.strides);
  return dim;
}

Status LoopNest::parts(std::vector<Part> &out) const {
  if (dims.size() > Loops::mostDims)
    return Status::runtimeError(
        "a window of " + std::to_string(dims.size()) +
        " dims that do not lie one after another is more than the " +
        std::to_string(Loops::mostDims) + " that CUDA kernels count");
  if (!isEmpty())
    addParts({}, out);
  return Status::success();
}

void LoopNest::addParts(Strides begin, std::vector<Part> &out) const {
  if (total() > mostUnits) {
    LoopNest low = *this, high = *this;
    size_t k = dims.size() - 1;
    while (dims[k].extent == 1)
      --k;
    low.dims[k].extent = dims[k].extent / 2;
    high.dims[k].extent = dims[k].extent - low.dims[k].extent;
    Strides middle = begin;
    for (int i = 0; i < mostOperands; ++i)
      middle[i] += low.dims[k].extent * dims[k].strides[i];
    low.addParts(begin, out);
    high.addParts(middle, out);
    return;
  }
  Part part = {{}, begin};
  part.loops.total = static_cast<uint32_t>(total());
  for (const Dim &dim : dims)
    if (dim.extent > 1)
      part.loops.dims[part.loops.rank++] = loopDim(dim.extent, dim.strides);
  out.push_back(part);
}

} // namespace hocket::runtime::cuda
