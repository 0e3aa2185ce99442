//===- CentralDifferencesTest.cpp - derivatives against differences -------===//
//
// Every derivative is compared with (f(x + h) - f(x - h)) / 2h of the float64
// reference of the forward alone, which knows nothing of derivatives.
//
//===----------------------------------------------------------------------===//

#include "NormCases.h"
#include "WindowCases.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace hocket;
using namespace hocket::test;
using reference::Tensor;
using Case = GradientCase;

namespace {

class Differences {
public:
  explicit Differences(const Case &c) : c(c), program(c) {}

  void check() {
    ASSERT_TRUE(program.isMade()) << program.message();
    for (auto &[name, type] : program.types())
      program.tensors[name] = randomTensor(type);
    std::map<std::string, Tensor> found = program.runBackward();
    if (::testing::Test::HasFailure())
      return;
    size_t gradients = 0;
    for (auto &[key, tensor] : found) {
      llvm::StringRef name = key;
      if (!name.consume_back(".grad"))
        continue;
      compare(name.str(), tensor);
      ++gradients;
    }
    EXPECT_EQ(gradients, found.size() - program.outputs());
    EXPECT_GT(gradients, 0u);
  }

private:
  /// Integers stay small: ids of a table of 4 rows; bools are 0 and 1.
  Tensor randomTensor(mlir::RankedTensorType type) {
    Tensor tensor;
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.values.resize(type.getNumElements());
    bool isFloat = mlir::isa<mlir::FloatType>(type.getElementType());
    int64_t limit = type.getElementType().isInteger(1) ? 2 : 4;
    std::uniform_real_distribution<double> range(c.low, c.high);
    for (double &value : tensor.values)
      value = isFloat ? range(random) : double(random() % limit);
    return tensor;
  }

  /// sum of output * cotangent.
  double objective() {
    double sum = 0;
    for (auto [i, output] : llvm::enumerate(program.runForward())) {
      const Tensor &cotangent =
          program.tensors.at(program.outputName(i) + ".grad");
      for (size_t k = 0; k < output.values.size(); ++k)
        sum += output.values[k] * cotangent.values[k];
    }
    return sum;
  }

  void compare(const std::string &name, const Tensor &gradient) {
    Tensor &tensor = program.tensors.at(name);
    ASSERT_EQ(tensor.shape, gradient.shape) << name;
    const double h = 1e-5;
    for (size_t k = 0; k < tensor.values.size(); ++k) {
      double value = tensor.values[k];
      tensor.values[k] = value + h;
      double above = objective();
      tensor.values[k] = value - h;
      double below = objective();
      tensor.values[k] = value;
      double expected = (above - below) / (2 * h);
      EXPECT_NEAR(gradient.values[k], expected,
                  2e-8 * std::max(1.0, std::fabs(expected)))
          << c.name << ": " << name << "[" << k << "]";
    }
  }

