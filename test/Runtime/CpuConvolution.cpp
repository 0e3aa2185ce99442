//===- CpuConvolution.cpp - convolutions against a sum in double ----------===//

#include "hocket/Cpu/Convolution.h"
#include "test/Runtime/TestOperand.h"

using namespace hocket;
using namespace hocket::test;
using plan::ConvolutionPass;
using plan::DType;
using runtime::ConvolutionArguments;
using Sizes = std::vector<int64_t>;

namespace {

struct ConvolutionCase {
  int64_t batch = 2, xChannels = 4, yChannels = 6, groups = 1;
  Sizes extents, taps, strides, dilations, lows, highs;
  bool channelsInnermost = true; // of x
  bool yInnermost = true;
  int64_t pad = 0; // elements behind each row of x
  bool hasBias = false;
  DType type = DType::F32, resultType = DType::F32;

  Sizes yExtents() const {
    Sizes result;
    for (size_t i = 0; i < extents.size(); ++i) {
      int64_t places =
          extents[i] + lows[i] + highs[i] - dilations[i] * (taps[i] - 1);
      result.push_back(places < 1 ? 0 : (places - 1) / strides[i] + 1);
    }
    return result;
  }
};

Sizes shapeOf(int64_t a, int64_t b, const Sizes &rest) {
  Sizes shape = {a, b};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

/// Dims outermost first: batch, then channels at the end or as they come.
std::vector<int> orderOf(size_t rank, bool channelsInnermost) {
  std::vector<int> order = {0};
  for (size_t dim = channelsInnermost ? 2 : 1; dim < rank; ++dim)
    order.push_back(int(dim));
  if (channelsInnermost)
    order.push_back(1);
  return order;
}

int64_t flatOf(const Sizes &index, const Sizes &shape) {
  int64_t flat = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    flat = flat * shape[i] + index[i];
  return flat;
}

/// Numbers of the elements of x, weight and y that one multiplication meets.
struct Product {
  int64_t x, weight, y;
};

struct Shapes {
  Sizes x, weight, y;

  explicit Shapes(const ConvolutionCase &test)
      : x(shapeOf(test.batch, test.xChannels, test.extents)),
        weight(
            shapeOf(test.yChannels, test.xChannels / test.groups, test.taps)),
        y(shapeOf(test.batch, test.yChannels, test.yExtents())) {}
};

/// All of them, from the definition.
std::vector<Product> productsOf(const ConvolutionCase &test) {
  Shapes shapes(test);
  const auto &[x, weight, y] = shapes;
  int64_t places = 1, taps = 1;
  for (size_t i = 2; i < y.size(); ++i)
    places *= y[i], taps *= weight[i];
  std::vector<Product> products;
  Sizes xi(x.size()), wi(x.size()), yi(x.size());
  for (int64_t b = 0; b < y[0]; ++b)
    for (int64_t c = 0; c < y[1]; ++c)
      for (int64_t k = 0; k < weight[1]; ++k)
        for (int64_t place = 0; place < places; ++place)
          for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t group = c / (y[1] / test.groups);
            xi[0] = yi[0] = b, yi[1] = wi[0] = c, wi[1] = k;
            xi[1] = group * weight[1] + k;
            int64_t restY = place, restT = tap;
            bool inside = true;
            for (size_t i = x.size(); i-- > 2;) {
              yi[i] = restY % y[i], restY /= y[i];
              wi[i] = restT % weight[i], restT /= weight[i];
              xi[i] = yi[i] * test.strides[i - 2] +
                      wi[i] * test.dilations[i - 2] - test.lows[i - 2];
              inside &= xi[i] >= 0 && xi[i] < x[i];
            }
            if (inside)
              products.push_back(
                  {flatOf(xi, x), flatOf(wi, weight), flatOf(yi, y)});
          }
  return products;
}

double toleranceOf(const ConvolutionCase &test, int64_t products) {
  double scale = std::sqrt(double(products + 1));
  if (test.type == DType::F64)
    return 1e-14 * scale;
  if (test.resultType == DType::F32)
    return 1e-6 * scale; // of sums of `scale`'s size
  return (test.type == DType::BF16 ? 1e-2 : 1e-3) * scale;
}

/// All three passes; the implementation of the last one.
std::string checkConvolution(const ConvolutionCase &test,
                             const std::vector<Product> &products,
                             int threads = 1) {
  std::string implementation;
  Shapes shapes(test);
  size_t rank = shapes.x.size();
  for (ConvolutionPass pass :
       {ConvolutionPass::Forward, ConvolutionPass::InputGradient,
        ConvolutionPass::WeightGradient}) {
    auto typeOf = [&](ConvolutionPass of) {
      return pass == of ? test.resultType : test.type;
    };
    TestOperand x(typeOf(ConvolutionPass::InputGradient), shapes.x,
                  orderOf(rank, test.channelsInnermost), test.pad);
    TestOperand weight(typeOf(ConvolutionPass::WeightGradient), shapes.weight);
    TestOperand y(typeOf(ConvolutionPass::Forward), shapes.y,
                  orderOf(rank, test.yInnermost));
    TestOperand bias(test.type, {test.yChannels});
    x.random(1), weight.random(2), y.random(3), bias.random(4);
    TestOperand &result = pass == ConvolutionPass::Forward         ? y
                          : pass == ConvolutionPass::InputGradient ? x
                                                                   : weight;
    ConvolutionArguments given;
    given.pass = pass;
    given.x = x.operand(), given.weight = weight.operand();
    given.y = y.operand();
    if (test.hasBias && pass == ConvolutionPass::Forward)
      given.bias = bias.operand();
    given.strides = test.strides, given.dilations = test.dilations;
    given.lows = test.lows, given.highs = test.highs;
    given.groups = test.groups;
    std::vector<double> expected(result.elements(), 0);
    int64_t outer = std::max<int64_t>(y.elements(), 1) / test.yChannels;
    for (int64_t i = 0; given.bias && i < y.elements(); ++i) {
      int64_t places = std::max<int64_t>(outer / test.batch, 1);
      expected[i] = bias.get(i / places % test.yChannels);
    }
    std::vector<double> xs(x.elements()), ws(weight.elements()),
        ys(y.elements());
    for (auto [from, to] :
         {std::pair(&x, &xs), std::pair(&weight, &ws), std::pair(&y, &ys)})
      for (size_t i = 0; i < to->size(); ++i)
        (*to)[i] = from->get(int64_t(i));
    for (const Product &product : products)
      if (pass == ConvolutionPass::Forward)
        expected[product.y] += xs[product.x] * ws[product.weight];
      else if (pass == ConvolutionPass::InputGradient)
        expected[product.x] += ys[product.y] * ws[product.weight];
      else
        expected[product.weight] += xs[product.x] * ys[product.y];
    std::unique_ptr<runtime::Call> call;
    runtime::setLibraryThreads(threads);
    runtime::Status status = runtime::makeConvolution(given, threads, call);
    runtime::setLibraryThreads(1);
    EXPECT_TRUE(status.ok()) << status.message;
    implementation = call->implementation();
    EXPECT_EQ(implementation.find("ref"), std::string::npos);
    double tolerance =
        toleranceOf(test, int64_t(products.size()) /
                              std::max<int64_t>(result.elements(), 1));
    for (int repeat = 0; repeat < 2; ++repeat) {
      status = runCall(*call);
      EXPECT_TRUE(status.ok()) << status.message;
      double worst = 0;
      for (int64_t flat = 0; flat < result.elements(); ++flat)
        worst = std::max(worst, std::abs(result.get(flat) - expected[flat]));
      EXPECT_LE(worst, tolerance)
          << "pass " << int(pass) << " in " << implementation;
    }
  }
  return implementation;
}

/// One that says nothing special, in `dims` dims.
ConvolutionCase plainCase(size_t dims) {
  ConvolutionCase test;
  test.extents = Sizes{7, 5, 6};
  test.taps = Sizes{3, 2, 3};
  for (Sizes *list : {&test.extents, &test.taps})
    list->resize(dims);
  test.strides = test.dilations = Sizes(dims, 1);
  test.lows = test.highs = Sizes(dims, 0);
  return test;
}

std::vector<ConvolutionCase> cases() {
  std::vector<ConvolutionCase> list;
  for (size_t dims : {1, 2, 3}) {
    ConvolutionCase test = plainCase(dims);
    list.push_back(test);
    test.hasBias = true;
    test.lows = Sizes(dims, 2), test.highs = Sizes(dims, 1); // not the same
    list.push_back(test);
    test.strides = Sizes(dims, 2); // positions at the end that nothing reads
    list.push_back(test);
    test.dilations = Sizes(dims, 2);
    list.push_back(test);
    test.groups = 2;
    list.push_back(test);
    test.groups = test.yChannels = test.xChannels; // depthwise
    list.push_back(test);
    test.xChannels = test.groups = 3, test.yChannels = 6;
    list.push_back(test);
    test = plainCase(dims);
    test.taps = Sizes(dims, 1); // no neighbours
    test.strides = Sizes(dims, 3);
    list.push_back(test);
    test = plainCase(dims);
    test.xChannels = 1, test.yChannels = 1, test.batch = 1;
    test.lows = Sizes(dims, 4); // windows that see nothing but zeros
    list.push_back(test);
  }
  return list;
}

} // namespace

