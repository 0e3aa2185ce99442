//===- BlasTest.cpp - samples run in the look-alike -----------------------===//

#include "test/Gpu/Libraries/Blas/Control.h"
#include "test/Gpu/Libraries/Blas/Sample.h"
#include "test/Paths.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>

namespace hocket::test {

using namespace hocket::runtime::cuda;

std::string lookalikePath() {
  return builtPath("test/lookalike/libcublasLt.so.13");
}

static Result setBytes(DeviceAddress to, unsigned char value, size_t bytes,
                       Stream stream) {
  EXPECT_EQ(value, 0);
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return Success;
}

void *BlasTest::find(const char *symbol) {
  void *found = dlsym(dlopen(lookalikePath().c_str(), RTLD_NOW), symbol);
  EXPECT_NE(found, nullptr) << symbol;
  return found;
}

std::string BlasTest::takeFindings() {
  return reinterpret_cast<const char *(*)()>(find("hocketBlasTakeFindings"))();
}

void BlasTest::SetUp() {
  setenv("HOCKET_LOOKALIKE_REPORT", "/dev/null", 1);
  Status status = library.load({lookalikePath()});
  ASSERT_TRUE(status.ok()) << status.message;
  driver.memsetD8Async = setBytes;
  blas = openOn(0);
  workspaceBytes.assign(productWorkspaceBytes + 256, 0xff);
  auto address = reinterpret_cast<uintptr_t>(workspaceBytes.data());
  workspace = workspaceBytes.data() + (256 - address % 256) % 256;
}

void BlasTest::TearDown() {
  EXPECT_EQ(takeFindings(), "");
  blas.reset();
  EXPECT_STREQ(reinterpret_cast<const char *(*)()>(find("hocketBlasLeft"))(),
               "");
}

std::unique_ptr<Blas> BlasTest::openOn(int device) {
  reinterpret_cast<void (*)(int)>(find("hocketBlasSetDevice"))(device);
  auto opened = std::make_unique<Blas>(library, driver);
  Status status = opened->open();
  EXPECT_TRUE(status.ok()) << status.message;
  return opened;
}

Status BlasTest::run(Blas &on, const Sample &sample,
                     const ProductOptions &options,
                     const std::vector<uint8_t> *algorithm) {
  std::unique_ptr<BlasProduct> product;
  Status status = BlasProduct::make(on, sample.arguments(), options, product);
  std::vector<uint8_t> chosen;
  if (status.ok() && !algorithm) {
    status = product->choose(chosen);
    algorithm = &chosen;
  }
  if (status.ok())
    status = product->use(*algorithm);
  if (status.ok())
    status = product->run(nullptr, workspace);
  return status;
}

namespace {

/// A value, and how far from it a result may be.
struct Bound {
  double value = 0, error = 0;
};

/// The relative error of one rounding.
double roundingOf(DType type) {
  switch (type) {
  case DType::F64:
    return 0x1p-53;
  case DType::F32:
    return 0x1p-24;
  case DType::F16:
    return 0x1p-11;
  default:
    return 0x1p-8;
  }
}

/// Each term is rounded, and each of k sums; activations have a slope of less
/// than 1.2 and some roundings of their own.
Bound reference(const Sample &sample, const std::vector<int64_t> &index,
                double inputRounding) {
  std::vector<int64_t> left = index, right = index;
  size_t rank = index.size();
  double sum = 0, size = 0;
  int64_t k = sample.a.shape.back();
  for (int64_t p = 0; p < k; ++p) {
    left[rank - 1] = right[rank - 2] = p;
    double term = sample.a.get(left) * sample.b.get(right);
    sum += term;
    size += std::abs(term);
  }
  double error = 2 * inputRounding * size;
  auto add = [&](double value) {
    sum += value;
    size += std::abs(value);
  };
  if (sample.bias)
    add(sample.bias->get({index.back()}));
  double compute = sample.c.type == DType::F64 ? 0x1p-53 : 0x1p-24;
  error += compute * double(k + 8) * size;
  for (const Sample::Post &post : sample.post) {
    if (post.op == PostOp::Add) {
      add(post.operand.get(index));
      error += compute * 8 * size;
    } else if (post.op == PostOp::Relu) {
      sum = std::max(sum, 0.0);
    } else if (post.op == PostOp::GeluTanh) {
      double inner = std::sqrt(2 / M_PI) * (sum + 0.044715 * sum * sum * sum);
      error = 1.2 * error + compute * 16 * (1 + std::abs(sum));
      sum = 0.5 * sum * (1 + std::tanh(inner));
    }
  }
  return {sum, error + roundingOf(sample.c.type) * (std::abs(sum) + error) +
                   0x1p-24};
}

} // namespace

void BlasTest::check(const Sample &given, const ProductOptions &options) {
  Sample sample = given;
  std::vector<Bound> bounds;
  forEachIndex(sample.c.shape, [&](const std::vector<int64_t> &index) {
    bounds.push_back(reference(sample, index, options.tf32 ? 0x1p-11 : 0));
  });
  bool isInPlace = false;
  for (const Sample::Post &post : sample.post)
    isInPlace |= !post.operand.shape.empty() &&
                 post.operand.operand().data == sample.c.operand().data;
  if (!isInPlace)
    sample.c.forget();
  Status status = run(*blas, sample, options);
  ASSERT_TRUE(status.ok()) << status.message << "\n" << takeFindings();
  size_t next = 0;
  forEachIndex(sample.c.shape, [&](const std::vector<int64_t> &index) {
    const Bound &bound = bounds[next++];
    double difference = std::abs(sample.c.get(index) - bound.value);
    EXPECT_TRUE(difference <= bound.error)
        << describe(sample.arguments()) << " at " << next - 1 << ": "
        << sample.c.get(index) << ", not " << bound.value << " +- "
        << bound.error;
  });
  EXPECT_TRUE(sample.c.isCleanOutside());
}

} // namespace hocket::test
