//===- DeviceTest.cpp - convolutions on the look-alike of the driver ------===//

#include "runtime/lib/Cuda/Dnn/DnnConvolution.h"
#include "test/Gpu/Driver/TestDriver.h"
#include "test/Paths.h"
#include <cmath>

using namespace hocket;
using namespace hocket::lookalike;
using plan::DType;
using runtime::Operand;
using runtime::Status;

namespace {

/// y [1, 2, 3, 3] of x [1, 3, 4, 4] and the weight [2, 3, 2, 2], which are
/// ones, and a bias of twos.
class DnnDeviceTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    Status status =
        library.load({test::builtPath("test/lookalike/libcudnn.so.9")});
    ASSERT_TRUE(status.ok()) << status.message;
    prepare();
  }
  void TearDown() override {
    convolution.reset();
    dnn.reset();
    DriverTest::TearDown();
  }

  /// Again with other variables.
  void startAgain(const Variables &variables) {
    convolution.reset();
    dnn.reset();
    startWithContext(variables);
    prepare();
  }

  void prepare() {
    s = stream();
    dnn = std::make_unique<Dnn>(library);
    opened = dnn->open();
    if (!opened.ok())
      return;
    arguments.x = operand({1, 3, 4, 4}, 1);
    arguments.weight = operand({2, 3, 2, 2}, 1);
    arguments.y = operand({1, 2, 3, 3}, NAN);
    arguments.bias = operand({2}, 2);
    arguments.strides = arguments.dilations = {1, 1};
    arguments.lows = arguments.highs = {0, 0};
    remake();
  }
  void remake() {
    std::vector<uint8_t> algorithm;
    Status status = DnnConvolution::make(*dnn, arguments, {}, convolution);
    ASSERT_TRUE(status.ok()) << status.message;
    status = convolution->choose(algorithm);
    if (status.ok())
      status = convolution->use(algorithm);
    ASSERT_TRUE(status.ok()) << status.message;
    workspace = allocate(convolution->workspaceBytes() + 1);
  }

  /// NaN: nothing is uploaded.
  Operand operand(std::vector<int64_t> shape, float value) {
    Operand made{nullptr, DType::F32, shape, {}};
    made.strides.assign(shape.size(), 1);
    for (size_t dim = shape.size() - 1; dim-- > 0;)
      made.strides[dim] = made.strides[dim + 1] * shape[dim + 1];
    DeviceAddress address = allocate(4 * made.elements());
    made.data = reinterpret_cast<void *>(address);
    if (!std::isnan(value))
      EXPECT_EQ(cu.memcpyHtoDAsync(
                    address, pinned(std::vector<float>(made.elements(), value)),
                    4 * made.elements(), s),
                Success);
    return made;
  }
  Status run(Stream on) {
    return convolution->run(on, reinterpret_cast<void *>(workspace));
  }
  std::vector<float> result() {
    int64_t count = arguments.y.elements();
    float *place = pinned(std::vector<float>(count));
    EXPECT_EQ(cu.memcpyDtoHAsync(
                  place, reinterpret_cast<DeviceAddress>(arguments.y.data),
                  4 * count, s),
              Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    return std::vector<float>(place, place + count);
  }

  DnnLibrary library;
  std::unique_ptr<Dnn> dnn;
  Status opened;
  Stream s = nullptr;
  runtime::ConvolutionArguments arguments;
  DeviceAddress workspace = 0;
  std::unique_ptr<DnnConvolution> convolution;
};

const std::vector<float> fourteens(18, 14);

} // namespace

TEST_F(DnnDeviceTest, AConvolutionIsAnOperationOfItsStream) {
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(result(), fourteens);
}

TEST_F(DnnDeviceTest, AGraphComputesItAgain) {
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureThread), Success);
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(cu.streamEndCapture(s, &graph), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(result(), fourteens);
  auto bias = reinterpret_cast<DeviceAddress>(arguments.bias->data);
  EXPECT_EQ(cu.memsetD8Async(bias, 0, 8, s), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(result(), std::vector<float>(18, 12));
  EXPECT_EQ(cu.graphExecDestroy(exec), Success);
  EXPECT_EQ(cu.graphDestroy(graph), Success);
}

TEST_F(DnnDeviceTest, StreamsThatNothingOrders) {
  Stream other = stream();
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  ASSERT_TRUE(run(s).ok());
  ASSERT_TRUE(run(other).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  std::string text = found();
  EXPECT_NE(text.find("and nothing orders the two"), std::string::npos) << text;
  EXPECT_NE(text.find("cudnnBackendExecute forward"), std::string::npos)
      << text;
}

TEST_F(DnnDeviceTest, InputsHaveValues) {
  arguments.x = operand({1, 3, 4, 4}, NAN);
  remake();
  ASSERT_TRUE(run(s).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  std::string text = found();
  EXPECT_NE(text.find("where some have no value"), std::string::npos) << text;
}

TEST_F(DnnDeviceTest, BytesOfNoAllocation) {
  arguments.y.data = static_cast<char *>(arguments.y.data) + 256;
  remake();
  ASSERT_TRUE(run(s).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  EXPECT_NE(found(), "");
}

TEST_F(DnnDeviceTest, HandlesAreOfOneDevice) {
  startAgain({{"DEVICES", "2"}});
  Context second = nullptr;
  EXPECT_EQ(cu.devicePrimaryCtxRetain(&second, 1), Success);
  EXPECT_EQ(cu.ctxSetCurrent(second), Success);
  EXPECT_FALSE(run(s).ok());
  EXPECT_EQ(found(), "cudnnBackendExecute: the handle is of another device "
                     "than the current context\n");
  EXPECT_FALSE(DnnConvolution::make(*dnn, arguments, {}, convolution).ok());
  EXPECT_NE(found().find("cudnnBackendFinalize: a graph: the handle is of "
                         "device 0, and the current context of device 1\n"),
            std::string::npos);
  EXPECT_EQ(cu.ctxSetCurrent(context), Success);
}

TEST_F(DnnDeviceTest, NoContext) {
  EXPECT_EQ(cu.ctxSetCurrent(nullptr), Success);
  Dnn none(library);
  EXPECT_EQ(none.open().message,
            "cudnnCreate of cuDNN 9.19.0 failed: CUDNN_STATUS_NOT_INITIALIZED "
            "(there is no current context)");
  EXPECT_EQ(found(), "cudnnCreate: there is no current context\n");
}

TEST_F(DnnDeviceTest, CallsFailWhereTestsWantIt) {
  startAgain({{"FAIL", "cudnnBackendExecute:2=5000"}});
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(run(s).message,
            "cudnnBackendExecute of cuDNN 9.19.0 failed for convolution of [1, "
            "3, 4, 4] by [2, 3, 2, 2] f32: CUDNN_STATUS_EXECUTION_FAILED");
  startAgain({{"FAIL", "cudnnCreate:1=1001"}});
  EXPECT_EQ(opened.message,
            "cudnnCreate of cuDNN 9.19.0 failed: CUDNN_STATUS_NOT_INITIALIZED");
  startAgain({{"FAIL", "cudnnSetStream:1=5000"}});
  EXPECT_FALSE(run(s).ok());
}
