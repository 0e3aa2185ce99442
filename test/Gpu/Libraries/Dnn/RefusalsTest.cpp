//===- RefusalsTest.cpp - what is refused, and in which words -------------===//

#include "runtime/lib/Cuda/OpenLibrary.h"
#include "test/Gpu/Libraries/Dnn/Sample.h"

using namespace hocket;
using namespace hocket::test;
using namespace hocket::runtime::cuda;

namespace {

class RefusalsTest : public DnnTest {
protected:
  std::unique_ptr<DnnConvolution> made(const Sample &sample) {
    std::unique_ptr<DnnConvolution> convolution;
    Status status =
        DnnConvolution::make(*dnn, sample.arguments(), {}, convolution);
    EXPECT_TRUE(status.ok()) << status.message;
    return convolution;
  }

  Sample plain =
      sample(ConvolutionPass::Forward, windows({2, 3, 7, 6}, {4, 3, 3, 2}));
};

const char help[] = "; install it from NVIDIA or as the Python package "
                    "nvidia-cudnn-cu13, and name the folder of libcudnn.so.9 "
                    "in LD_LIBRARY_PATH";

} // namespace

TEST_F(RefusalsTest, NoLibrary) {
  DnnLibrary none;
  Status status = none.load({"libnothing.so.9", "/libnothing.so"});
  EXPECT_EQ(status.message,
            std::string("cuDNN 9 is needed, which is not found: "
                        "libnothing.so.9: cannot open shared object file: No "
                        "such file or directory") +
                help);
  status = none.load({"libdl.so.2"});
  EXPECT_EQ(status.message,
            std::string("cuDNN 9 is needed, and libdl.so.2 has no "
                        "cudnnGetVersion") +
                help);
}

TEST_F(RefusalsTest, OldLibrary) {
  auto *setVersion =
      reinterpret_cast<void (*)(size_t)>(find("hocketDnnSetVersion"));
  setVersion(8907);
  DnnLibrary old;
  Status status = old.load({lookalikePath()});
  setVersion(91900);
  EXPECT_EQ(status.message, "cuDNN 9 is needed, and " + lookalikePath() +
                                " is older than that (version 8907)" + help);
  EXPECT_EQ(runtime::cuda::versionText(91900), "9.19.0");
}

TEST_F(RefusalsTest, Types) {
  ConvolutionArguments arguments = plain.arguments();
  EXPECT_EQ(whyNotDnn(arguments), "");
  arguments.x.type = arguments.weight.type = arguments.y.type = DType::I32;
  EXPECT_EQ(whyNotDnn(arguments),
            "cuDNN convolves f32, f64, f16 and bf16, not i32");
  arguments.x.type = arguments.weight.type = DType::BF16;
  arguments.y.type = DType::F32;
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN wants one type for all operands of a "
                                  "convolution, not bf16 and f32");
  arguments.y.type = DType::BF16;
  arguments.bias = Operand{nullptr, DType::F32, {4}, {1}};
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN wants one type for all operands of a "
                                  "convolution, not bf16 and f32");
}

TEST_F(RefusalsTest, Windows) {
  ConvolutionArguments arguments = plain.arguments();
  arguments.strides[1] = 0;
  EXPECT_EQ(whyNotDnn(arguments), "the strides and dilations of a convolution "
                                  "are at least 1, not 0");
  arguments = plain.arguments();
  arguments.highs[0] = 1;
  EXPECT_EQ(whyNotDnn(arguments), "y has 5 positions in a dim in which the "
                                  "windows have 6");
  arguments = plain.arguments();
  arguments.highs[0] = int64_t(1) << 31;
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN takes at most 2147483647 positions in "
                                  "a dim, not 2147483653");
  for (auto *list : {&arguments.strides, &arguments.dilations, &arguments.lows,
                     &arguments.highs})
    list->assign(4, 1);
  EXPECT_EQ(whyNotDnn(arguments), "cuDNN convolves 1 to 3 dims, not 4");
}

