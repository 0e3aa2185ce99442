//===- RealTest.cpp - convolutions described to NVIDIA's own library ------===//
//
// Without a GPU the library plans for a device that it is told of. That proves
// that our descriptors are accepted and engines found, not what they compute.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/OpenLibrary.h"
#include "test/Gpu/Libraries/Dnn/Described.h"
#include "test/Gpu/Libraries/Dnn/Sample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

/// What docs/examples convolve: at full size, and on one rank of each kind of
/// a schedule.
const Windows examples[] = {
    // unet.hkt, one rank
    {{2, 4, 721, 1442}, {64, 4, 3, 3}, {1, 1}, {1, 1}, {1, 0}, {1, 0}, 1},
    {{2, 64, 721, 1442}, {128, 64, 3, 3}, {2, 2}, {1, 1}, {1, 0}, {1, 0}, 1},
    {{2, 128, 361, 722}, {128, 128, 3, 3}, {1, 1}, {1, 1}, {1, 0}, {1, 0}, 1},
    {{2, 64, 722, 1442}, {128, 64, 4, 4}, {2, 2}, {1, 1}, {1, 0}, {1, 0}, 1},
    {{2, 128, 721, 1440}, {4, 128, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    // unet.hkt, domain
    {{2, 4, 362, 722}, {64, 4, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 64, 361, 721}, {128, 64, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 128, 182, 362}, {128, 128, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 64, 362, 722}, {128, 64, 4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 128, 360, 720}, {4, 128, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 4, 363, 722}, {64, 4, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 64, 363, 721}, {128, 64, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 128, 183, 362}, {128, 128, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 64, 364, 722}, {128, 64, 4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{2, 128, 361, 720}, {4, 128, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    // unet.hkt, domain_channels
    {{1, 4, 362, 1442}, {64, 4, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 361, 1442}, {64, 64, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 182, 722}, {128, 64, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 362, 1442}, {64, 64, 4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 128, 360, 1440}, {4, 128, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 4, 363, 1442}, {64, 4, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 363, 1442}, {64, 64, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 183, 722}, {128, 64, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 64, 364, 1442}, {64, 64, 4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{1, 128, 361, 1440}, {4, 128, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    // cnn.hkt, one rank
    {{8, 3, 224, 224}, {64, 3, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 1},
    {{8, 64, 56, 56}, {128, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
    {{8, 128, 56, 56}, {128, 128, 3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 1},
    {{8, 128, 56, 56}, {256, 128, 3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 1},
    // cnn.hkt, space
    {{8, 3, 113, 113}, {64, 3, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{8, 64, 30, 30}, {128, 64, 3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
    {{8, 128, 32, 32}, {128, 128, 3, 3}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, 1},
    {{8, 128, 29, 29}, {256, 128, 3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, 1},
    // cnn.hkt, space_data
    {{4, 3, 113, 224}, {64, 3, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {0, 1}, 1},
    {{4, 64, 30, 56}, {128, 64, 3, 3}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, 1},
    {{4, 128, 32, 56}, {128, 128, 3, 3}, {1, 1}, {2, 2}, {0, 2}, {0, 2}, 1},
    {{4, 128, 29, 56}, {256, 128, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {0, 1}, 1},
    // cnn.hkt, space_channels
    {{4, 3, 113, 224}, {32, 3, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {0, 1}, 1},
    {{4, 32, 30, 56}, {128, 32, 3, 3}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, 1},
    {{4, 128, 29, 56}, {128, 128, 3, 3}, {2, 2}, {1, 1}, {0, 1}, {0, 1}, 1},
};

enum class Layout { ChannelsFirst, ChannelsInnermost };

class RealTest : public testing::Test {
protected:
  void SetUp() override {
    std::vector<std::string> names;
    for (const std::string &name : DnnLibrary::usualNames())
      if (name[0] == '/')
        names.push_back(name);
    Status status = library.load(names);
    if (!status.ok())
      GTEST_SKIP() << status.message;
    if (library.version < 90800)
      GTEST_SKIP() << "cuDNN plans for other devices from 9.8.0 on";
  }

  ConvolutionArguments arguments(ConvolutionPass pass, const Windows &windows,
                                 DType type, Layout layout) {
    ConvolutionArguments made;
    made.pass = pass;
    auto operand = [&](const std::vector<int64_t> &shape, bool isTurned) {
      std::vector<size_t> order;
      for (size_t dim = 0; dim < shape.size(); ++dim)
        if (!isTurned || dim != 1)
          order.push_back(dim);
      if (isTurned)
        order.push_back(1);
      return Operand{nullptr, type, shape, stridesOf(shape, order)};
    };
    bool isTurned = layout == Layout::ChannelsInnermost;
    made.x = operand(windows.x, isTurned);
    made.weight = operand(windows.weight, false);
    made.y = operand(windows.y(), isTurned);
    made.strides = windows.strides;
    made.dilations = windows.dilations;
    made.lows = windows.lows;
    made.highs = windows.highs;
    made.groups = windows.x[1] / windows.weight[1];
    return made;
  }

  /// Chooses a plan and makes it from its text again, as another rank does.
  void plan(const Dnn &dnn, const ConvolutionArguments &arguments) {
    EXPECT_EQ(whyNotDnn(arguments), "") << describe(arguments);
    std::unique_ptr<DnnConvolution> convolution;
    Status status = DnnConvolution::make(dnn, arguments, {}, convolution);
    std::vector<uint8_t> algorithm;
    if (status.ok())
      status = convolution->choose(algorithm);
    if (status.ok())
      status = convolution->use(algorithm);
    EXPECT_TRUE(status.ok()) << status.message;
  }

  void planAll(const Dnn &dnn, const Windows &windows, DType type,
               Layout layout) {
    for (ConvolutionPass pass : allPasses)
      plan(dnn, arguments(pass, windows, type, layout));
    ConvolutionArguments biased =
        arguments(ConvolutionPass::Forward, windows, type, layout);
    biased.bias = Operand{nullptr, type, {windows.weight[0]}, {1}};
    plan(dnn, biased);
  }

  DnnLibrary library;
};

} // namespace

TEST_F(RealTest, PlansTheConvolutionsOfTheExamples) {
  for (const Chip &chip : chips) {
    Dnn dnn(library);
    Status status = dnn.openFor(propertiesOf(chip));
    ASSERT_TRUE(status.ok()) << status.message;
    for (const Windows &windows : examples)
      for (DType type : {DType::F32, DType::BF16})
        planAll(dnn, windows, type, Layout::ChannelsInnermost);
  }
}

TEST_F(RealTest, PlansOtherConvolutions) {
  Windows uneven = windows({2, 6, 9, 11}, {8, 3, 3, 2});
  uneven.strides = {2, 3};
  uneven.dilations = {1, 2};
  uneven.lows = {3, -1};
  uneven.highs = {-2, 4};
  Windows line = windows({2, 3, 300}, {5, 3, 7});
  Windows space = windows({2, 2, 8, 9, 10}, {4, 2, 3, 2, 3});
  space.lows = {1, 0, 2};
  Windows each = windows({2, 8, 20, 20}, {8, 1, 3, 3});
  for (const Chip &chip : chips) {
    Dnn dnn(library);
    Status status = dnn.openFor(propertiesOf(chip));
    ASSERT_TRUE(status.ok()) << status.message;
    for (const Windows &windows : {uneven, line, space, each})
      for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16})
        for (Layout layout : {Layout::ChannelsFirst, Layout::ChannelsInnermost})
          planAll(dnn, windows, type, layout);
  }
}

/// What convolutions copy or leave out, the library refuses.
TEST_F(RealTest, RefusesWhatWeDoNotGiveIt) {
  Dnn dnn(library);
  ASSERT_TRUE(dnn.openFor(propertiesOf(chips[1])).ok());
  ConvolutionForm form = formOf(arguments(ConvolutionPass::Forward,
                                          windows({2, 8, 20, 20}, {8, 8, 3, 3}),
                                          DType::F32, Layout::ChannelsFirst));
  ConvolutionForm gaps = form;
  gaps.weight.strides[0] *= 2;
  ConvolutionForm below = form;
  below.lows[0] = -1;
  below.highs[0] = 1;
  for (const ConvolutionForm *refused : {&gaps, &below})
    EXPECT_FALSE(
        ConvolutionGraph(dnn, "a convolution").make(*refused, {}).ok());
  ConvolutionForm repeated = form;
  repeated.x.strides[0] = 0;
  ConvolutionGraph graph(dnn, "a convolution");
  std::string plan;
  Status status = graph.make(repeated, {});
  if (status.ok())
    status = graph.choose(int64_t(1) << 30, plan);
  EXPECT_EQ(plan, "");
}

TEST_F(RealTest, SaysWhatADeviceLacks) {
  Dnn dnn(library);
  Status status = dnn.openFor("{}");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message.find("cudnnBackendFinalize of cuDNN " +
                                runtime::cuda::versionText(library.version) +
                                " failed for the properties of a device: "),
            0u)
      << status.message;
}
