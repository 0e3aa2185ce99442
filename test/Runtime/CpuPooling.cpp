//===- CpuPooling.cpp - poolings against their definition -----------------===//

#include "hocket/Cpu/Pooling.h"
#include "test/Runtime/TestOperand.h"
#include <limits>

using namespace hocket;
using namespace hocket::test;
using plan::DType;
using plan::PoolingKind;
using runtime::PoolingArguments;
using Sizes = std::vector<int64_t>;

namespace {

struct PoolingCase {
  PoolingKind kind = PoolingKind::Max;
  int64_t batch = 2, channels = 3;
  Sizes extents, taps, strides, dilations, lows, highs;
  bool countsBorder = true, channelsInnermost = true, roundsUp = false;
  DType type = DType::F64;

  Sizes results() const {
    Sizes list;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t rest =
          extents[i] + lows[i] + highs[i] - dilations[i] * (taps[i] - 1) - 1;
      int64_t count = (rest + (roundsUp ? strides[i] - 1 : 0)) / strides[i] + 1;
      // PyTorch: no window begins behind the end.
      if (roundsUp && (count - 1) * strides[i] >= extents[i] + lows[i])
        --count;
      list.push_back(count);
    }
    return list;
  }
};

Sizes with(int64_t batch, int64_t channels, const Sizes &rest) {
  Sizes shape = {batch, channels};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

Sizes unflatten(int64_t flat, const Sizes &shape) {
  Sizes index(shape.size());
  for (size_t i = shape.size(); i-- > 0; flat /= shape[i])
    index[i] = flat % shape[i];
  return index;
}

int64_t product(const Sizes &shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

/// y and dx of the whole, from the definition, dims row-major.
void define(const PoolingCase &test, const Sizes &xShape, const Sizes &yShape,
            const std::vector<double> &x, const std::vector<double> &dy,
            std::vector<double> &y, std::vector<double> &dx) {
  y.assign(product(yShape), 0);
  dx.assign(product(xShape), 0);
  for (size_t flat = 0; flat < y.size(); ++flat) {
    Sizes at = unflatten(int64_t(flat), yShape);
    std::vector<int64_t> data;
    int64_t counted = 0;
    for (int64_t tap = 0; tap < product(test.taps); ++tap) {
      Sizes t = unflatten(tap, test.taps);
      bool isData = true, isCounted = true;
      int64_t place = at[0] * xShape[1] + at[1];
      for (size_t i = 0; i < t.size(); ++i) {
        int64_t position = at[i + 2] * test.strides[i] - test.lows[i] +
                           t[i] * test.dilations[i];
        isData &= position >= 0 && position < test.extents[i];
        isCounted &= position >= -test.lows[i] &&
                     position < test.extents[i] + test.highs[i];
        place = place * xShape[i + 2] + position;
      }
      if (isData)
        data.push_back(place);
      counted += isCounted;
    }
    double divisor = test.countsBorder ? double(counted) : double(data.size());
    if (test.kind == PoolingKind::Average) {
      for (int64_t place : data)
        y[flat] += x[place] / divisor, dx[place] += dy[flat] / divisor;
      continue;
    }
    y[flat] = -std::numeric_limits<double>::infinity();
    int64_t best = -1;
    for (int64_t place : data)
      if (best < 0 || x[place] > x[best])
        best = place;
    if (best >= 0)
      y[flat] = x[best], dx[best] += dy[flat];
  }
}

/// Results and gradients of the whole, or of results [begin, end) of the first
/// spatial dim on what those read.
void checkPooling(const PoolingCase &test, int threads = 1, int64_t begin = 0,
                  int64_t end = -1) {
  Sizes xShape = with(test.batch, test.channels, test.extents);
  Sizes yShape = with(test.batch, test.channels, test.results());
  bool isPart = end >= 0;
  TestOperand whole(test.type, xShape), wholeY(test.type, yShape);
  std::vector<double> x(product(xShape)), dy(product(yShape), 0), y, dx;
  // Few values, so that many are largest at once.
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(int64_t(i * 7919 % 13) - 6);
  for (size_t i = 0; i < dy.size(); ++i) {
    int64_t row = unflatten(int64_t(i), yShape)[2];
    if (!isPart || (row >= begin && row < end))
      dy[i] = double(int64_t(i * 31 % 17) - 8);
  }
  define(test, xShape, yShape, x, dy, y, dx);
  int64_t first = 0;
  Sizes xPart = xShape, yPart = yShape;
  if (isPart) {
    first = begin * test.strides[0] - test.lows[0];
    yPart[2] = end - begin;
    xPart[2] = (end - begin - 1) * test.strides[0] +
               test.dilations[0] * (test.taps[0] - 1) + 1;
  }
  std::vector<int> order = {0, 2};
  for (size_t i = 3; i < xShape.size(); ++i)
    order.push_back(int(i));
  order.insert(test.channelsInnermost ? order.end() : order.begin() + 1, 1);
  TestOperand input(test.type, xPart, order), result(test.type, yPart, order),
      gradient(test.type, xPart, order);
  /// Where an element of the part is in the whole, or -1.
  auto inWhole = [](const Sizes &part, const Sizes &all, int64_t flat,
                    int64_t offset) {
    Sizes index = unflatten(flat, part);
    index[2] += offset;
    int64_t place = 0;
    for (size_t i = 0; i < all.size(); ++i)
      place = index[i] < 0 || index[i] >= all[i] || place < 0
                  ? -1
                  : place * all[i] + index[i];
    return place;
  };
  for (int64_t i = 0; i < input.elements(); ++i) {
    int64_t place = inWhole(xPart, xShape, i, first);
    // What stands in the border must not matter.
    input.set(i, place < 0 ? 1000 : x[place]);
    gradient.set(i, 77);
  }
  PoolingArguments given;
  given.kind = test.kind;
  given.taps = test.taps, given.strides = test.strides;
  given.dilations = test.dilations, given.lows = test.lows;
  given.highs = test.highs, given.extents = test.extents;
  given.xFirst = given.yFirst = Sizes(test.taps.size(), 0);
  given.xFirst[0] = first, given.yFirst[0] = begin;
  given.countsBorder = test.countsBorder;
  given.x = input.operand(), given.y = result.operand();
  ASSERT_TRUE(runCall(*runtime::makePooling(given, threads)).ok());
  double tolerance = test.type == DType::F64 ? 1e-13 : 1e-5;
  for (int64_t i = 0; i < result.elements(); ++i) {
    double expected = y[inWhole(yPart, yShape, i, begin)];
    if (result.get(i) != expected)
      ASSERT_NEAR(result.get(i), expected, tolerance);
    result.set(i, dy[inWhole(yPart, yShape, i, begin)]);
  }
  given.isGradient = true, given.dx = gradient.operand();
  if (test.kind == PoolingKind::Average)
    given.x = {};
  ASSERT_TRUE(runCall(*runtime::makePooling(given, threads)).ok());
  for (int64_t i = 0; i < gradient.elements(); ++i) {
    int64_t place = inWhole(xPart, xShape, i, first);
    ASSERT_NEAR(gradient.get(i), place < 0 ? 0 : dx[place], tolerance);
  }
}

std::vector<PoolingCase> cases() {
  std::vector<PoolingCase> list;
  for (PoolingKind kind : {PoolingKind::Max, PoolingKind::Average})
    for (size_t dims : {1, 2, 3}) {
      PoolingCase test;
      test.kind = kind;
      test.extents = Sizes{9, 7, 6}, test.taps = Sizes{3, 2, 3};
      test.extents.resize(dims), test.taps.resize(dims);
      test.strides = test.dilations = Sizes(dims, 1);
      test.lows = test.highs = Sizes(dims, 0);
      list.push_back(test);
      test.strides = Sizes(dims, 2);
      test.lows = Sizes(dims, 1);
      list.push_back(test);
      test.countsBorder = false;
      test.channels = 17; // more than one column
      list.push_back(test);
      test.highs = Sizes(dims, 1), test.roundsUp = true;
      list.push_back(test);
      test.countsBorder = true;
      test.strides = Sizes(dims, 3); // positions that no window reads
      list.push_back(test);
      if (kind == PoolingKind::Max) {
        test.dilations = Sizes(dims, 2);
        list.push_back(test);
      }
    }
  return list;
}

} // namespace

TEST(CpuPooling, WholeTensors) {
  for (PoolingCase test : cases())
    for (DType type : {DType::F64, DType::F32})
      for (bool innermost : {true, false}) {
        test.type = type, test.channelsInnermost = innermost;
        checkPooling(test, innermost ? 2 : 1);
      }
}

// Results of a rank, from the positions that they read: the border among them
// holds something else than data.
TEST(CpuPooling, Parts) {
  for (const PoolingCase &test : cases()) {
    int64_t results = test.results()[0];
    for (int64_t begin = 0; begin < results; begin += 2)
      for (int64_t end : {begin + 1, results})
        checkPooling(test, 1, begin, end);
  }
}

TEST(CpuPooling, HalfTypesAndNothing) {
  PoolingCase test = cases()[1];
  for (DType type : {DType::BF16, DType::F16}) {
    test.type = type; // small whole numbers are exact
    checkPooling(test);
  }
  test.batch = 0;
  checkPooling(test);
}

// A NaN is the largest, and gets the gradient.
TEST(CpuPooling, NotANumber) {
  TestOperand x(DType::F32, {1, 1, 4}), y(DType::F32, {1, 1, 2});
  TestOperand dx(DType::F32, {1, 1, 4});
  double values[] = {1, NAN, 5, 2};
  for (int i = 0; i < 4; ++i)
    x.set(i, values[i]);
  PoolingArguments given;
  given.taps = given.strides = {2}, given.dilations = {1};
  given.lows = given.highs = given.xFirst = given.yFirst = {0};
  given.extents = {4};
  given.x = x.operand(), given.y = y.operand();
  ASSERT_TRUE(runCall(*runtime::makePooling(given, 1)).ok());
  EXPECT_TRUE(std::isnan(y.get(0)));
  EXPECT_EQ(y.get(1), 5);
  y.set(0, 3), y.set(1, 4);
  given.isGradient = true, given.dx = dx.operand();
  ASSERT_TRUE(runCall(*runtime::makePooling(given, 1)).ok());
  for (auto [i, expected] : {std::pair(0, 0), {1, 3}, {2, 4}, {3, 0}})
    EXPECT_EQ(dx.get(i), expected);
}
