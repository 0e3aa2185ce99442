//===- NeighborhoodTest.cpp - neighborhood attention and gradients --------===//

#include "runtime/lib/Cuda/Attention/Neighborhood.h"
#include "test/Gpu/Kernels/AttentionCase.h"

using namespace hocket;
using namespace hocket::test;
using plan::DType;

namespace {

/// One dim, and the queries that the rank has of it.
struct Dim {
  plan::Neighborhood window;
  int64_t first, count;
};

struct Shape {
  std::vector<Dim> dims;
  int64_t heads = 2, kvHeads = 2, depth = 40, width = 24, spare = 0;
  int64_t group = 1, headOffset = 0, kvHeadOffset = 0;
  int apart = -1; // a dim of two whose entries lie far apart
};

/// Operands of one rank: it holds what its queries read, and `spare` keys more
/// before them.
struct Problem {
  enum { Q, K, V, Out, Dout, Dq, Dk, Dv, Lse, count };

  Problem(const Shape &shape, DType type) : shape(shape) {
    std::vector<int64_t> queries = {2, shape.heads}, keys = {2, shape.kvHeads};
    for (const Dim &dim : shape.dims) {
      auto [begin, end] = dim.window.reads(dim.first, dim.count);
      begin = std::max<int64_t>(begin - shape.spare, 0);
      queries.push_back(dim.count);
      keys.push_back(end - begin);
      keyOffsets.push_back(begin);
    }
    for (auto [isQuery, last] : {std::pair(true, shape.depth),
                                 {false, shape.depth},
                                 {false, shape.width},
                                 {true, shape.width},
                                 {true, shape.width},
                                 {true, shape.depth},
                                 {false, shape.depth},
                                 {false, shape.width}}) {
      std::vector<int64_t> extents = isQuery ? queries : keys;
      extents.push_back(last);
      values.emplace_back(type, extents, std::vector<int>(), 3);
      values.back().random(static_cast<uint32_t>(values.size()), 2);
    }
    values.emplace_back(type == DType::F64 ? type : DType::F32, queries);
  }

  runtime::NeighborhoodGradArguments
  arguments(const std::vector<runtime::Operand> &at) const {
    runtime::NeighborhoodGradArguments given;
    runtime::NeighborhoodArguments &forward = given.forward;
    forward.q = at[Q];
    forward.k = at[K];
    forward.v = at[V];
    forward.out = at[Out];
    forward.lse = at[Lse];
    forward.scale = 0.3;
    forward.group = shape.group;
    forward.headOffset = shape.headOffset;
    forward.kvHeadOffset = shape.kvHeadOffset;
    forward.keyOffsets = keyOffsets;
    for (const Dim &dim : shape.dims) {
      forward.windows.push_back(dim.window);
      forward.queryOffsets.push_back(dim.first);
    }
    given.dout = at[Dout];
    given.dq = at[Dq];
    given.dk = at[Dk];
    given.dv = at[Dv];
    return given;
  }

  void runOnCpu() {
    std::vector<runtime::Operand> at;
    for (TestOperand &one : values)
      at.push_back(one.operand());
    auto given = arguments(at);
    expectOk(runCall(*runtime::makeNeighborhood(given.forward, 1)));
    expectOk(runCall(*runtime::makeNeighborhoodGrad(given, 1)));
  }

  runtime::Operand upload(GpuRun &gpu, const TestOperand &host,
                          const std::string &name) const {
    return shape.apart < 0 ? gpu.upload(host, name, 1)
                           : gpu.uploadApart(host, name, shape.apart);
  }

  void runOnGpu() {
    GpuRun gpu;
    std::vector<runtime::Operand> at;
    for (TestOperand &one : values)
      at.push_back(upload(gpu, one, "operand " + std::to_string(at.size())));
    auto given = arguments(at);
    runtime::cuda::KernelLaunches forward, gradient;
    expectOk(runtime::cuda::addNeighborhood(given.forward, forward));
    expectOk(runtime::cuda::addNeighborhoodGrad(given, gradient));
    EXPECT_EQ(forward.scratchBytes(), 0);
    gpu.run(forward);
    gpu.run(gradient);
    for (int i = 0; i < count; ++i)
      gpu.download(at[i], values[i]);
  }

