//===- CompiledKernels.h - the kernels of this folder as PTX ---*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_COMPILEDKERNELS_H
#define HOCKET_TEST_GPU_PTX_COMPILEDKERNELS_H

#include "test/Gpu/Ptx/Rounding.h"
#include "test/Gpu/Ptx/Sample.h"
#include "test/Paths.h"
#include <fstream>
#include <random>
#include <sstream>

namespace hocket::ptx {

/// The PTX of a file in Kernels; empty where its compiler was not found.
inline std::string textOf(const std::string &name) {
  std::ifstream file(hocket::test::builtPath("test/ptx/" + name + ".ptx"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Tests that are skipped without nvcc.
class Kernels : public testing::Test {
protected:
  void SetUp() override {
    if (textOf("Rows").empty())
      GTEST_SKIP() << "nvcc was not found when this was built";
  }
  std::vector<float> normal(size_t count) {
    std::normal_distribution<float> distribution;
    std::vector<float> values(count);
    for (float &value : values)
      value = distribution(random);
    return values;
  }
  std::vector<BFloat16> halves(size_t count) {
    std::vector<BFloat16> values;
    for (float value : normal(count))
      values.push_back(BFloat16(value));
    return values;
  }
  std::mt19937 random{1};
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_COMPILEDKERNELS_H