  std::mt19937 random{7};
  const Case &c;
  GradientProgram program;
};

#define UNARY(kind)                                                            \
  Case{#kind, "", "x: f32[n, 3]", "return " #kind "(x)", "f32[n, 3]"}
#define POSITIVE(kind)                                                         \
  Case{#kind, "", "x: f32[n, 3]", "return " #kind "(x)", "f32[n, 3]", 0.3, 2.5}
#define PAIR(name, body)                                                       \
  Case{name,                                                                   \
       "",                                                                     \
       "a: f32[2, n, 3], b: f32[n, 1]",                                        \
       "return " body,                                                         \
       "f32[2, n, 3]",                                                         \
       0.3,                                                                    \
       2.5}

const Case cases[] = {
    UNARY(gelu),
    UNARY(gelu_tanh),
    UNARY(silu),
    UNARY(relu),
    UNARY(sigmoid),
    UNARY(tanh),
    UNARY(exp),
    UNARY(erf),
    UNARY(abs),
    UNARY(sin),
    UNARY(cos),
    POSITIVE(log),
    POSITIVE(sqrt),
    POSITIVE(rsqrt),
    {"neg", "", "x: f32[n, 3]", "return -x", "f32[n, 3]"},
    PAIR("add", "a + b"),
    PAIR("sub", "b - a"),
    PAIR("mul", "a * b"),
    PAIR("div", "a / b"),
    PAIR("div_b", "b / a"),
    PAIR("pow", "pow(a, b)"),
    PAIR("maximum", "maximum(a, b)"),
    PAIR("minimum", "minimum(a, b)"),
    PAIR("twice", "a * a + b * a"),
    {"where", "", "a: f32[n, 3], b: f32[3]", "return where(a > b, a, b * b)",
     "f32[n, 3]"},
    {"linear", "up = Linear(6, 5)", "x: f32[2, n, 6]", "return up(x)",
     "f32[2, n, 5]"},
    {"linear_without_bias", "up = Linear(6, 5, bias = false)", "x: f32[6]",
     "return up(x)", "f32[5]"},
    {"conv1d", "up = Conv1D(6, (heads = 2, d = 3))", "x: f32[2, n, 6]",
     "return up(x)", "f32[2, n, 6]"},
    {"matmul", "", "a: f32[2, n, 3], b: f32[2, 3, 5]", "return matmul(a, b)",
     "f32[2, n, 5]"},
    {"matmul_broadcast", "", "a: f32[2, n, 3], b: f32[3, 5]",
     "return matmul(a, b)", "f32[2, n, 5]"},
    {"matmul_stack", "", "a: f32[n, 3], b: f32[2, 2, 3, 5]",
     "return matmul(a, b)", "f32[2, 2, n, 5]"},
    {"tied_head", "wte = Embedding(4, 6)", "tokens: i32[2, n]",
     "return matmul(wte(tokens), transpose(wte.weight))", "f32[2, n, 4]"},
    {"layer_norm", "ln = LayerNorm(5, 1e-3)", "x: f32[2, n, 5]", "return ln(x)",
     "f32[2, n, 5]"},
    {"layer_norm_without_bias", "ln = LayerNorm(5, 1e-3, bias = false)",
     "x: f32[2, n, 5]", "return ln(x)", "f32[2, n, 5]"},
    {"rms_norm", "ln = RmsNorm(5, 1e-3)", "x: f32[2, n, 5]", "return ln(x)",
     "f32[2, n, 5]"},
    {"softmax", "", "x: f32[2, n, 5]", "return softmax(x, 1)", "f32[2, n, 5]"},
    {"sum", "", "x: f32[2, n, 5]", "return sum(x, axis = (0, 2))", "f32[n]"},
    {"mean", "", "x: f32[2, n, 5]", "return mean(x, axis = 1, keepdim = true)",
     "f32[2, 1, 5]"},
    {"mean_all", "", "x: f32[2, n, 5]", "return mean(x)", "f32[]"},
    {"max", "", "x: f32[2, n, 5]", "return max(x, axis = 1)", "f32[2, 5]"},
    {"rearrange", "", "x: f32[2, n, 6]",
     "let c = 2\nreturn rearrange(x, \"a b (c d) -> c b (d a)\")",
     "f32[2, n, 6]"},
    {"split", "", "x: f32[2, n, 6]",
     "p, q, r = split(x, 3, axis = 2)\nreturn p * q + q", "f32[2, n, 2]"},
    {"slices_that_overlap", "", "x: f32[8, 3]",
     "return slice(x, 0, 0, 4) * slice(x, 0, 2, 4)", "f32[4, 3]"},
    {"subscript", "", "x: f32[2, n, 3]", "return x[1, 1:3] * x[0, 0:2]",
     "f32[2, 3]"},
    {"concat", "", "a: f32[2, n], b: f32[3, n]",
     "return concat(a * a, b, axis = 0)", "f32[5, n]"},
    {"rotary", "", "x: f32[2, 3, n, 6]", "return rotary(x, axis = 2)",
     "f32[2, 3, n, 6]"},
    {"rotary_interleaved", "", "x: f32[2, n, 6]",
     "return rotary(x, axis = 1, style = interleaved)", "f32[2, n, 6]"},
    {"attention", "",
     "q: f32[2, 3, n, 4], k: f32[2, 3, 5, 4], "
     "v: f32[2, 3, 5, 6]",
     "return attention(q, k, v)", "f32[2, 3, n, 6]"},
    {"attention_grouped", "",
     "q: f32[2, 6, n, 4], k: f32[2, 2, n, 4], v: f32[2, 2, n, 4]",
     "return attention(q, k, v, mask = causal)", "f32[2, 6, n, 4]"},
    {"attention_padding", "",
     "q: f32[2, 2, n, 4], k: f32[2, 2, n, 4], v: f32[2, 2, n, 4], "
     "keep: bool[2, n]",
     "return attention(q, k, v, mask = causal * padding(keep))",
     "f32[2, 2, n, 4]"},
    {"attention_bias", "",
     "q: f32[2, 2, n, 4], k: f32[2, 2, 5, 4], v: f32[2, 2, 5, 4], "
     "b: f32[2, 2, n, 5]",
     "return attention(q, k, v, bias = b)", "f32[2, 2, n, 4]"},
    {"attention_bias_of_all", "",
     "q: f32[2, 4, n, 4], k: f32[2, 2, n, 4], keep: bool[2, n], "
     "b: f32[4, n, n], c: f32[2, 1, 1, n]",
     "return attention(attention(q, k, k, bias = b, "
     "mask = causal * padding(keep)), k, k, bias = c, mask = window(2, 1))",
     "f32[2, 4, n, 4]"},
    {"attention_bigbird", "",
     "q: f32[1, 4, 14, 3], k: f32[1, 2, 14, 3], v: f32[1, 2, 14, 3]",
     "return attention(q, k, v, mask = causal * bigbird(block = 2, window = 1, "
     "random = 2, per_head = true, seed = 7))",
     "f32[1, 4, 14, 3]"},
    {"attention_fixed", "",
     "q: f32[2, 2, 10, 3], k: f32[2, 2, 10, 3], v: f32[2, 2, 10, 3]",
     "return attention(q, k, v, mask = fixed(block = 1, local = 2, patterns = "
     "2, per_head = true))",
     "f32[2, 2, 10, 3]"},
};

class CentralDifferences : public ::testing::TestWithParam<Case> {};

TEST_P(CentralDifferences, agree) { Differences(GetParam()).check(); }

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Derivatives, CentralDifferences,
                         ::testing::ValuesIn(cases), nameOf);
INSTANTIATE_TEST_SUITE_P(Windows, CentralDifferences,
                         ::testing::ValuesIn(windowCases), nameOf);
INSTANTIATE_TEST_SUITE_P(Edges, CentralDifferences,
                         ::testing::ValuesIn(edgeCases), nameOf);
INSTANTIATE_TEST_SUITE_P(Norms, CentralDifferences,
                         ::testing::ValuesIn(normCases), nameOf);

} // namespace
