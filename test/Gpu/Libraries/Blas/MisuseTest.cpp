//===- MisuseTest.cpp - what the look-alike finds -------------------------===//

#include "test/Gpu/Libraries/Blas/Sample.h"
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

/// D [4, 6] = A [4, 8] B [8, 6] of f32, dense, by hand.
class MisuseTest : public BlasTest {
protected:
  void SetUp() override {
    BlasTest::SetUp();
    functions = &library.functions;
    memory.assign(4096, 1);
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    place = memory.data() + (256 - address % 256) % 256 / 4;
    functions->descriptionCreate(&description, BlasCompute32F, BlasF32);
    functions->layoutCreate(&a, BlasF32, 4, 8, 4);
    functions->layoutCreate(&b, BlasF32, 8, 6, 8);
    functions->layoutCreate(&c, BlasF32, 4, 6, 4);
    functions->layoutCreate(&d, BlasF32, 4, 6, 4);
    functions->preferenceCreate(&preference);
    uint64_t bytes = 1 << 20;
    functions->preferenceSet(preference, BlasPreferenceWorkspace, &bytes, 8);
  }
  void TearDown() override {
    functions->preferenceDestroy(preference);
    for (BlasLayout layout : {a, b, c, d})
      if (layout)
        functions->layoutDestroy(layout);
    functions->descriptionDestroy(description);
    BlasTest::TearDown();
  }

  BlasStatus choose() {
    BlasResult result;
    int count = 0;
    BlasStatus status = functions->algorithmsFor(
        blas->handle, description, a, b, c, d, preference, 1, &result, &count);
    if (count == 1)
      algorithm = result.algorithm;
    return status;
  }
  BlasStatus multiply(float beta = 0) {
    float alpha = 1;
    return functions->matmul(blas->handle, description, &alpha, aAt(), a, bAt(),
                             b, &beta, cAt(), c, dAt(), d, &algorithm,
                             workspace, workspaceBytes, nullptr);
  }
  /// The sentence that choosing an algorithm leads to.
  std::string found() {
    EXPECT_EQ(choose(), BlasInvalidValue);
    return takeFindings();
  }
  std::string foundInProduct(float beta = 0) {
    EXPECT_EQ(multiply(beta), BlasInvalidValue);
    return takeFindings();
  }
  template <typename T>
  void set(BlasLayout layout, BlasLayoutAttribute attribute, T value) {
    EXPECT_EQ(functions->layoutSet(layout, attribute, &value, sizeof value),
              BlasSuccess);
  }
  template <typename T> void set(BlasDescriptionAttribute attribute, T value) {
    EXPECT_EQ(
        functions->descriptionSet(description, attribute, &value, sizeof value),
        BlasSuccess);
  }
  float *aAt() { return place; }
  float *bAt() { return place + 256; }
  float *cAt() { return place + 512 + cShift; }
  float *dAt() { return place + 768 + dShift; }

  const BlasFunctions *functions = nullptr;
  std::vector<float> memory;
  float *place = nullptr;
  int64_t cShift = 0, dShift = 0;
  size_t workspaceBytes = 1 << 20;
  BlasDescription description = nullptr;
  BlasLayout a = nullptr, b = nullptr, c = nullptr, d = nullptr;
  BlasPreference preference = nullptr;
  BlasAlgorithm algorithm = {};
};

const std::string inChoice = "cublasLtMatmulAlgoGetHeuristic: ";
const std::string inProduct = "cublasLtMatmul: ";

} // namespace

TEST_F(MisuseTest, Nothing) {
  EXPECT_EQ(choose(), BlasSuccess);
  EXPECT_EQ(multiply(1), BlasSuccess);
  EXPECT_EQ(dAt()[23], 9);
}

TEST_F(MisuseTest, Layouts) {
  set(a, BlasLayoutOrder, int32_t(1));
  EXPECT_EQ(found(),
            inChoice + "the layout of A has order 1, not by columns\n");
  set(a, BlasLayoutOrder, int32_t(0));
  set(b, BlasLayoutLeading, int64_t(7));
  EXPECT_EQ(found(), inChoice + "the layout of B has 8 rows and the leading "
                                "dimension 7\n");
  set(b, BlasLayoutLeading, int64_t(0));
  EXPECT_EQ(found(), inChoice + "the layout of B has 8 rows and the leading "
                                "dimension 0\n");
  set(b, BlasLayoutLeading, int64_t(8));
  set(b, BlasLayoutRows, uint64_t(0));
  EXPECT_EQ(found(), inChoice + "the layout of B has 0 rows and 6 columns\n");
  set(b, BlasLayoutRows, uint64_t(8));
  set(d, BlasLayoutBatchCount, int32_t(0));
  EXPECT_EQ(found(), inChoice + "the layout of D has a batch of 0\n");
  set(d, BlasLayoutBatchCount, int32_t(2));
  EXPECT_EQ(found(),
            inChoice + "A, B, C and D have batches of 1, 1, 1 and 2\n");
  set(d, BlasLayoutBatchStride, int64_t(-1));
  EXPECT_EQ(found(), inChoice + "the layout of D has the batch stride -1\n");
  set(d, BlasLayoutBatchStride, int64_t(3));
  for (BlasLayout layout : {a, b, c})
    set(layout, BlasLayoutBatchCount, int32_t(2));
  EXPECT_EQ(found(), inChoice + "elements of D overlap\n");
}

