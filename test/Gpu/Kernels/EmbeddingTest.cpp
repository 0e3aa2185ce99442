//===- EmbeddingTest.cpp - lookups and their gradients --------------------===//

#include "runtime/lib/Cuda/Kernels/Embedding.h"
#include "test/Gpu/Kernels/GpuRun.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using runtime::cuda::KernelLaunches;
using runtime::cuda::LookupError;

namespace {

/// Operands of a lookup; `ids` are given by number.
struct Lookup {
  TestOperand table, ids, out;
  int64_t vocabOffset, vocab;

  runtime::EmbeddingArguments arguments(GpuRun &gpu, int64_t offset) {
    auto upload = [&](const TestOperand &host, const char *name, int64_t at) {
      return isApart ? gpu.uploadApart(host, name, 0)
                     : gpu.upload(host, name, at);
    };
    device = upload(out, "out", offset);
    // The ids of one rank reach over 2^32 elements at most.
    return {upload(table, "table", offset),
            gpu.upload(ids, "ids"),
            device,
            vocabOffset,
            vocab,
            "input \"ids\""};
  }
  runtime::EmbeddingArguments arguments() {
    return {table.operand(), ids.operand(), out.operand(),
            vocabOffset,     vocab,         "input \"ids\""};
  }
  runtime::Operand device = {};
  bool isApart = false; // entries of dims of two lie far apart
};

struct Looked {
  LookupError error;
  ptx::Report report;
  std::string entry;
};
Looked lookUp(Lookup &lookup, int64_t offset = 0) {
  GpuRun gpu;
  uint64_t error = gpu.memory.upload(std::vector<LookupError>(1), "error");
  KernelLaunches launches;
  expectOk(runtime::cuda::addEmbedding(lookup.arguments(gpu, offset), error,
                                       launches));
  Looked looked;
  looked.report = gpu.run(launches);
  looked.entry = launches.list.empty() ? "" : launches.list[0].entry;
  looked.error = gpu.memory.download<LookupError>(error, 1)[0];
  gpu.download(lookup.device, lookup.out);
  return looked;
}

class CudaEmbedding : public CudaKernels {};

TEST_F(CudaEmbedding, ShardsOfAllTypes) {
  for (DType type :
       {DType::F32, DType::BF16, DType::F64, DType::I32, DType::Bool})
    for (DType idType : {DType::I32, DType::I64})
      for (int64_t pad : {0, 1}) {
        Lookup lookup{TestOperand(type, {10, 64}, {}, pad),
                      TestOperand(idType, {2, 37}, {1, 0}),
                      TestOperand(type, {2, 37, 64}, {1, 0, 2}), 10, 30};
        lookup.table.random(1, 100);
        lookup.out.random(2);
        for (int64_t flat = 0; flat < 74; ++flat)
          lookup.ids.set(flat, (flat * 7) % 30);
        TestOperand expected = lookup.out;
        Looked looked = lookUp(lookup, pad);
        EXPECT_FALSE(looked.error.isSet());
        std::string unit =
            std::to_string(pad ? plan::byteSize(type) : int64_t(16));
        EXPECT_EQ(looked.entry,
                  "embed" + unit + (idType == DType::I64 ? "I64" : "I32"));
        if (!pad)
          EXPECT_EQ(looked.report.total.sectorsPerIdeal(), 1);
        std::swap(lookup.out.bytes, expected.bytes);
        expectOk(runCall(*runtime::makeEmbedding(lookup.arguments())));
        EXPECT_TRUE(lookup.out.bytes == expected.bytes);
      }
}

TEST_F(CudaEmbedding, RowsOfSeveralDims) {
  Lookup lookup{TestOperand(DType::F32, {9, 4, 6}, {0, 2, 1}),
                TestOperand(DType::I32, {5}, {}, 0),
                TestOperand(DType::F32, {5, 4, 6}, {2, 0, 1}, 1), 0, 9};
  lookup.table.random(1);
  for (int64_t flat = 0; flat < 5; ++flat)
    lookup.ids.set(flat, 8 - 2 * flat);
  lookUp(lookup);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t d = 0; d < 24; ++d)
      EXPECT_EQ(lookup.out.get(i * 24 + d),
                lookup.table.get((8 - 2 * i) * 24 + d));
}

