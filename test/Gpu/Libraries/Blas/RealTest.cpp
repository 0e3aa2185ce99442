//===- RealTest.cpp - descriptors in NVIDIA's own library -----------------===//
//
// Without a GPU the library makes no handle, but it makes descriptors, and
// checks the attributes that they are given and the sizes of these.
//
//===----------------------------------------------------------------------===//

#include "test/Gpu/Libraries/Blas/Sample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

class RealTest : public testing::Test {
protected:
  void SetUp() override {
    for (const std::string &name : BlasLibrary::usualNames())
      if (name[0] == '/')
        names.push_back(name);
    Status status = library.load(names);
    if (!status.ok())
      GTEST_SKIP() << status.message;
  }

  std::vector<std::string> names;
  BlasLibrary library;
  DriverFunctions driver = {};
  Blas blas{library, driver}; // not opened: that takes a GPU
};

} // namespace

TEST_F(RealTest, TakesTheDescriptorsOfAProduct) {
  Sample product = sample(DType::BF16, DType::F32, {3}, 4, 5, 6);
  product.b = Tensor(DType::BF16, {3, 6, 5}, {30, 1, 6});
  product.bias = Tensor(DType::F32, {5});
  product.post = {{PostOp::Add, Tensor(DType::F32, {3, 4, 5})},
                  {PostOp::GeluTanh, {}}};
  ProductArguments arguments = product.arguments();
  BlasObjects objects(blas, "a product");
  Status status = objects.make(formOf(arguments), BlasCompute32F, BlasF32);
  EXPECT_TRUE(status.ok()) << status.message;
  status = objects.setBias(product.bias->operand().data);
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(RealTest, TakesPreferences) {
  const BlasFunctions &functions = library.functions;
  BlasPreference preference = nullptr;
  ASSERT_EQ(functions.preferenceCreate(&preference), BlasSuccess);
  uint64_t bytes = productWorkspaceBytes;
  uint32_t value = BlasReductionComputeType;
  EXPECT_EQ(
      functions.preferenceSet(preference, BlasPreferenceWorkspace, &bytes, 8),
      BlasSuccess);
  EXPECT_EQ(
      functions.preferenceSet(preference, BlasPreferenceReduction, &value, 4),
      BlasSuccess);
  value = 16;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(functions.preferenceSet(
                  preference,
                  BlasPreferenceAttribute(BlasPreferenceAlignmentA + i), &value,
                  4),
              BlasSuccess);
  EXPECT_EQ(
      functions.preferenceSet(preference, BlasPreferenceWorkspace, &value, 4),
      BlasInvalidValue);
  EXPECT_EQ(functions.preferenceDestroy(preference), BlasSuccess);
}

TEST_F(RealTest, ChecksSizesAsTheLookalikeDoes) {
  const BlasFunctions &functions = library.functions;
  BlasLayout layout = nullptr;
  ASSERT_EQ(functions.layoutCreate(&layout, BlasF32, 4, 5, 4), BlasSuccess);
  const int sizes[] = {4, 4, 8, 8, 8, 4, 8};
  int64_t value = 1;
  for (int attribute = 0; attribute < 7; ++attribute)
    for (int size : {4, 8})
      EXPECT_EQ(functions.layoutSet(layout, BlasLayoutAttribute(attribute),
                                    &value, size),
                size == sizes[attribute] ? BlasSuccess : BlasInvalidValue)
          << attribute << " of " << size;
  EXPECT_EQ(functions.layoutDestroy(layout), BlasSuccess);
  BlasDescription description = nullptr;
  ASSERT_EQ(functions.descriptionCreate(&description, BlasCompute32F, BlasF32),
            BlasSuccess);
  const std::pair<int, int> attributes[] = {{0, 4},  {1, 4}, {2, 4}, {3, 4},
                                            {4, 4},  {5, 4}, {7, 4}, {8, 8},
                                            {10, 8}, {26, 4}};
  value = 0;
  for (auto [attribute, right] : attributes)
    for (int size : {4, 8}) {
      BlasStatus status = functions.descriptionSet(
          description, BlasDescriptionAttribute(attribute), &value, size);
      if (size != right)
        EXPECT_EQ(status, BlasInvalidValue) << attribute << " of " << size;
      else if (attribute > 1 && attribute != 7) // 0 is no compute type
        EXPECT_EQ(status, BlasSuccess) << attribute << " of " << size;
    }
  EXPECT_EQ(functions.descriptionDestroy(description), BlasSuccess);
}