  /// Results are those of loops in F64 on the same numbers, to `tolerance`
  /// times the largest, or 1.
  void expectNear(double tolerance) const {
    Problem exact(shape, DType::F64);
    for (int i = 0; i < count; ++i)
      for (int64_t flat = 0; flat < values[i].elements(); ++flat)
        exact.values[i].set(flat, values[i].get(flat));
    exact.runOnCpu();
    for (int i : {Out, Dq, Dk, Dv, Lse}) {
      double largest = 1;
      for (int64_t flat = 0; flat < values[i].elements(); ++flat)
        largest = std::max(largest, std::fabs(exact.values[i].get(flat)));
      double most = i == Lse ? std::min(tolerance, 1e-5) : tolerance;
      for (int64_t flat = 0; flat < values[i].elements(); ++flat)
        ASSERT_NEAR(values[i].get(flat), exact.values[i].get(flat),
                    most * largest)
            << "operand " << i << " at " << flat;
    }
  }

  Shape shape;
  std::vector<int64_t> keyOffsets;
  std::vector<TestOperand> values;
};

class CudaNeighborhood : public OfAttentionTypes {
protected:
  void expectRight(const Shape &shape) {
    Problem problem(shape, GetParam().type);
    problem.runOnGpu();
    problem.expectNear(GetParam().tolerance);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, CudaNeighborhood, attentionTypes,
                         OfAttentionTypes::nameOf);

TEST_P(CudaNeighborhood, OneDim) {
  expectRight({{{{20, 5, 1, 1, false}, 0, 20}}});
  expectRight({{{{20, 4, 3, 2, false}, 0, 20}}});
  expectRight({{{{21, 5, 2, 3, true}, 0, 21}}});
}

TEST_P(CudaNeighborhood, PartsOfADim) {
  Shape shape{{{{40, 7, 3, 2, false}, 9, 13}}};
  shape.spare = 4;
  expectRight(shape);
  shape.dims = {{{40, 6, 2, 1, true}, 33, 7}};
  expectRight(shape);
}

TEST_P(CudaNeighborhood, SeveralDims) {
  expectRight({{{{9, 3, 1, 1, false}, 0, 9}, {{8, 4, 2, 2, true}, 0, 8}}});
  expectRight({{{{5, 3, 1, 1, true}, 1, 3},
                {{6, 2, 2, 3, false}, 0, 6},
                {{4, 3, 1, 1, false}, 0, 4}}});
}

TEST_P(CudaNeighborhood, HeadsAndTheirDims) {
  Shape shape{{{{12, 5, 1, 1, false}, 0, 12}}};
  shape.heads = 5;
  shape.kvHeads = 2;
  shape.group = 4;
  shape.headOffset = 6;
  shape.kvHeadOffset = 1;
  shape.depth = 200;
  shape.width = 70;
  expectRight(shape);
}

TEST_P(CudaNeighborhood, OffsetsHave64Bits) {
  Shape shape{{{{12, 5, 1, 1, false}, 0, 2}}};
  for (int dim : {0, 1, 2}) {
    shape.apart = dim;
    expectRight(shape);
  }
}

TEST(CudaNeighborhoodLaunches, Refusals) {
  Problem problem({{{{12, 5, 1, 1, false}, 0, 12}}}, DType::F32);
  std::vector<runtime::Operand> at;
  for (TestOperand &one : problem.values)
    at.push_back(one.operand());
  runtime::NeighborhoodArguments given = problem.arguments(at).forward;
  runtime::cuda::KernelLaunches launches;
  given.windows[0].extent = int64_t(1) << 30;
  EXPECT_EQ(runtime::cuda::addNeighborhood(given, launches).message,
            "neighborhood attention over a dim of 1073741824 positions is more "
            "than CUDA kernels count");
  given.windows[0].extent = 12;
  given.q.shape[0] = int64_t(1) << 31;
  EXPECT_EQ(runtime::cuda::addNeighborhood(given, launches).message,
            "neighborhood attention with 51539607552 rows is more than CUDA "
            "kernels count");
  given.q.shape[0] = 2;
  given.v.type = DType::BF16;
  EXPECT_EQ(runtime::cuda::addNeighborhood(given, launches).message,
            "neighborhood attention of f32 and bf16 has no CUDA kernel, "
            "expected operands of one type");
  given.v.type = DType::F32;
  given.v.shape.back() = 257;
  EXPECT_EQ(runtime::cuda::addNeighborhood(given, launches).message,
            "neighborhood attention with heads of 257 elements has no CUDA "
            "kernel, expected 256 at most");
  given.q.type = DType::I32;
  EXPECT_EQ(runtime::cuda::addNeighborhood(given, launches).message,
            "neighborhood attention of i32 has no CUDA kernel");
}

} // namespace
