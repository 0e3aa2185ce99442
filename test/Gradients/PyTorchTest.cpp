//===- PyTorchTest.cpp - results and derivatives against PyTorch ----------===//
//
// Both are computed in float64; PyTorch's by test/Data/gradients, which has
// the same cases by name.
//
//===----------------------------------------------------------------------===//

#include "FunctionCases.h"
#include "NormCases.h"
#include "WindowCases.h"
#include "hocket/Io/TensorFiles.h"
#include "test/Paths.h"
#include "tools/dev/FileTensor.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace hocket;
using namespace hocket::test;
using reference::Tensor;
using Case = GradientCase;

namespace {

std::string goldenPath() {
  return sourcePath("test/Data/gradients/golden.safetensors");
}

Tensor read(const std::string &name) {
  dev::FileTensor tensor;
  runtime::Status status = dev::readTensor(goldenPath(), name, tensor);
  EXPECT_TRUE(status.ok()) << status.message;
  return {tensor.dims, tensor.values};
}

void compare(const std::string &name, const Tensor &found,
             const Tensor &expected) {
  ASSERT_EQ(found.shape, expected.shape) << name;
  double largest = 1;
  for (double value : expected.values)
    largest = std::max(largest, std::fabs(value));
  for (size_t k = 0; k < expected.values.size(); ++k)
    EXPECT_NEAR(found.values[k], expected.values[k], 1e-12 * largest)
        << name << "[" << k << "]";
}

#define UNARY(kind)                                                            \
  Case{#kind, "", "x: f32[n, 5]", "return " #kind "(x)", "f32[n, 5]"}
#define PAIR(name, body)                                                       \
  Case{name, "", "a: f32[2, n, 3], b: f32[n, 1]", "return " body,              \
       "f32[2, n, 3]"}
#define ATTENTION(name, heads, kvHeads, queries, more, arguments)              \
  Case{name, "",                                                               \
       "q: f32[2, " #heads ", " #queries ", 4], "                              \
       "k: f32[2, " #kvHeads ", 5, 4], v: f32[2, " #kvHeads ", 5, 6]" more,    \
       "return attention(q, k, v" arguments ")",                               \
       "f32[2, " #heads ", " #queries ", 6]"}
#define ENTROPY(name, arguments)                                               \
  Case{name, "", "logits: f32[2, 3, 5], targets: i32[2, 3]",                   \
       "return cross_entropy(logits, targets" arguments ")", "f32[]"}

const Case cases[] = {
    UNARY(gelu),
    UNARY(gelu_tanh),
    UNARY(silu),
    UNARY(relu),
    UNARY(sigmoid),
    UNARY(tanh),
    UNARY(erf),
    UNARY(exp),
    UNARY(abs),
    UNARY(sin),
    UNARY(cos),
    UNARY(log),
    UNARY(sqrt),
    UNARY(rsqrt),
    {"relu_zero", "", "x: f32[n, 5]", "return relu(x)", "f32[n, 5]"},
    {"abs_zero", "", "x: f32[n, 5]", "return abs(x)", "f32[n, 5]"},
    PAIR("add", "a + b"),
    PAIR("sub", "b - a"),
    PAIR("mul", "a * b"),
    PAIR("div", "a / b"),
    PAIR("div_swapped", "b / a"),
    PAIR("pow", "pow(a, b)"),
    PAIR("maximum", "maximum(a, b)"),
    PAIR("minimum", "minimum(a, b)"),
    PAIR("maximum_equal", "maximum(a, b)"),
    PAIR("minimum_equal", "minimum(a, b)"),
    PAIR("where", "where(a > b, a * b, b * b)"),
    {"linear", "up = Linear(6, 5)", "x: f32[2, n, 6]", "return up(x)",
     "f32[2, n, 5]"},
    {"conv1d", "up = Conv1D(6, (heads = 2, d = 3))", "x: f32[2, n, 6]",
     "return up(x)", "f32[2, n, 6]"},
    {"matmul", "", "a: f32[2, n, 3], b: f32[2, 3, 5]", "return matmul(a, b)",
     "f32[2, n, 5]"},
    {"matmul_broadcast", "", "a: f32[n, 3], b: f32[2, 2, 3, 5]",
     "return matmul(a, b)", "f32[2, 2, n, 5]"},
    {"embedding", "wte = Embedding(4, 6)", "tokens: i32[3, 7]",
     "return wte(tokens)", "f32[3, 7, 6]"},
    {"tied_head", "wte = Embedding(4, 6)", "tokens: i32[2, n]",
     "return matmul(wte(tokens), transpose(wte.weight))", "f32[2, n, 4]"},
    {"layer_norm", "ln = LayerNorm(5, 1e-3)", "x: f32[2, n, 5]", "return ln(x)",
     "f32[2, n, 5]"},
    {"rms_norm", "ln = RmsNorm(5, 1e-3)", "x: f32[2, n, 5]", "return ln(x)",
     "f32[2, n, 5]"},
    {"softmax", "", "x: f32[2, n, 5]", "return softmax(x, 1)", "f32[2, n, 5]"},
    {"sum", "", "x: f32[2, n, 5]", "return sum(x, axis = (0, 2))", "f32[n]"},
    {"mean", "", "x: f32[2, n, 5]", "return mean(x, axis = 1, keepdim = true)",
     "f32[2, 1, 5]"},
    {"mean_all", "", "x: f32[2, n, 5]", "return mean(x)", "f32[]"},
    {"max", "", "x: f32[2, n, 5]", "return max(x, axis = 1)", "f32[2, 5]"},
    {"max_equal", "", "x: f32[2, n, 5]", "return max(x, axis = 1)",
     "f32[2, 5]"},
    {"rearrange", "", "x: f32[2, n, 6]",
     "let c = 2\nreturn rearrange(x, \"a b (c d) -> c b (d a)\")",
     "f32[2, n, 6]"},
    {"split", "", "x: f32[2, n, 6]",
     "p, q, r = split(x, 3, axis = 2)\nreturn p * q + q", "f32[2, n, 2]"},
    {"slice", "", "x: f32[8, 3]",
     "return slice(x, 0, 0, 4) * slice(x, 0, 2, 4)", "f32[4, 3]"},
    {"concat", "", "a: f32[2, n], b: f32[3, n]",
     "return concat(a * a, b, axis = 0)", "f32[5, n]"},
    {"transpose", "", "x: f32[2, n, 3]", "return transpose(x, 0, 2) * 2.0",
     "f32[3, n, 2]"},
    ATTENTION("attention", 2, 2, 4, "", ""),
    ATTENTION("attention_causal", 2, 2, 5, "", ", mask = causal"),
    ATTENTION("attention_padding", 2, 2, 3, ", keep: bool[2, 5]",
              ", mask = padding(keep)"),
    ATTENTION("attention_grouped", 6, 2, 5, ", keep: bool[2, 5]",
              ", mask = causal * padding(keep), scale = 0.7"),
    ATTENTION("attention_bias", 4, 2, 4, ", b: f32[4, 4, 5]", ", bias = b"),
    ATTENTION("attention_bias_of_keys", 4, 2, 5, ", b: f32[2, 1, 1, 5]",
              ", mask = causal, bias = b"),
    {"rotary", "", "x: f32[2, 3, 5, 6]", "return rotary(x, axis = 2)",
     "f32[2, 3, 5, 6]"},
    {"rotary_interleaved", "", "x: f32[2, 5, 6]",
     "return rotary(x, axis = 1, base = 100.0, style = interleaved)",
     "f32[2, 5, 6]"},
    ENTROPY("cross_entropy", ""),
    ENTROPY("cross_entropy_ignored", ", ignore = 3"),
    ENTROPY("cross_entropy_smoothed", ", ignore = 3, smoothing = 0.1"),
    {"parameters", "token = Parameter(f32[1, 1, 5])\nscale = Parameter(f32[5])",
     "x: f32[2, n, 5]",
     "t = token + fill(0, dims = (2, 1, 5))\n"
     "return concat(t, x, axis = 1) * (scale + 1)",
     "f32[2, 5, 5]"},
    {"mse_loss", "", "a: f32[n, 5], b: f32[n, 5]", "return mse_loss(a, b)",
     "f32[]"},
};

class PyTorch : public ::testing::TestWithParam<Case> {};

TEST_P(PyTorch, agrees) {
  std::string prefix = std::string(GetParam().name) + "/";
  GradientProgram program(GetParam());
  ASSERT_TRUE(program.isMade()) << program.message();
  std::string result = program.outputName(0);
  auto goldenName = [&](llvm::StringRef name) {
    bool isResult = name.consume_front(result);
    return prefix + (isResult ? "result" : "") + name.str();
  };
  for (auto &[name, type] : program.types())
    program.tensors[name] = read(goldenName(name));
  for (auto &[name, tensor] : program.runBackward())
    compare(name, tensor, read(goldenName(name)));
}

TEST(PyTorchCases, areTheSame) {
  std::set<std::string> here, there;
  for (llvm::ArrayRef<Case> list : {llvm::ArrayRef(cases),
                                    {windowCases},
                                    {normCases},
                                    {functionCases},
                                    llvm::ArrayRef(poolingOfEqual)})
    for (const Case &c : list)
      here.insert(c.name);
  runtime::TensorFiles golden("golden");
  ASSERT_TRUE(golden.add(goldenPath()).ok());
  for (const std::string &name : golden.tensorNames())
    there.insert(name.substr(0, name.find('/')));
  EXPECT_EQ(here, there);
}

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Derivatives, PyTorch, ::testing::ValuesIn(cases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Windows, PyTorch, ::testing::ValuesIn(windowCases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Norms, PyTorch, ::testing::ValuesIn(normCases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Functions, PyTorch, ::testing::ValuesIn(functionCases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Equal, PyTorch, ::testing::Values(poolingOfEqual),
                         nameOf);

} // namespace
