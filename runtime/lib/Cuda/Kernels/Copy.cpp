//===- Copy.cpp - launches of copies, constants and ramps -----------------===//

#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "hocket/Runtime/Elements.h"
#include "runtime/lib/Cuda/Kernels/CopyParameters.h"
#include "runtime/lib/Cuda/Kernels/LoopNest.h"
#include <algorithm>

namespace hocket::runtime::cuda {

constexpr char source[] = "Copy";
constexpr unsigned threads = 256, unitsOfThread = 4;

static uint64_t blocksFor(const Loops &loops) {
  constexpr uint64_t units = threads * unitsOfThread;
  return (loops.total + units - 1) / units;
}

/// The dim along which src is contiguous, if dst is along the innermost one and
/// both are long enough for tiles; -1 if there is none.
static int dimAcross(const LoopNest &nest, int64_t bytes) {
  constexpr int64_t least = 16; // elements, else most of a tile is empty
  if (!nest.isContiguous(0, bytes) || nest.isContiguous(1, bytes) ||
      nest.dims[0].extent < least)
    return -1;
  for (size_t k = 1; k < nest.dims.size(); ++k)
    if (nest.dims[k].strides[1] == bytes && nest.dims[k].extent >= least)
      return static_cast<int>(k);
  return -1;
}

/// Whether rows of both sides begin at multiples of 16 bytes and have a whole
/// number of these.
static bool hasGroups(const TransposeParameters &p, const LoopNest &outer,
                      int64_t bytes) {
  int64_t all = p.dst | p.src | p.dstStep | p.srcStep | p.rows * bytes |
                p.columns * bytes;
  for (const LoopNest::Dim &dim : outer.dims)
    all |= dim.strides[0] | dim.strides[1];
  return all % 16 == 0;
}

static Status addTranspose(const Operand &src, const Operand &dst,
                           LoopNest nest, int across,
                           KernelLaunches &launches) {
  int64_t bytes = plan::byteSize(dst.type);
  TransposeParameters p = {};
  p.dst = addressOf(dst);
  p.src = addressOf(src);
  LoopNest::Dim columns = nest.dims[0], rows = nest.dims[across];
  p.columns = columns.extent;
  p.rows = rows.extent;
  p.dstStep = rows.strides[0];
  p.srcStep = columns.strides[1];
  nest.dims.erase(nest.dims.begin() + across);
  nest.dims.erase(nest.dims.begin());
  bool groups = hasGroups(p, nest, bytes);
  int64_t side = bytes == 1   ? 128
                 : bytes == 2 ? 64
                 : bytes == 8 ? 32
                 : groups     ? 64
                              : 32;
  int64_t rowTiles = (p.rows + side - 1) / side;
  int64_t columnTiles = (p.columns + side - 1) / side;
  auto count = [](int64_t tiles, LoopDim &dim, uint32_t &has) {
    has = tiles > 1;
    if (has)
      dim = loopDim(tiles, {});
  };
  count(rowTiles, p.rowTiles, p.hasRowTiles);
  count(columnTiles, p.columnTiles, p.hasColumnTiles);
  std::vector<LoopNest::Part> parts;
  Status status = nest.parts(parts);
  std::string entry = (groups ? "transposeGroups" : "transposeElements") +
                      std::to_string(bytes);
  for (const LoopNest::Part &part : parts) {
    TransposeParameters one = p;
    one.dst += part.begin[0];
    one.src += part.begin[1];
    one.outer = part.loops;
    launches.add(source, entry, part.loops.total * rowTiles * columnTiles,
                 threads, one);
  }
  return status;
}

Status addCopy(const Operand &src, const Operand &dst,
               KernelLaunches &launches) {
  int64_t bytes = plan::byteSize(dst.type);
  LoopNest nest(dst.shape, {dst.strides, src.strides}, {bytes, bytes});
  if (nest.isEmpty())
    return Status::success();
  if (int across = dimAcross(nest, bytes); across > 0) {
    // The blocks of one launch are counted in 31 bits.
    if (nest.total() < int64_t(1) << 38)
      return addTranspose(src, dst, nest, across, launches);
  }
  int64_t unit = nest.widen(bytes, {0, 1}, {addressOf(dst), addressOf(src)});
  std::vector<LoopNest::Part> parts;
  Status status = nest.parts(parts);
  for (const LoopNest::Part &part : parts)
    launches.add(source, "copy" + std::to_string(unit), blocksFor(part.loops),
                 threads,
                 CopyParameters{addressOf(dst) + part.begin[0],
                                addressOf(src) + part.begin[1], part.loops});
  return status;
}

template <typename T> static T fromNumber(double value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else
    return T(value);
}

Status addFill(const Operand &dst, double value, KernelLaunches &launches) {
  int64_t bytes = plan::byteSize(dst.type);
  LoopNest nest(dst.shape, {dst.strides}, {bytes});
  FillParameters p = {};
  visitType(dst.type, [&](auto zero) {
    auto element = fromNumber<decltype(zero)>(value);
    for (int64_t at = 0; at < 16; at += bytes)
      std::memcpy(reinterpret_cast<char *>(p.value) + at, &element, bytes);
  });
  int64_t unit = nest.widen(bytes, {0}, {addressOf(dst)});
  std::vector<LoopNest::Part> parts;
  Status status = nest.parts(parts);
  for (const LoopNest::Part &part : parts) {
    p.dst = addressOf(dst) + part.begin[0];
    p.loops = part.loops;
    launches.add(source, "fill" + std::to_string(unit), blocksFor(part.loops),
                 threads, p);
  }
  return status;
}

static const char *rampOf(plan::DType type) {
  switch (type) {
  case plan::DType::F32:
    return "rampF32";
  case plan::DType::F64:
    return "rampF64";
  case plan::DType::F16:
    return "rampF16";
  case plan::DType::BF16:
    return "rampBF16";
  case plan::DType::I32:
    return "rampI32";
  case plan::DType::I64:
    return "rampI64";
  case plan::DType::Bool:
    break;
  }
  return "rampBool";
}

Status addIota(const Operand &dst, int dim, int64_t first,
               KernelLaunches &launches) {
  std::vector<int64_t> steps(dst.shape.size(), 0);
  steps[dim] = 1;
  LoopNest nest(dst.shape, {dst.strides, steps}, {plan::byteSize(dst.type), 1});
  std::vector<LoopNest::Part> parts;
  Status status = nest.parts(parts);
  for (const LoopNest::Part &part : parts)
    launches.add(source, rampOf(dst.type), blocksFor(part.loops), threads,
                 RampParameters{addressOf(dst) + part.begin[0],
                                static_cast<double>(first) +
                                    static_cast<double>(part.begin[1]),
                                part.loops});
  return status;
}

} // namespace hocket::runtime::cuda