TEST_F(RefusalsTest, NothingToAdd) {
  test::Windows outside = windows({1, 1, 2, 2}, {1, 1, 1, 1});
  outside.lows = {-2, 0};
  outside.highs = {1, 0};
  Sample forward = sample(ConvolutionPass::Forward, outside);
  EXPECT_EQ(whyNotDnn(forward.arguments()),
            "every window of the convolution lies outside of x or has no "
            "channels");
  std::unique_ptr<DnnConvolution> convolution;
  Status status =
      DnnConvolution::make(*dnn, forward.arguments(), {}, convolution);
  EXPECT_EQ(status.message,
            "the convolution of [1, 1, 2, 2] by [1, 1, 1, 1] f32 cannot be "
            "computed: every window of the convolution lies outside of x or "
            "has no channels");
}

TEST_F(RefusalsTest, NoEngineThatHocketWants) {
  offer(4, 0);
  std::vector<uint8_t> algorithm;
  EXPECT_EQ(made(plain)->choose(algorithm).message,
            "cuDNN 9.19.0 has no deterministic algorithm for the convolution "
            "of [2, 3, 7, 6] by [4, 3, 3, 2] f32 with a workspace of at most "
            "33558624 bytes");
  plain.pass = ConvolutionPass::WeightGradient;
  EXPECT_EQ(made(plain)->choose(algorithm).message,
            "cuDNN 9.19.0 has no deterministic algorithm for the weight "
            "gradient of the convolution of [2, 3, 7, 6] by [4, 3, 3, 2] f32 "
            "with a workspace of at most 33558624 bytes");
}

TEST_F(RefusalsTest, AlgorithmsOfOthers) {
  std::unique_ptr<DnnConvolution> convolution = made(plain);
  EXPECT_EQ(convolution->run(nullptr, nullptr).message,
            "the convolution of [2, 3, 7, 6] by [4, 3, 3, 2] f32 runs before "
            "an algorithm is chosen for it");
  std::vector<uint8_t> algorithm;
  ASSERT_TRUE(convolution->choose(algorithm).ok());
  EXPECT_EQ(convolution->use({1, 2, 3}).message,
            "an algorithm of the convolution of [2, 3, 7, 6] by [4, 3, 3, 2] "
            "f32 has only 3 bytes");
  std::vector<uint8_t> other = algorithm;
  other[0] += 1;
  EXPECT_EQ(convolution->use(other).message,
            "ranks have cuDNN 9.19.1 and 9.19.0, which compute other bits; "
            "install one of them everywhere");
  algorithm.back() = ' ';
  EXPECT_EQ(convolution->use(algorithm).message,
            "cudnnBackendFinalize of cuDNN 9.19.0 failed for convolution of "
            "[2, 3, 7, 6] by [4, 3, 3, 2] f32: CUDNN_STATUS_NOT_SUPPORTED (a "
            "plan: its text is not that of a plan of this version)");
  EXPECT_EQ(takeFindings(), "cudnnBackendFinalize: a plan: its text is not "
                            "that of a plan of this version\n");
}

TEST_F(RefusalsTest, Addresses) {
  plain.x = Tensor(DType::F32, plain.x.shape, {}, 1);
  std::unique_ptr<DnnConvolution> convolution;
  EXPECT_EQ(DnnConvolution::make(*dnn, plain.arguments(),
                                 {ConvolutionAlignment(), {}}, convolution)
                .message,
            "x of the convolution of [2, 3, 7, 6] by [4, 3, 3, 2] f32 is not "
            "aligned to 16 bytes as its algorithm wants");
  ConvolutionAlignment less;
  less.x = 4;
  EXPECT_TRUE(
      DnnConvolution::make(*dnn, plain.arguments(), {less, {}}, convolution)
          .ok());
}

TEST_F(RefusalsTest, TheWorkspaceIsBounded) {
  int64_t operands = 4 * (2 * 3 * 7 * 6 + 4 * 3 * 3 * 2 + 2 * 4 * 5 * 5);
  EXPECT_EQ(convolutionWorkspaceBytes(plain.arguments()),
            (int64_t(32) << 20) + 2 * operands);
}
