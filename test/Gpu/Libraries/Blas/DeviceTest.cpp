//===- DeviceTest.cpp - products on the look-alike of the driver ----------===//

#include "runtime/lib/Cuda/Blas/BlasProduct.h"
#include "test/Gpu/Driver/TestDriver.h"
#include "test/Paths.h"
#include <cmath>
#include <fstream>

using namespace hocket;
using namespace hocket::lookalike;
using plan::DType;
using runtime::Operand;
using runtime::Status;

namespace {

/// c [4, 6] = a [4, 8] b [8, 6] + bias, where a and b are ones and the bias 2.
class BlasDeviceTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    Status status =
        library.load({test::builtPath("test/lookalike/libcublasLt.so.13")});
    ASSERT_TRUE(status.ok()) << status.message;
    prepare();
  }
  void TearDown() override {
    product.reset();
    blas.reset();
    DriverTest::TearDown();
  }

  /// Again with other variables.
  void startAgain(const Variables &variables) {
    product.reset();
    blas.reset();
    startWithContext(variables);
    prepare();
  }

  void prepare() {
    s = stream();
    blas = std::make_unique<Blas>(library, cu);
    opened = blas->open();
    if (!opened.ok())
      return;
    arguments.a = operand({4, 8}, 1);
    arguments.b = operand({8, 6}, 1);
    arguments.c = operand({4, 6}, NAN);
    arguments.bias = operand({6}, 2);
    workspace = allocate(productWorkspaceBytes);
    remake();
  }
  void remake() {
    std::vector<uint8_t> algorithm;
    Status status = BlasProduct::make(*blas, arguments, {}, product);
    ASSERT_TRUE(status.ok()) << status.message;
    status = product->choose(algorithm);
    if (status.ok())
      status = product->use(algorithm);
    ASSERT_TRUE(status.ok()) << status.message;
  }

  /// NaN: nothing is uploaded.
  Operand operand(std::vector<int64_t> shape, float value) {
    Operand made{nullptr, DType::F32, shape, {1}};
    if (shape.size() == 2)
      made.strides = {shape[1], 1};
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
    return product->run(on, reinterpret_cast<void *>(workspace));
  }
  std::vector<float> result() {
    int64_t count = arguments.c.elements();
    float *place = pinned(std::vector<float>(count));
    EXPECT_EQ(cu.memcpyDtoHAsync(
                  place, reinterpret_cast<DeviceAddress>(arguments.c.data),
                  4 * count, s),
              Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    return std::vector<float>(place, place + count);
  }

  BlasLibrary library;
  std::unique_ptr<Blas> blas;
  Status opened;
  Stream s = nullptr;
  ProductArguments arguments;
  DeviceAddress workspace = 0;
  std::unique_ptr<BlasProduct> product;
};

const std::vector<float> tens(24, 10);

} // namespace

TEST_F(BlasDeviceTest, AProductIsAnOperationOfItsStream) {
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(result(), tens);
}

TEST_F(BlasDeviceTest, AnEmptySumIsZeroedOnItsStream) {
  arguments.a = {nullptr, DType::F32, {4, 0}, {1, 1}};
  arguments.b = {nullptr, DType::F32, {0, 6}, {6, 1}};
  remake();
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(result(), std::vector<float>(24, 2));
}

