//===- Sample.h - operands of convolutions and their reference -*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_LIBRARIES_DNN_SAMPLE_H
#define HOCKET_TEST_GPU_LIBRARIES_DNN_SAMPLE_H

#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"
#include "test/Gpu/Libraries/Tensor.h"
#include <gtest/gtest.h>

namespace hocket::test {

using plan::ConvolutionPass;
using runtime::ConvolutionArguments;
using runtime::Status;

constexpr ConvolutionPass allPasses[] = {ConvolutionPass::Forward,
                                         ConvolutionPass::InputGradient,
                                         ConvolutionPass::WeightGradient};

/// What a convolution is made of; y follows.
struct Windows {
  std::vector<int64_t> x;      // batch, channels, dims
  std::vector<int64_t> weight; // channels of y, of x in a group, taps
  std::vector<int64_t> strides, dilations, lows, highs;
  int64_t groups = 1;

  std::vector<int64_t> y() const;
};

/// Strides and dilations of 1, no padding.
Windows windows(std::vector<int64_t> x, std::vector<int64_t> weight);

struct Sample {
  Windows windows;
  ConvolutionPass pass;
  Tensor x, weight, y;
  std::optional<Tensor> bias;

  ConvolutionArguments arguments() const;
  Tensor &result();
};

/// Row-major operands.
Sample sample(ConvolutionPass pass, const Windows &windows,
              DType type = DType::F32);

/// The strides of a dense tensor whose dims stand in memory in this order, the
/// last innermost.
std::vector<int64_t> stridesOf(const std::vector<int64_t> &shape,
                               const std::vector<size_t> &order);

/// Runs samples in the look-alike; a failure of the test where it finds
/// anything.
class DnnTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// A handle of a device that offers other engines first.
  std::unique_ptr<runtime::cuda::Dnn> openOn(int device);
  /// Chooses, uses and runs; then compares with the reference in f64.
  void check(const Sample &sample);
  Status run(runtime::cuda::Dnn &dnn, Sample &sample,
             const std::vector<uint8_t> *algorithm = nullptr);
  Status runCopied(runtime::cuda::DnnConvolution &convolution, void *workspace);
  std::string takeFindings();
  void offer(int best, int fallback);
  void *find(const char *symbol);

  runtime::cuda::DnnLibrary library;
  std::unique_ptr<runtime::cuda::Dnn> dnn;
  std::vector<uint8_t> workspaceBytes;
};

/// Of libcudnn.so.9 that looks alike.
std::string lookalikePath();

} // namespace hocket::test

#endif // HOCKET_TEST_GPU_LIBRARIES_DNN_SAMPLE_H
