//===- CopyTest.cpp - copies, constants and ramps, byte for byte ----------===//

#include "runtime/lib/Cuda/Kernels/Copy.h"
#include "hocket/Cpu/Simple.h"
#include "test/Gpu/Kernels/GpuRun.h"
#include <numeric>

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using runtime::cuda::KernelLaunches;

namespace {

constexpr DType allTypes[] = {DType::F32, DType::F64, DType::F16, DType::BF16,
                              DType::I32, DType::I64, DType::Bool};

void fillBytes(TestOperand &operand, uint32_t seed) {
  std::mt19937 random(seed);
  for (uint8_t &byte : operand.bytes)
    byte = static_cast<uint8_t>(random());
}

/// Copies on the device and on the CPU; every byte of dst's memory must agree.
/// Returns what the kernels did.
struct Copied {
  ptx::Report report;
  std::vector<std::string> entries;
};
Copied copyOn(GpuRun &gpu, const runtime::Operand &from,
              const runtime::Operand &to, TestOperand &src, TestOperand &dst) {
  KernelLaunches launches;
  expectOk(runtime::cuda::addCopy(from, to, launches));
  Copied copied{gpu.run(launches), {}};
  for (const runtime::cuda::KernelLaunch &launch : launches.list)
    copied.entries.push_back(launch.entry);
  TestOperand result = dst;
  gpu.download(to, result);
  expectOk(runCall(*runtime::makeCopy(src.operand(), dst.operand())));
  EXPECT_TRUE(result.bytes == dst.bytes);
  return copied;
}
Copied copyBoth(TestOperand &src, TestOperand &dst, int64_t srcOffset = 0,
                int64_t dstOffset = 0) {
  fillBytes(src, 1);
  fillBytes(dst, 2);
  GpuRun gpu;
  runtime::Operand from = gpu.upload(src, "src", srcOffset);
  runtime::Operand to = gpu.upload(dst, "dst", dstOffset);
  return copyOn(gpu, from, to, src, dst);
}
/// With the entries of a dim of two far apart.
Copied copyApart(TestOperand &src, TestOperand &dst, int dim) {
  fillBytes(src, 1);
  fillBytes(dst, 2);
  GpuRun gpu;
  runtime::Operand from = gpu.uploadApart(src, "src", dim);
  runtime::Operand to = gpu.uploadApart(dst, "dst", dim);
  return copyOn(gpu, from, to, src, dst);
}

using Entries = std::vector<std::string>;

class CudaCopy : public CudaKernels {};

TEST_F(CudaCopy, ContiguousMovesSixteenBytes) {
  for (DType type : allTypes) {
    TestOperand src(type, {16, 7, 48}), dst(type, {16, 7, 48});
    Copied copied = copyBoth(src, dst);
    EXPECT_EQ(copied.entries, Entries{"copy16"});
    EXPECT_EQ(copied.report.total.sectorsPerIdeal(), 1);
    EXPECT_EQ(copied.report.total.loadBytes,
              src.elements() * plan::byteSize(type));
    EXPECT_EQ(copied.report.total.loads,
              (src.elements() * plan::byteSize(type) / 16 + 31) / 32);
  }
}

TEST_F(CudaCopy, HeadsOfRows) {
  // [batch, seq, heads, dim] to [batch, heads, seq, dim].
  TestOperand src(DType::BF16, {2, 4, 33, 64}, {0, 2, 1, 3});
  TestOperand dst(DType::BF16, {2, 4, 33, 64});
  Copied copied = copyBoth(src, dst);
  EXPECT_EQ(copied.entries, Entries{"copy16"});
  EXPECT_EQ(copied.report.total.sectorsPerIdeal(), 1);
}

TEST_F(CudaCopy, UnitsAreAsWideAsAddressesAllow) {
  struct Case {
    DType type;
    int64_t offset, width;
    const char *entry;
  };
  for (const Case &c :
       {Case{DType::F32, 1, 64, "copy4"}, Case{DType::F32, 2, 64, "copy8"},
        Case{DType::F32, 4, 64, "copy16"}, Case{DType::F32, 0, 6, "copy8"},
        Case{DType::BF16, 1, 64, "copy2"}, Case{DType::BF16, 2, 64, "copy4"},
        Case{DType::BF16, 0, 12, "copy8"}, Case{DType::Bool, 3, 64, "copy1"},
        Case{DType::Bool, 2, 64, "copy2"}, Case{DType::F64, 1, 64, "copy8"}}) {
    TestOperand src(c.type, {5, 3, c.width}, {1, 0, 2}), dst(c.type, src.shape);
    EXPECT_EQ(copyBoth(src, dst, c.offset).entries, Entries{c.entry});
    EXPECT_EQ(copyBoth(src, dst, 0, c.offset).entries, Entries{c.entry});
  }
}

TEST_F(CudaCopy, TransposesThroughTiles) {
  for (DType type : allTypes) {
    int64_t bytes = plan::byteSize(type);
    // Rows of whole groups of 16 bytes, more than a tile, an outer dim.
    TestOperand src(type, {3, 160, 224}, {0, 2, 1}), dst(type, {3, 160, 224});
    Copied copied = copyBoth(src, dst);
    EXPECT_EQ(copied.entries,
              Entries{"transposeGroups" + std::to_string(bytes)});
    EXPECT_EQ(copied.report.total.sectorsPerIdeal(), 1);
    EXPECT_LE(copied.report.total.waysPerIdeal(), 1.01);
    // Odd extents and addresses.
    TestOperand odd(type, {2, 37, 131}, {2, 0, 1}, 3), even(type, {2, 37, 131});
    copied = copyBoth(odd, even, 1, 1);
    EXPECT_EQ(copied.entries,
              Entries{"transposeElements" + std::to_string(bytes)});
    EXPECT_LE(copied.report.total.waysPerIdeal(), 1.01);
  }
}

TEST_F(CudaCopy, TransposesOfElementsWasteNoSectors) {
  // Rows that begin at sectors, but whose number is odd on the other side.
  TestOperand src(DType::F32, {256, 129}, {1, 0}), dst(DType::F32, {256, 129});
  src.strides = {1, 256};
  dst.strides = {136, 1};
  dst.bytes.resize(256 * 136 * 4 + 64);
  Copied copied = copyBoth(src, dst);
  EXPECT_EQ(copied.entries, Entries{"transposeElements4"});
  EXPECT_EQ(copied.report.total.sectorsPerIdeal(), 1);
}

TEST_F(CudaCopy, Broadcasts) {
  for (DType type : {DType::F32, DType::BF16, DType::Bool}) {
    TestOperand src(type, {4, 1, 32}), dst(type, {4, 5, 32});
    src.shape = {4, 5, 32};
    src.strides = {32, 0, 1};
    EXPECT_EQ(copyBoth(src, dst).entries, Entries{"copy16"});
    src.strides = {1, 4, 0};
    copyBoth(src, dst);
  }
}

TEST_F(CudaCopy, ManyDimsAndShortOnes) {
  TestOperand src(DType::F32, {2, 3, 1, 2, 3, 2, 2, 3, 2},
                  {8, 0, 6, 4, 2, 7, 1, 3, 5});
  TestOperand dst(DType::F32, src.shape, {3, 1, 4, 2, 8, 6, 0, 5, 7}, 1);
  copyBoth(src, dst);
  // Channels of 3, last to first.
  TestOperand image(DType::F32, {2, 3, 9, 11}, {0, 2, 3, 1});
  TestOperand planes(DType::F32, {2, 3, 9, 11});
  EXPECT_EQ(copyBoth(image, planes).entries, Entries{"copy4"});
  TestOperand scalar(DType::F64, {}), other(DType::F64, {1, 1});
  scalar.shape = {1, 1};
  scalar.strides = {0, 0};
  copyBoth(scalar, other);
  TestOperand none(DType::F32, {0, 3}), empty(DType::F32, {0, 3});
  EXPECT_EQ(copyBoth(none, empty).entries, Entries{});
}

TEST_F(CudaCopy, OffsetsHave64Bits) {
  for (DType type : allTypes) {
    TestOperand src(type, {2, 37}), dst(type, {2, 37});
    copyApart(src, dst, 0);
    TestOperand wide(type, {2, 48}), copied(type, {2, 48});
    copyApart(wide, copied, 0);
    TestOperand turned(type, {2, 70, 48}, {0, 2, 1}), rows(type, {2, 70, 48});
    copyApart(turned, rows, 0);
    TestOperand odd(type, {2, 37, 31}, {0, 2, 1}, 3), even(type, {2, 37, 31});
    copyApart(odd, even, 0);
  }
}

TEST_F(CudaCopy, SixteenDimsOfAllUnits) {
  for (auto [type, unit] : {std::pair(DType::Bool, 1),
                            {DType::BF16, 1},
                            {DType::F32, 1},
                            {DType::F64, 1},
                            {DType::F64, 2}}) {
    TestOperand src = manyDims(type, 16, unit), dst = src;
    copyBoth(src, dst);
  }
}

/// A few of 2^16 tiles: bit k of a tile's number is its index in dim k, whose
/// strides are steps of dst and of src.
void copyTiles(DType type, int64_t rows, int64_t columns) {
  const std::vector<uint64_t> tiles = {0, 0x5555, 0xaaaa, 0xffff, 0x8001};
  constexpr int dims = 16;
  int64_t width = plan::byteSize(type), tile = rows * columns;
  TestOperand src(type, {200, tile}), dst(type, {200, tile});
  fillBytes(src, 1);
  fillBytes(dst, 2);
  GpuRun gpu;
  runtime::Operand from = gpu.upload(src, "src"), to = gpu.upload(dst, "dst");
  from.shape = to.shape = {rows, columns};
  to.strides = {columns, 1};
  from.strides = {1, rows};
  for (int k = 0; k < dims; ++k) {
    from.shape.insert(from.shape.begin(), 2);
    to.shape.insert(to.shape.begin(), 2);
    to.strides.insert(to.strides.begin(), (k + 3) * tile);
    from.strides.insert(from.strides.begin(), (dims - k) * tile);
  }
  KernelLaunches launches;
  expectOk(runtime::cuda::addCopy(from, to, launches));
  gpu.onlyBlocks = tiles;
  gpu.run(launches);
  TestOperand result = dst;
  gpu.download({to.data, type, dst.shape, dst.strides}, result);
  for (uint64_t number : tiles) {
    int64_t at = 0, fromAt = 0;
    for (int k = 0; k < dims; ++k) {
      at += number >> k & 1 ? (k + 3) * tile : 0;
      fromAt += number >> k & 1 ? (dims - k) * tile : 0;
    }
    for (int64_t i = 0; i < tile; ++i)
      std::memcpy(
          &dst.bytes[(at + i) * width],
          &src.bytes[(fromAt + i % columns * rows + i / columns) * width],
          width);
  }
  EXPECT_TRUE(result.bytes == dst.bytes) << launches.list[0].entry;
}

TEST_F(CudaCopy, TilesOfSixteenOuterDims) {
  for (DType type : allTypes) {
    copyTiles(type, 16, 32);
    copyTiles(type, 17, 19);
  }
}

TEST_F(CudaCopy, SixteenDimsAndNoMore) {
  for (size_t rank : {16, 17}) {
    TestOperand src(DType::F32, std::vector<int64_t>(rank, 2));
    TestOperand dst(DType::F32, src.shape);
    for (size_t dim = 0; dim < rank; ++dim)
      dst.strides[dim] = src.strides[rank - 1 - dim];
    KernelLaunches launches;
    runtime::Status status =
        runtime::cuda::addCopy(src.operand(), dst.operand(), launches);
    if (rank == 16) {
      copyBoth(src, dst);
      EXPECT_TRUE(status.ok());
      continue;
    }
    EXPECT_EQ(status.message,
              "a window of 17 dims that do not lie one after another is more "
              "than the 16 that CUDA kernels count");
  }
}

/// Offsets are not cut to 32 bits, and more than 2^31 elements go in parts:
/// nothing is run, for want of memory.
TEST(CudaCopyLaunches, LargeWindowsAreCut) {
  int64_t rows = int64_t(1) << 20, columns = 6000;
  runtime::Operand src{reinterpret_cast<void *>(uint64_t(1) << 40),
                       DType::BF16,
                       {rows, columns},
                       {columns + 1, 1}};
  runtime::Operand dst{reinterpret_cast<void *>(uint64_t(2) << 40),
                       DType::BF16,
                       {rows, columns},
                       {columns, 1}};
  KernelLaunches launches;
  expectOk(runtime::cuda::addCopy(src, dst, launches));
  ASSERT_EQ(launches.list.size(), 4u);
  uint64_t addresses[2];
  std::memcpy(addresses, launches.list[3].argument.data(), sizeof addresses);
  EXPECT_EQ(addresses[0], (uint64_t(2) << 40) + rows / 4 * 3 * columns * 2);
  EXPECT_EQ(addresses[1],
            (uint64_t(1) << 40) + rows / 4 * 3 * (columns + 1) * 2);
}

TEST_F(CudaCopy, FillHasTheBitsOfTheCpu) {
  for (DType type : allTypes)
    for (double value : {0.0, -2.0, 0.1, double(-INFINITY)}) {
      bool isFloat = type == DType::F32 || type == DType::F64 ||
                     type == DType::F16 || type == DType::BF16;
      if (!isFloat && std::isinf(value))
        continue;
      for (int64_t pad : {0, 3}) {
        TestOperand dst(type, {5, 4, 8}, {1, 0, 2}, pad);
        fillBytes(dst, 3);
        GpuRun gpu;
        runtime::Operand to = gpu.upload(dst, "dst", pad);
        KernelLaunches launches;
        expectOk(runtime::cuda::addFill(to, value, launches));
        ptx::Report report = gpu.run(launches);
        if (pad == 0) {
          EXPECT_EQ(launches.list[0].entry, "fill16");
          EXPECT_EQ(report.total.sectorsPerIdeal(), 1);
        }
        TestOperand result = dst;
        gpu.download(to, result);
        expectOk(runCall(*runtime::makeFill(dst.operand(), value)));
        EXPECT_TRUE(result.bytes == dst.bytes) << plan::toString(type);
      }
    }
}

TEST_F(CudaCopy, IotaHasTheBitsOfTheCpu) {
  for (DType type : allTypes)
    for (int dim : {0, 1, 2}) {
      TestOperand dst(type, {5, 41, 8}, {1, 0, 2}, dim);
      fillBytes(dst, 3);
      GpuRun gpu;
      runtime::Operand to = gpu.upload(dst, "dst");
      KernelLaunches launches;
      expectOk(runtime::cuda::addIota(to, dim, -3, launches));
      gpu.run(launches);
      TestOperand result = dst;
      gpu.download(to, result);
      expectOk(runCall(*runtime::makeIota(dst.operand(), dim, -3)));
      EXPECT_TRUE(result.bytes == dst.bytes) << plan::toString(type);
    }
}

/// Fills and counts.
void fillAndCount(TestOperand dst, int apart) {
  for (bool counts : {false, true}) {
    if (counts && dst.elements() > 65536)
      continue; // they are counted one by one, whatever the unit
    fillBytes(dst, 3);
    GpuRun gpu;
    runtime::Operand to = gpu.uploadApart(dst, "dst", apart);
    KernelLaunches launches;
    expectOk(counts ? runtime::cuda::addIota(to, 0, -3, launches)
                    : runtime::cuda::addFill(to, 1, launches));
    gpu.run(launches);
    TestOperand result = dst;
    gpu.download(to, result);
    expectOk(runCall(*(counts ? runtime::makeIota(dst.operand(), 0, -3)
                              : runtime::makeFill(dst.operand(), 1))));
    EXPECT_TRUE(result.bytes == dst.bytes) << plan::toString(dst.type);
  }
}

TEST_F(CudaCopy, FillAndIotaOfSixteenDims) {
  for (DType type : allTypes)
    fillAndCount(manyDims(type, 16), -1);
  fillAndCount(manyDims(DType::F64, 16, 2), -1);
}

TEST_F(CudaCopy, FillAndIotaHave64Bits) {
  for (DType type : allTypes)
    for (int64_t inner : {37, 48})
      fillAndCount(TestOperand(type, {2, inner}), 0);
}

TEST(CudaImages, TellWhatIsMissing) {
  runtime::cuda::Image image;
  if (runtime::cuda::images().empty()) {
    EXPECT_EQ(runtime::cuda::chooseImage("Copy", 90, image).message,
              "this build of Hocket has no CUDA kernels, because nvcc was not "
              "found when it was built");
    return;
  }
  for (auto [chip, chosen] : {std::pair(80, 80),
                              {86, 80},
                              {89, 80},
                              {90, 90},
                              {100, 100},
                              {103, 100},
                              {120, 0}}) {
    expectOk(runtime::cuda::chooseImage("Copy", chip, image));
    EXPECT_EQ(image.chip, chosen);
    EXPECT_EQ(image.data[image.size], 0);
  }
  EXPECT_EQ(runtime::cuda::chooseImage("Copy", 75, image).message,
            "the CUDA kernels need compute capability 8.0, this GPU has 7.5");
  EXPECT_EQ(runtime::cuda::chooseImage("None", 80, image).message,
            "there are no CUDA kernels of the source 'None'");
}

} // namespace