TEST(CpuConvolution, ShapesAndTypes) {
  for (ConvolutionCase test : cases()) {
    std::vector<Product> products = productsOf(test);
    for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16}) {
      test.type = test.resultType = type;
      checkConvolution(test, products);
      // Sums of 16-bit products that are not rounded on the way.
      if (type == DType::BF16 || type == DType::F16) {
        test.resultType = DType::F32;
        checkConvolution(test, products);
      }
    }
  }
}

// Channels first, rows with something behind them, one of both.
TEST(CpuConvolution, EveryLayout) {
  for (ConvolutionCase test : cases()) {
    std::vector<Product> products = productsOf(test);
    for (DType type : {DType::F32, DType::F64})
      for (int layout = 0; layout < 3; ++layout) {
        test.type = test.resultType = type;
        test.channelsInnermost = layout == 2;
        test.yInnermost = layout == 1;
        test.pad = layout == 2 ? 5 : 0;
        checkConvolution(test, products);
      }
  }
}

TEST(CpuConvolution, NothingToCompute) {
  for (DType type : {DType::F32, DType::F64}) {
    ConvolutionCase test = plainCase(2);
    test.type = test.resultType = type;
    test.hasBias = true;
    test.extents = {2, 7}; // shorter than the window
    checkConvolution(test, productsOf(test));
    test.extents = {0, 7};
    checkConvolution(test, productsOf(test));
    test.lows = {3, 0}; // zeros alone: y is the bias
    checkConvolution(test, productsOf(test));
    test = plainCase(2);
    test.type = test.resultType = type;
    test.batch = 0;
    checkConvolution(test, productsOf(test));
  }
}

