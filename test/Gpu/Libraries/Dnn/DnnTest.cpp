//===- DnnTest.cpp - samples run in the look-alike ------------------------===//

#include "test/Gpu/Libraries/Dnn/Control.h"
#include "test/Gpu/Libraries/Dnn/Sample.h"
#include "test/Paths.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <map>

namespace hocket::test {

using namespace hocket::runtime::cuda;

std::string lookalikePath() {
  return builtPath("test/lookalike/libcudnn.so.9");
}

void *DnnTest::find(const char *symbol) {
  void *found = dlsym(dlopen(lookalikePath().c_str(), RTLD_NOW), symbol);
  EXPECT_NE(found, nullptr) << symbol;
  return found;
}

std::string DnnTest::takeFindings() {
  return reinterpret_cast<const char *(*)()>(find("hocketDnnTakeFindings"))();
}

void DnnTest::offer(int best, int fallback) {
  reinterpret_cast<void (*)(int, int)>(find("hocketDnnSetOffers"))(best,
                                                                   fallback);
}

void DnnTest::SetUp() {
  setenv("HOCKET_LOOKALIKE_REPORT", "/dev/null", 1);
  Status status = library.load({lookalikePath()});
  ASSERT_TRUE(status.ok()) << status.message;
  offer(100, 100);
  dnn = openOn(0);
}

void DnnTest::TearDown() {
  EXPECT_EQ(takeFindings(), "");
  dnn.reset();
  EXPECT_STREQ(reinterpret_cast<const char *(*)()>(find("hocketDnnLeft"))(),
               "");
}

std::unique_ptr<Dnn> DnnTest::openOn(int device) {
  reinterpret_cast<void (*)(int)>(find("hocketDnnSetDevice"))(device);
  auto opened = std::make_unique<Dnn>(library);
  Status status = opened->open();
  EXPECT_TRUE(status.ok()) << status.message;
  return opened;
}

/// One element after the other, as the host can.
static void copy(const Operand &from, const Operand &to) {
  int64_t bytes = plan::byteSize(from.type);
  forEachIndex(from.shape, [&](const std::vector<int64_t> &index) {
    int64_t source = 0, target = 0;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      source += index[dim] * from.strides[dim];
      target += index[dim] * to.strides[dim];
    }
    std::memcpy(static_cast<char *>(to.data) + target * bytes,
                static_cast<char *>(from.data) + source * bytes, bytes);
  });
}

/// What a device does around the library's call.
Status DnnTest::runCopied(DnnConvolution &convolution, void *workspace) {
  if (std::optional<Operand> zeros = convolution.zeros(workspace)) {
    std::vector<char> none(8);
    copy({none.data(), zeros->type, zeros->shape,
          std::vector<int64_t>(zeros->shape.size())},
         *zeros);
  }
  for (const DnnCopy &each : convolution.copies(workspace))
    if (!each.isResult)
      copy(each.operand, each.dense);
  Status status = convolution.run(nullptr, workspace);
  for (const DnnCopy &each : convolution.copies(workspace))
    if (each.isResult)
      copy(each.dense, each.operand);
  return status;
}

Status DnnTest::run(Dnn &on, Sample &sample,
                    const std::vector<uint8_t> *algorithm) {
  sample.result().forget();
  std::unique_ptr<DnnConvolution> convolution;
  Status status = DnnConvolution::make(on, sample.arguments(), {}, convolution);
  std::vector<uint8_t> chosen;
  if (status.ok() && !algorithm) {
    status = convolution->choose(chosen);
    algorithm = &chosen;
  }
  if (status.ok())
    status = convolution->use(*algorithm);
  if (!status.ok())
    return status;
  workspaceBytes.assign(convolution->workspaceBytes() + 512, 0xff);
  auto address = reinterpret_cast<uintptr_t>(workspaceBytes.data());
  return runCopied(*convolution,
                   workspaceBytes.data() + (256 - address % 256) % 256);
}

namespace {

/// A value, and how far from it a result may be.
struct Bound {
  double value = 0, size = 0;
  int64_t terms = 0;
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

using Bounds = std::map<std::vector<int64_t>, Bound>;

/// plan::Convolution's definition: each product of x and a weight that is in a
/// y, added to whichever of the three is the result.
Bounds reference(const Sample &sample) {
  const Windows &w = sample.windows;
  Bounds bounds;
  auto add = [&](const std::vector<int64_t> &at, double term) {
    Bound &bound = bounds[at];
    bound.value += term;
    bound.size += std::abs(term);
    ++bound.terms;
  };
  int64_t outGroup = w.weight[0] / w.groups;
  forEachIndex(sample.y.shape, [&](const std::vector<int64_t> &out) {
    std::vector<int64_t> taps(w.weight.begin() + 1, w.weight.end());
    if (sample.bias)
      add(out, sample.bias->get({out[1]}));
    forEachIndex(taps, [&](std::vector<int64_t> tap) {
      std::vector<int64_t> in = out;
      in[1] = out[1] / outGroup * w.weight[1] + tap[0];
      bool isInside = true;
      for (size_t i = 0; i < w.strides.size(); ++i) {
        in[i + 2] =
            out[i + 2] * w.strides[i] + tap[i + 1] * w.dilations[i] - w.lows[i];
        isInside &= in[i + 2] >= 0 && in[i + 2] < w.x[i + 2];
      }
      if (!isInside)
        return;
      tap.insert(tap.begin(), out[1]);
      if (sample.pass == ConvolutionPass::Forward)
        add(out, sample.x.get(in) * sample.weight.get(tap));
      else if (sample.pass == ConvolutionPass::InputGradient)
        add(in, sample.y.get(out) * sample.weight.get(tap));
      else
        add(tap, sample.x.get(in) * sample.y.get(out));
    });
  });
  return bounds;
}

} // namespace

void DnnTest::check(const Sample &given) {
  Sample sample = given;
  Bounds bounds = reference(sample);
  Status status = run(*dnn, sample);
  ASSERT_TRUE(status.ok()) << status.message << "\n" << takeFindings();
  Tensor &result = sample.result();
  double compute =
      roundingOf(result.type == DType::F64 ? result.type : DType::F32);
  forEachIndex(result.shape, [&](const std::vector<int64_t> &index) {
    const Bound &bound = bounds[index];
    double error = compute * double(bound.terms + 2) * bound.size;
    error += roundingOf(result.type) * (std::abs(bound.value) + error);
    double difference = std::abs(result.get(index) - bound.value);
    EXPECT_TRUE(difference <= error)
        << describe(sample.arguments()) << " at "
        << testing::PrintToString(index) << ": " << result.get(index)
        << ", not " << bound.value << " +- " << error;
  });
  EXPECT_TRUE(result.isCleanOutside());
}

} // namespace hocket::test