TEST_F(BlasDeviceTest, AGraphComputesItAgain) {
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureThread), Success);
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(cu.streamEndCapture(s, &graph), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(result(), tens);
  auto bias = reinterpret_cast<DeviceAddress>(arguments.bias->data);
  EXPECT_EQ(cu.memsetD8Async(bias, 0, 24, s), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(result(), std::vector<float>(24, 8));
  EXPECT_EQ(cu.graphExecDestroy(exec), Success);
  EXPECT_EQ(cu.graphDestroy(graph), Success);
}

TEST_F(BlasDeviceTest, TheWorkspaceIsOfOneStream) {
  Stream other = stream();
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  ASSERT_TRUE(run(s).ok());
  ASSERT_TRUE(run(other).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  std::string text = found();
  EXPECT_NE(text.find("and nothing orders the two"), std::string::npos) << text;
  EXPECT_NE(text.find("cublasLtMatmul [6, 4, 8]"), std::string::npos) << text;
}

TEST_F(BlasDeviceTest, InputsHaveValues) {
  arguments.a = operand({4, 8}, NAN);
  remake();
  ASSERT_TRUE(run(s).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  std::string text = found();
  EXPECT_NE(text.find("where some have no value"), std::string::npos) << text;
}

TEST_F(BlasDeviceTest, BytesOfNoAllocation) {
  arguments.c.data = static_cast<char *>(arguments.c.data) + 256;
  remake();
  ASSERT_TRUE(run(s).ok());
  EXPECT_NE(cu.streamSynchronize(s), Success);
  EXPECT_NE(found(), "");
}

TEST_F(BlasDeviceTest, HandlesAreOfOneDevice) {
  startAgain({{"DEVICES", "2"}});
  Context second = nullptr;
  EXPECT_EQ(cu.devicePrimaryCtxRetain(&second, 1), Success);
  EXPECT_EQ(cu.ctxSetCurrent(second), Success);
  std::vector<uint8_t> algorithm;
  EXPECT_FALSE(product->choose(algorithm).ok());
  EXPECT_EQ(found(), "cublasLtMatmulAlgoGetHeuristic: the handle is of device "
                     "0, and the current context of device 1\n");
  // The other device likes another algorithm best.
  Blas there(library, cu);
  ASSERT_TRUE(there.open().ok());
  std::unique_ptr<BlasProduct> other;
  ASSERT_TRUE(BlasProduct::make(there, arguments, {}, other).ok());
  ASSERT_TRUE(other->choose(algorithm).ok());
  EXPECT_EQ(cu.ctxSetCurrent(context), Success);
  std::vector<uint8_t> here;
  ASSERT_TRUE(product->choose(here).ok());
  EXPECT_NE(here, algorithm);
}

TEST_F(BlasDeviceTest, NoContext) {
  EXPECT_EQ(cu.ctxSetCurrent(nullptr), Success);
  Blas none(library, cu);
  EXPECT_EQ(none.open().message,
            "cublasLtCreate of cuBLASLt 13.1.0 failed: the library was not "
            "initialized");
  EXPECT_EQ(found(), "cublasLtCreate: there is no current context\n");
}

/// Two products with one b and a bias, of which a library may think that it
/// has no such batch.
TEST_F(BlasDeviceTest, ARefusedBatchIsALoop) {
  startAgain({{"FAIL", "cublasLtMatmulAlgoGetHeuristic:2=15"}});
  arguments.a = operand({16, 8}, 1);
  arguments.c = operand({16, 6}, NAN);
  arguments.a.shape = {2, 4, 8};
  arguments.a.strides = {64, 8, 1};
  arguments.b.shape = {2, 8, 6};
  arguments.b.strides = {0, 6, 1};
  arguments.c.shape = {2, 4, 6};
  arguments.c.strides = {48, 6, 1};
  std::vector<uint8_t> algorithm;
  ASSERT_TRUE(BlasProduct::make(*blas, arguments, {}, product).ok());
  Status status = product->choose(algorithm);
  ASSERT_TRUE(status.ok()) << status.message;
  // Another rank, which did not choose.
  ASSERT_TRUE(BlasProduct::make(*blas, arguments, {}, product).ok());
  status = product->use(algorithm);
  ASSERT_TRUE(status.ok()) << status.message;
  ASSERT_TRUE(run(s).ok());
  for (DeviceAddress skip : {0, 192}) {
    float *place = pinned(std::vector<float>(24));
    auto c = reinterpret_cast<DeviceAddress>(arguments.c.data);
    EXPECT_EQ(cu.memcpyDtoHAsync(place, c + skip, 96, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    EXPECT_EQ(std::vector<float>(place, place + 24), tens);
  }
}

TEST_F(BlasDeviceTest, NoAlgorithm) {
  startAgain({{"FAIL", "cublasLtMatmulAlgoGetHeuristic:2=15"}});
  std::vector<uint8_t> algorithm;
  EXPECT_EQ(product->choose(algorithm).message,
            "cublasLtMatmulAlgoGetHeuristic of cuBLASLt 13.1.0 failed for "
            "[4, 8] x [8, 6] f32: the functionality requested is not "
            "supported");
}

TEST_F(BlasDeviceTest, CallsFailWhereTestsWantIt) {
  startAgain({{"FAIL", "cublasLtMatmul:2=13"}});
  ASSERT_TRUE(run(s).ok());
  EXPECT_EQ(run(s).message,
            "cublasLtMatmul of cuBLASLt 13.1.0 failed for [4, 8] x [8, 6] f32: "
            "the function failed to launch on the GPU");
  startAgain({{"FAIL", "cublasLtCreate:1=3"}});
  EXPECT_EQ(opened.message, "cublasLtCreate of cuBLASLt 13.1.0 failed: "
                            "resource allocation failed");
}
