//===- SamplePlan.h - a small plan made by hand ----------------*- C++ -*-===//
//
// y = x W + b on a mesh (tp = 2) whose two ranks hold 1 and 3 of the 4 rows of
// W, so that there are two rank classes:
//
//   load   read W's rows; read b on rank 0, zeros on rank 1
//   step   partial = x[:, rows] W[rows, :] + b; sum over tp; copy to y
//
//   x f32 [3, 4]   proj.weight f32 [4, 6]   proj.bias f32 [6]   y f32 [3, 6]
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RUNTIME_SAMPLEPLAN_H
#define HOCKET_TEST_RUNTIME_SAMPLEPLAN_H

#include "hocket/Plan/Plan.h"

namespace hocket::plan {

inline RankClass sampleClass(int64_t rank, int64_t rows) {
  auto bytes = [](int64_t elements) { return elements * 4; };
  RankClass c;
  c.ranks = {rank};
  c.buffers = {{Region::Weights, 0, bytes(rows * 6), DType::F32},
               {Region::Weights, 128, bytes(6), DType::F32},
               {Region::Arena, 0, bytes(18), DType::F32},
               {Region::Arena, 128, bytes(18), DType::F32},
               {Region::Input, 0, bytes(12), DType::F32},
               {Region::Output, 0, bytes(18), DType::F32}};
  View weight{0, 0, {}, {rows, 6}, {6, 1}};
  View bias{1, 0, {}, {6}, {1}};
  View partial{2, 0, {}, {3, 6}, {6, 1}};
  View sum{3, 0, {}, {3, 6}, {6, 1}};
  View x{4, 0, {Scalar{0, 0, 1}}, {3, rows}, {4, 1}};
  View y{5, 0, {}, {3, 6}, {6, 1}};
  c.load = {{0, ReadParameter{0, weight, {}}},
            {0, ReadParameter{1, bias, {0}}}};
  Matmul matmul;
  matmul.a = x, matmul.b = weight, matmul.c = partial;
  matmul.hasBias = true, matmul.bias = bias;
  Collective reduce;
  reduce.axes = {0}, reduce.pairs = {{partial, sum}};
  c.step = {{0, matmul}, {1, reduce}, {-1, Copy{sum, y}}};
  c.budget = {256, 192};
  return c;
}

inline Plan samplePlan() {
  Plan plan;
  plan.model = "Sample", plan.schedule = "tensor_parallel";
  plan.mesh = {{"tp", 2}};
  plan.tables = {{{0}, {0, 1}}, {{0}, {1, 3}}};
  plan.sources = {{"proj", "sample.hkt:5:10", ""},
                  {"proj", "sample.hkt:5:10", "schedules.hkt:4:3"}};
  plan.inputs = {{"x", DType::F32, {3, 4}, {3, 4}, {}, {}}};
  plan.outputs = {{"y", DType::F32, {3, 6}, {3, 6}, {}, {0}}};
  plan.parameters = {
      {"proj.weight", DType::F32, {4, 6}, {4, 6}, {{0, 0, 1}}, {}},
      {"proj.bias", DType::F32, {6}, {6}, {}, {}}};
  plan.ignored = {"pooler.*"};
  plan.classes = {sampleClass(0, 1), sampleClass(1, 3)};
  return plan;
}

} // namespace hocket::plan

#endif // HOCKET_TEST_RUNTIME_SAMPLEPLAN_H