TEST_F(CudaEmbedding, SixteenDims) {
  for (auto [type, unit] : {std::pair(DType::Bool, 1),
                            {DType::BF16, 1},
                            {DType::F32, 1},
                            {DType::F64, 1},
                            {DType::F64, 2}})
    for (DType idType : {DType::I32, DType::I64}) {
      TestOperand out = manyDims(type, 17, unit);
      out.shape.back() = unit;
      Lookup lookup{TestOperand(type, {10, unit}), manyDims(idType, 16), out, 0,
                    10};
      lookup.table.random(1, 100);
      for (int64_t flat = 0; flat < lookup.ids.elements(); ++flat)
        lookup.ids.set(flat, flat * 7 % 10);
      TestOperand expected = lookup.out;
      EXPECT_FALSE(lookUp(lookup).error.isSet());
      std::swap(lookup.out.bytes, expected.bytes);
      expectOk(runCall(*runtime::makeEmbedding(lookup.arguments())));
      EXPECT_TRUE(lookup.out.bytes == expected.bytes);
    }
}

TEST_F(CudaEmbedding, OffsetsHave64Bits) {
  for (DType idType : {DType::I32, DType::I64}) {
    Lookup lookup{TestOperand(DType::F32, {2, 37}), TestOperand(idType, {2}),
                  TestOperand(DType::F32, {2, 37}), 0, 2};
    lookup.table.random(1);
    lookup.ids.set(0, 1);
    lookup.isApart = true;
    EXPECT_FALSE(lookUp(lookup).error.isSet());
    for (int64_t i = 0; i < 74; ++i)
      EXPECT_EQ(lookup.out.get(i), lookup.table.get((i + 37) % 74));
  }
}

/// Each of the four units of a thread meets some.
TEST_F(CudaEmbedding, TellsTheFirstBadId) {
  struct Case {
    DType type;
    int64_t bad;
  };
  for (Case c :
       {Case{DType::I32, -1}, Case{DType::I32, 30}, Case{DType::I64, -1},
        Case{DType::I64, 30}, Case{DType::I64, (int64_t(1) << 40) + 3}})
    for (auto [type, pad] : {std::pair(DType::F32, 0),
                             {DType::Bool, 1},
                             {DType::BF16, 1},
                             {DType::F32, 1},
                             {DType::F64, 1}}) {
      Lookup lookup{TestOperand(type, {30, 8}, {}, pad),
                    TestOperand(c.type, {400}),
                    TestOperand(type, {400, 8}, {}, pad), 0, 30};
      for (int64_t i = 0; i < 240; ++i)
        lookup.table.set(i, i % 7 % 2);
      for (int64_t i : {100, 130, 160, 200, 300, 399})
        lookup.ids.set(i, i == 100 ? double(c.bad) : -77);
      Looked looked = lookUp(lookup, pad);
      EXPECT_EQ(looked.error.place(), 100u);
      EXPECT_EQ(looked.error.id(), c.bad);
      runtime::Status status =
          runtime::cuda::statusOf(looked.error, "input \"ids\"", 30);
      EXPECT_EQ(status.message, "input \"ids\" holds " + std::to_string(c.bad) +
                                    ", which is outside [0, 30)");
      EXPECT_EQ(status.kind, runtime::ErrorKind::User);
      for (int64_t i : {99, 100, 130, 160, 200, 300, 399})
        EXPECT_EQ(lookup.out.get(i * 8 + 1), i == 99 ? 1 : 0);
    }
}

TEST(CudaEmbeddingLaunches, TooManyIdsAreRefused) {
  runtime::Operand table{nullptr, DType::F32, {4, 4}, {4, 1}};
  runtime::Operand ids{nullptr, DType::I32, {int64_t(1) << 32}, {1}};
  runtime::Operand out{nullptr, DType::F32, {int64_t(1) << 32, 4}, {4, 1}};
  KernelLaunches launches;
  EXPECT_EQ(
      runtime::cuda::addEmbedding({table, ids, out, 0, 4, "ids"}, 0, launches)
          .message,
      "ids that reach over 4294967296 elements are more than the 2^32 - 1 that "
      "CUDA kernels count");
}

/// Gradients of a lookup, and what they must be, in F64.
struct Gradient {
  TestOperand ids, dy, out;
  int64_t vocabOffset, vocab;

  LookupError run(int64_t offset = 0) {
    GpuRun gpu;
    uint64_t error = gpu.memory.upload(std::vector<LookupError>(1), "error");
    out.random(7);
    auto upload = [&](const TestOperand &host, const char *name) {
      return isApart ? gpu.uploadApart(host, name, 0)
                     : gpu.upload(host, name, offset);
    };
    runtime::Operand to = upload(out, "out");
    KernelLaunches launches;
    expectOk(runtime::cuda::addEmbeddingGrad({gpu.upload(ids, "ids"),
                                              upload(dy, "dy"), to, vocabOffset,
                                              vocab, "ids"},
                                             error, launches));
    report = gpu.run(launches);
    gpu.download(to, out);
    entry = launches.list.back().entry;
    return gpu.memory.download<LookupError>(error, 1)[0];
  }