// As many channels as make oneDNN's fast kernels worth it, on several threads.
TEST(CpuConvolution, ManyChannels) {
  for (int64_t groups : {1, 4, 32}) {
    ConvolutionCase test = plainCase(2);
    test.xChannels = test.yChannels = 32;
    test.groups = groups;
    test.extents = {9, 11};
    test.taps = {3, 3};
    test.lows = test.highs = {1, 1};
    test.hasBias = true;
    std::vector<Product> products = productsOf(test);
    for (int threads : {1, 2}) {
      test.channelsInnermost = test.yInnermost = threads == 2;
      EXPECT_NE(checkConvolution(test, products, threads), "own loops")
          << groups << " groups";
    }
    test.type = test.resultType = DType::F64;
    EXPECT_EQ(checkConvolution(test, products, 2), "own loops");
  }
}

// What two runs give is equal to the bit, on any number of threads where the
// loops are our own.
TEST(CpuConvolution, ThreadsDoNotMatter) {
  std::vector<std::vector<uint8_t>> results;
  for (int threads : {1, 3}) {
    TestOperand x(DType::F64, {2, 16, 20, 20}), w(DType::F64, {16, 16, 3, 3});
    TestOperand y(DType::F64, {2, 16, 18, 18});
    ConvolutionArguments given;
    given.x = x.random(1).operand(), given.weight = w.random(2).operand();
    given.y = y.operand();
    given.strides = given.dilations = {1, 1};
    given.lows = given.highs = {0, 0};
    std::unique_ptr<runtime::Call> call;
    ASSERT_TRUE(runtime::makeConvolution(given, threads, call).ok());
    ASSERT_TRUE(runCall(*call).ok());
    results.push_back(y.bytes);
  }
  EXPECT_EQ(results[0], results[1]);
}