TEST_F(MisuseTest, InterleavedBatches) {
  for (BlasLayout layout : {a, b, c, d})
    set(layout, BlasLayoutBatchCount, int32_t(2));
  set(d, BlasLayoutLeading, int64_t(7));
  set(d, BlasLayoutBatchStride, int64_t(4));
  EXPECT_EQ(found(), inChoice + "elements of D overlap\n");
  set(d, BlasLayoutLeading, int64_t(8));
  EXPECT_EQ(choose(), BlasSuccess);
}

TEST_F(MisuseTest, Extents) {
  set(BlasDescriptionTransposesA, int32_t(BlasTransposed));
  EXPECT_EQ(found(),
            inChoice + "A of 8 x 4 times B of 8 x 6 is not D of 4 x 6\n");
  set(BlasDescriptionTransposesA, int32_t(BlasPlain));
  set(c, BlasLayoutColumns, uint64_t(5));
  EXPECT_EQ(found(), inChoice + "C is 4 x 5 of f32 and D 4 x 6 of f32\n");
}

TEST_F(MisuseTest, Types) {
  set(b, BlasLayoutType, uint32_t(BlasF16));
  EXPECT_EQ(found(), inChoice +
                         "there is no product of f32 and f16 with a result "
                         "of f32, computed as 68 and scaled as f32\n");
  set(b, BlasLayoutType, uint32_t(BlasF32));
  set(BlasDescriptionScale, int32_t(BlasF64));
  EXPECT_EQ(found(), inChoice +
                         "there is no product of f32 and f32 with a result "
                         "of f32, computed as 68 and scaled as f64\n");
  set(BlasDescriptionScale, int32_t(BlasF32));
  set(c, BlasLayoutType, uint32_t(BlasF64));
  EXPECT_EQ(found(), inChoice + "C is 4 x 6 of f64 and D 4 x 6 of f32\n");
}

TEST_F(MisuseTest, Description) {
  set(BlasDescriptionTransposesB, int32_t(2));
  EXPECT_EQ(found(), inChoice + "operation 2 on A or B\n");
  set(BlasDescriptionTransposesB, int32_t(0));
  set(BlasDescriptionTransposesC, int32_t(1));
  EXPECT_EQ(found(), inChoice + "C cannot be transposed\n");
  set(BlasDescriptionTransposesC, int32_t(0));
  set(BlasDescriptionPointerMode, int32_t(1));
  EXPECT_EQ(found(), inChoice + "alpha and beta are not on the host\n");
  set(BlasDescriptionPointerMode, int32_t(0));
  set(BlasDescriptionEpilogue, uint32_t(3));
  EXPECT_EQ(found(), inChoice + "epilogue 3 is not one of the look-alike's\n");
  set(BlasDescriptionEpilogue, uint32_t(BlasGeluBias));
  EXPECT_EQ(found(), inChoice +
                         "the epilogue adds a bias, and no pointer to one "
                         "is set\n");
  set<const void *>(BlasDescriptionBias, aAt());
  set(BlasDescriptionBiasType, int32_t(BlasF16));
  EXPECT_EQ(found(), inChoice + "the bias is of f16 and D of f32\n");
  set(BlasDescriptionBiasType, int32_t(-1));
  set(BlasDescriptionBiasStride, int64_t(-4));
  EXPECT_EQ(found(), inChoice + "the bias has the batch stride -4\n");
  set(BlasDescriptionBiasStride, int64_t(0));
  set(BlasDescriptionEpilogue, uint32_t(BlasRelu));
  EXPECT_EQ(found(), inChoice + "a pointer to a bias is set, and the epilogue "
                                "adds none\n");
}