  void expectRight(double tolerance) {
    int64_t columns = out.elements() / out.shape[0];
    std::vector<double> sums(out.elements()), sizes(out.elements());
    for (int64_t i = 0; i < ids.elements(); ++i) {
      int64_t row = int64_t(ids.get(i)) - vocabOffset;
      if (row < 0 || row >= out.shape[0])
        continue;
      for (int64_t c = 0; c < columns; ++c) {
        sums[row * columns + c] += dy.get(i * columns + c);
        sizes[row * columns + c] += std::fabs(dy.get(i * columns + c));
      }
    }
    for (int64_t i = 0; i < out.elements(); ++i)
      ASSERT_NEAR(out.get(i), sums[i], tolerance * sizes[i]) << i;
  }

  ptx::Report report;
  std::string entry;
  bool isApart = false; // entries of dims of two lie far apart
};

Gradient gradientOf(DType type, DType idType, std::vector<int64_t> ids,
                    std::vector<int64_t> row, int64_t rows, int64_t pad = 0) {
  std::vector<int64_t> dy = ids, out = row;
  dy.insert(dy.end(), row.begin(), row.end());
  out.insert(out.begin(), rows);
  std::vector<int> order(ids.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int>(order.size() - 1 - i);
  Gradient gradient{TestOperand(idType, ids, order),
                    TestOperand(type, dy, order, pad),
                    TestOperand(type, out, {}, pad),
                    0,
                    rows,
                    {},
                    ""};
  gradient.dy.random(3, 10);
  return gradient;
}

class CudaEmbeddingGrad : public CudaKernels {};

TEST_F(CudaEmbeddingGrad, OfAllTypes) {
  struct Case {
    DType type;
    double tolerance;
    const char *name;
  };
  for (Case c : {Case{DType::F32, 1e-5, "F32"}, Case{DType::F64, 1e-12, "F64"},
                 Case{DType::F16, 2e-3, "F16"}, Case{DType::BF16, 1e-2, "BF16"},
                 Case{DType::I32, 0, "I32"}, Case{DType::I64, 0, "I64"}})
    for (int64_t pad : {0, 1}) {
      Gradient gradient = gradientOf(c.type, pad ? DType::I32 : DType::I64,
                                     {5, 60}, {32}, 40, pad);
      std::mt19937 random(4);
      for (int64_t i = 0; i < 300; ++i)
        gradient.ids.set(i, random() % 4 ? random() % 60 : 17);
      gradient.vocab = 60;
      gradient.vocabOffset = 10;
      EXPECT_FALSE(gradient.run(pad).isSet());
      EXPECT_EQ(gradient.entry,
                std::string("add") + c.name + (pad ? "" : "Groups"));
      gradient.expectRight(c.tolerance);
    }
}

TEST_F(CudaEmbeddingGrad, ManyRowsNeedSeveralDigits) {
  Gradient gradient = gradientOf(DType::F32, DType::I32, {5000}, {4}, 70000);
  std::mt19937 random(5);
  for (int64_t i = 0; i < 5000; ++i)
    gradient.ids.set(i, random() % 3 ? random() % 70000 : 69999);
  gradient.run();
  gradient.expectRight(1e-5);
}

TEST_F(CudaEmbeddingGrad, OneRowHasAll) {
  for (int64_t count : {1, 63, 64, 65, 128, 1000}) {
    Gradient gradient = gradientOf(DType::F32, DType::I64, {count}, {8}, 3);
    for (int64_t i = 0; i < count; ++i)
      gradient.ids.set(i, 1);
    gradient.run();
    gradient.expectRight(1e-5);
  }
}

constexpr struct {
  DType type;
  double tolerance;
} summed[] = {{DType::F32, 1e-5},  {DType::F64, 1e-12}, {DType::F16, 2e-3},
              {DType::BF16, 1e-2}, {DType::I32, 0},     {DType::I64, 0}};

/// Of ids, and of rows, in elements and in groups of them.
TEST_F(CudaEmbeddingGrad, SixteenDims) {
  for (auto [type, tolerance] : summed)
    for (int64_t unit : {int64_t(1), 16 / plan::byteSize(type)}) {
      TestOperand dy = manyDims(type, 17, unit);
      dy.shape.back() = unit;
      DType idType = unit == 1 ? DType::I32 : DType::I64;
      TestOperand ids = manyDims(idType, 16), rows(type, {300, unit});
      Gradient gradient{ids, dy, rows, 0, 300, {}, ""};
      gradient.dy.random(3, 10);
      for (int64_t i = 0; i < ids.elements(); ++i)
        gradient.ids.set(i, i * 7 % 300);
      gradient.run();
      gradient.expectRight(tolerance);
      dy = manyDims(type, 17, unit);
      dy.shape[0] = 1;
      TestOperand wideRow(type, dy.shape); // without gaps
      Gradient wide{TestOperand(idType, {1}), dy, wideRow, 0, 1, {}, ""};
      wide.dy.random(3, 10);
      wide.run();
      wide.expectRight(tolerance);
    }
}

/// Counts of more blocks than one has threads are summed in rounds.
TEST_F(CudaEmbeddingGrad, ManyBlocks) {
  constexpr int64_t count = 257 * 2048 + 5;
  Gradient gradient = gradientOf(DType::I32, DType::I32, {count}, {1}, 3);
  for (int64_t i = 0; i < count; ++i)
    gradient.ids.set(i, i * i % 3);
  gradient.run();
  gradient.expectRight(0);
}

TEST_F(CudaEmbeddingGrad, OffsetsHave64Bits) {
  for (auto [type, tolerance] : summed)
    for (int64_t width : {37, 48}) {
      Gradient gradient = gradientOf(type, DType::I32, {2}, {width}, 2);
      gradient.ids.set(0, 1);
      gradient.isApart = true;
      gradient.run();
      gradient.expectRight(tolerance);
    }
}

/// What is not loaded is not added either, also where that changes nothing.
TEST_F(CudaEmbeddingGrad, FewIdsAreOfThisRank) {
  for (int64_t pad : {0, 1}) {
    Gradient gradient = gradientOf(DType::F32, DType::I32, {3}, {8}, 4, pad);
    gradient.vocab = 9;
    gradient.vocabOffset = 2;
    gradient.ids.set(0, 8);
    gradient.ids.set(1, 3);
    gradient.ids.set(2, 7);
    gradient.run(pad);
    gradient.expectRight(1e-5);
  }
}

TEST_F(CudaEmbeddingGrad, RowsOfSeveralDimsAndOfOneElement) {
  Gradient gradient =
      gradientOf(DType::F32, DType::I64, {4, 50}, {3, 2, 5}, 20);
  gradient.out = TestOperand(DType::F32, {20, 3, 2, 5}, {2, 0, 3, 1});
  for (int64_t i = 0; i < 200; ++i)
    gradient.ids.set(i, i * i % 20);
  gradient.run();
  gradient.expectRight(1e-5);
  Gradient narrow = gradientOf(DType::F32, DType::I64, {300}, {1}, 7);
  for (int64_t i = 0; i < 300; ++i)
    narrow.ids.set(i, i % 7);
  narrow.run();
  narrow.expectRight(1e-5);
}

TEST_F(CudaEmbeddingGrad, NoIdsGiveZeros) {
  Gradient gradient = gradientOf(DType::F32, DType::I64, {0}, {8}, 3);
  gradient.run();
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(gradient.out.get(i), 0);
}

TEST_F(CudaEmbeddingGrad, TellsTheFirstBadId) {
  for (DType idType : {DType::I32, DType::I64}) {
    Gradient gradient = gradientOf(DType::F32, idType, {500}, {8}, 3);
    gradient.ids.set(400, 3);
    gradient.ids.set(450, -5);
    LookupError error = gradient.run();
    EXPECT_EQ(error.place(), 400u);
    EXPECT_EQ(error.id(), 3);
  }
}

TEST_F(CudaEmbeddingGrad, BoolIsRefused) {
  Gradient gradient = gradientOf(DType::Bool, DType::I64, {5}, {8}, 3);
  KernelLaunches launches;
  EXPECT_EQ(runtime::cuda::addEmbeddingGrad({gradient.ids.operand(),
                                             gradient.dy.operand(),
                                             gradient.out.operand(), 0, 3, ""},
                                            0, launches)
                .message,
            "the gradient of a lookup in a table of bool has no CUDA kernel");
}

TEST(CudaEmbeddingGradLaunches, TooMuchIsRefused) {
  int64_t count = int64_t(1) << 31;
  runtime::Operand ids{nullptr, DType::I32, {count}, {1}};
  runtime::Operand dy{nullptr, DType::F32, {count, 4}, {4, 1}};
  runtime::Operand out{nullptr, DType::F32, {6, 4}, {4, 1}};
  KernelLaunches launches;
  EXPECT_EQ(
      runtime::cuda::addEmbeddingGrad({ids, dy, out, 0, 6, ""}, 0, launches)
          .message,
      "the gradient of a lookup of 2147483648 ids in rows of 4 elements is "
      "more than CUDA kernels count");
}

} // namespace
