//===- Wave.h - a model's text, run in the reference ------------*- C++ -*-===//
//
// The numbers of these tests are PyTorch's in float64, printed by
// test/Data/training/make_golden.py. The inputs of both sides are
//
//   def wave(*shape, phase=0.0):
//       n = math.prod(shape)
//       return torch.sin(phase + 0.7 * torch.arange(n)).reshape(shape)
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_UNIT_TRAIN_WAVE_H
#define HOCKET_TEST_UNIT_TRAIN_WAVE_H

#include "dialects/Nn/Func.h"
#include "hocket/Pipeline/Compiler.h"
#include "hocket/Reference/Evaluate.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <gtest/gtest.h>

namespace hocket::test {

using reference::Tensor;

inline Tensor wave(std::vector<int64_t> shape, double phase = 0,
                   double factor = 1) {
  Tensor tensor{shape, {}};
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i)
    tensor.values.push_back(factor * std::sin(phase + 0.7 * double(i)));
  return tensor;
}

inline nn::FuncOp onlyFunction(mlir::ModuleOp module) {
  return *module.getOps<nn::FuncOp>().begin();
}

} // namespace hocket::test

#endif // HOCKET_TEST_UNIT_TRAIN_WAVE_H