TEST_F(MisuseTest, Attributes) {
  int32_t small = 1;
  EXPECT_EQ(functions->layoutSet(a, BlasLayoutRows, &small, sizeof small),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(), "cublasLtMatrixLayoutSetAttribute: the attribute "
                            "has 8 bytes, not 4\n");
  EXPECT_EQ(functions->layoutSet(a, BlasLayoutAttribute(7), &small, 4),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(), "cublasLtMatrixLayoutSetAttribute: attribute 7 is "
                            "not one of the look-alike's\n");
  EXPECT_EQ(functions->descriptionSet(description, BlasDescriptionEpilogue,
                                      nullptr, 4),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(),
            "cublasLtMatmulDescSetAttribute: the value is null\n");
  EXPECT_EQ(
      functions->preferenceSet(preference, BlasPreferenceWorkspace, &small, 4),
      BlasInvalidValue);
  EXPECT_EQ(takeFindings(), "cublasLtMatmulPreferenceSetAttribute: the "
                            "attribute has 8 bytes, not 4\n");
}

TEST_F(MisuseTest, Preferences) {
  uint32_t value = 3;
  functions->preferenceSet(preference, BlasPreferenceAlignmentC, &value, 4);
  EXPECT_EQ(found(), inChoice + "the alignment of C is 3 bytes\n");
  value = 2;
  functions->preferenceSet(preference, BlasPreferenceAlignmentC, &value, 4);
  EXPECT_EQ(found(), inChoice + "the alignment of C is 2 bytes\n");
  value = 16;
  functions->preferenceSet(preference, BlasPreferenceAlignmentC, &value, 4);
  value = 8;
  functions->preferenceSet(preference, BlasPreferenceReduction, &value, 4);
  EXPECT_EQ(found(), inChoice + "there is no reduction scheme 8\n");
  value = 2;
  functions->preferenceSet(preference, BlasPreferenceReduction, &value, 4);
  BlasResult result;
  int count = 0;
  functions->algorithmsFor(blas->handle, description, a, b, c, d, preference, 0,
                           &result, &count);
  EXPECT_EQ(takeFindings(), inChoice + "no algorithm is asked for\n");
}

TEST_F(MisuseTest, WorkspaceAndReductionLimitTheOffers) {
  BlasResult results[4];
  int count = 0;
  auto offers = [&] {
    functions->algorithmsFor(blas->handle, description, a, b, c, d, preference,
                             4, results, &count);
    return count;
  };
  EXPECT_EQ(offers(), 4);
  EXPECT_EQ(results[0].workspaceBytes, 2u * 4 * 6 * 4);
  uint32_t mask = BlasReductionComputeType;
  functions->preferenceSet(preference, BlasPreferenceReduction, &mask, 4);
  EXPECT_EQ(offers(), 3);
  uint64_t bytes = 2 * 4 * 6 * 4 - 1;
  functions->preferenceSet(preference, BlasPreferenceWorkspace, &bytes, 8);
  EXPECT_EQ(offers(), 2);
  bytes = 1 << 20;
  functions->preferenceSet(preference, BlasPreferenceWorkspace, &bytes, 8);
  mask = BlasReductionNone;
  functions->preferenceSet(preference, BlasPreferenceReduction, &mask, 4);
  EXPECT_EQ(offers(), 2);
}

TEST_F(MisuseTest, Algorithms) {
  EXPECT_EQ(foundInProduct(),
            inProduct + "the algorithm is not one that was returned\n");
  ASSERT_EQ(choose(), BlasSuccess);
  algorithm.data[1] ^= 1;
  EXPECT_EQ(foundInProduct(),
            inProduct + "the algorithm is not one that was returned\n");
  algorithm.data[1] ^= 1;
  set(a, BlasLayoutLeading, int64_t(5));
  EXPECT_EQ(foundInProduct(),
            inProduct + "the algorithm was chosen for another product\n");
  float one = 1;
  EXPECT_EQ(functions->matmul(blas->handle, description, &one, aAt(), a, bAt(),
                              b, &one, cAt(), c, dAt(), d, nullptr, workspace,
                              workspaceBytes, nullptr),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(), inProduct +
                                "there is no algorithm: the library would "
                                "look for one each time\n");
}

TEST_F(MisuseTest, Addresses) {
  ASSERT_EQ(choose(), BlasSuccess);
  dShift = 2;
  EXPECT_EQ(foundInProduct(), inProduct +
                                  "D is not aligned to 256 bytes, as the "
                                  "preferences said\n");
  dShift = 0;
  cShift = 1; // not read
  EXPECT_EQ(multiply(0), BlasSuccess);
  EXPECT_EQ(foundInProduct(1), inProduct +
                                   "C is not aligned to 256 bytes, as the "
                                   "preferences said\n");
  cShift = 0;
  workspaceBytes = 100;
  EXPECT_EQ(foundInProduct(), inProduct +
                                  "the algorithm wants a workspace of 192 "
                                  "bytes, not 100\n");
  workspaceBytes = 192;
  workspace = static_cast<char *>(workspace) + 128;
  EXPECT_EQ(foundInProduct(),
            inProduct + "the workspace is not aligned to 256 bytes\n");
}

TEST_F(MisuseTest, Overlap) {
  uint32_t small = 4;
  for (int i = 0; i < 4; ++i)
    functions->preferenceSet(
        preference, BlasPreferenceAttribute(BlasPreferenceAlignmentA + i),
        &small, 4);
  ASSERT_EQ(choose(), BlasSuccess);
  dShift = -768 + 31;
  EXPECT_EQ(foundInProduct(), inProduct + "A and D overlap\n");
  dShift = -512 + 47;
  EXPECT_EQ(foundInProduct(), inProduct + "B and D overlap\n");
  dShift = -256 + 23;
  EXPECT_EQ(foundInProduct(1), inProduct + "C and D overlap\n");
  EXPECT_EQ(multiply(0), BlasSuccess);
  dShift = -256;
  EXPECT_EQ(multiply(1), BlasSuccess);
  set(BlasDescriptionEpilogue, uint32_t(BlasBias));
  set<const void *>(BlasDescriptionBias, dAt() + 23);
  ASSERT_EQ(choose(), BlasSuccess);
  EXPECT_EQ(foundInProduct(), inProduct + "the bias and D overlap\n");
  set<const void *>(BlasDescriptionBias, cAt());
  ASSERT_EQ(choose(), BlasSuccess);
  dShift = 0;
  workspace = place;
  workspaceBytes = 1024;
  EXPECT_EQ(foundInProduct(), inProduct + "A and the workspace overlap\n");
  workspace = place + 512;
  EXPECT_EQ(foundInProduct(),
            inProduct + "the bias and the workspace overlap\n");
  workspace = place + 768;
  EXPECT_EQ(foundInProduct(), inProduct + "D and the workspace overlap\n");
}

TEST_F(MisuseTest, BiasLessAligned) {
  set(BlasDescriptionEpilogue, uint32_t(BlasBias));
  set<const void *>(BlasDescriptionBias, cAt());
  ASSERT_EQ(choose(), BlasSuccess);
  set<const void *>(BlasDescriptionBias, cAt() + 1);
  EXPECT_EQ(foundInProduct(), inProduct +
                                  "the bias is not aligned to 256 bytes, as "
                                  "it was when the algorithm was chosen\n");
}

TEST_F(MisuseTest, NullAddresses) {
  ASSERT_EQ(choose(), BlasSuccess);
  float one = 1;
  EXPECT_EQ(functions->matmul(blas->handle, description, &one, nullptr, a,
                              bAt(), b, &one, cAt(), c, dAt(), d, &algorithm,
                              workspace, workspaceBytes, nullptr),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(), inProduct + "A is null\n");
  EXPECT_EQ(functions->matmul(blas->handle, description, &one, aAt(), a, bAt(),
                              b, nullptr, cAt(), c, dAt(), d, &algorithm,
                              workspace, workspaceBytes, nullptr),
            BlasInvalidValue);
  EXPECT_EQ(takeFindings(), inProduct + "alpha or beta is null\n");
}

TEST_F(MisuseTest, DestroyedThings) {
  functions->layoutDestroy(c);
  EXPECT_EQ(found(), inChoice + "there is no such layout of C\n");
  EXPECT_EQ(functions->layoutDestroy(c), BlasInvalidValue);
  EXPECT_EQ(takeFindings(),
            "cublasLtMatrixLayoutDestroy: there is no such layout\n");
  c = nullptr;
  std::unique_ptr<Blas> other = openOn(0);
  BlasHandle handle = other->handle;
  other.reset();
  EXPECT_EQ(functions->destroy(handle), BlasNotInitialized);
  EXPECT_EQ(takeFindings(), "cublasLtDestroy: there is no such handle\n");
}

TEST_F(MisuseTest, WhatIsLeft) {
  auto left = reinterpret_cast<const char *(*)()>(find("hocketBlasLeft"));
  EXPECT_STREQ(left(), "never destroyed: 1 handles, 4 layouts, 1 descriptions, "
                       "1 preferences");
}

TEST_F(MisuseTest, WhatIsLeftAtTheEnd) {
  auto end = [] {
    unsetenv("HOCKET_LOOKALIKE_REPORT");
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0),
              "^cuBLASLt: never destroyed: 1 handles, 4 layouts, 1 "
              "descriptions, 1 preferences\n$");
}

TEST_F(MisuseTest, ANanReachesOnlyItsColumn) {
  ASSERT_EQ(choose(), BlasSuccess);
  bAt()[47] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_EQ(multiply(0), BlasSuccess);
  EXPECT_TRUE(std::isnan(dAt()[23]));
  EXPECT_FALSE(std::isnan(dAt()[19]));
}
