//===- ActivationsTest.cpp - what a layer keeps, against the formulas -----===//
//
// What one more layer adds to a rank's activations, by the plan, against the
// formulas of Korthikanti et al. (arXiv 2205.05198), restated: 4 bytes a value,
// no masks of dropout and no scores of attention, which are drawn and computed
// again, except the logarithms of their sums (lse). Values of seq * batch *
// hidden that a layer keeps for its backward:
//
//   two norms            2      inputs
//   attention            5      input, q, k, v, input of the projection; and
//   one
//                               for each head, lse
//   mlp                  9      input, inner before and after gelu (4 each)
//
// Tensor parallelism splits q, k, v, the projection's input, lse and the inner
// ones (12 of 16), sequence parallelism the other four as well.
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include <gtest/gtest.h>

namespace {

struct Shape {
  int64_t hidden, heads, batch, seq, tp;
};

constexpr Shape shapes[] = {{768, 12, 1, 512, 2},
                            {768, 12, 1, 512, 4},
                            {128, 4, 2, 256, 2},
                            {96, 6, 4, 48, 3},
                            {256, 8, 1, 64, 8}};

struct Program {
  std::string file, schedule, train;
};

const Program wholeLayers{"test/Bench/gpt2.hkt", "one_device", ""};
const Program tensorParallel{"docs/examples/gpt2_schedules.hkt",
                             "tensor_parallel", ""};
const Program sequenceParallel{"test/Bench/gpt2.hkt", "two_devices", ""};
const Program trainingStep{"test/Bench/gpt2.hkt", "two_devices", "bench"};

int64_t arenaOf(const Program &which, const Shape &shape, int64_t layers) {
  hocket::test::ArenaProgram program{
      which.file, which.schedule, which.train, {}};
  auto define = [&](const std::string &name, int64_t value) {
    program.defines.push_back({name, value});
  };
  define("layers", layers);
  define("hidden", shape.hidden);
  define("heads", shape.heads);
  define("batch", shape.batch);
  define("seq", shape.seq);
  define("positions", shape.seq);
  define("vocab", 48);
  if (which.schedule != wholeLayers.schedule)
    define("tp", shape.tp);
  return hocket::test::arenaOf(program);
}

int64_t growth(const Program &which, const Shape &shape) {
  // Of few layers, other buffers are the peak.
  return (arenaOf(which, shape, 10) - arenaOf(which, shape, 6)) / 4;
}

int64_t valueBytes(const Shape &shape) {
  return 4 * shape.seq * shape.batch * shape.hidden;
}

int64_t lseBytes(const Shape &shape) {
  return 4 * shape.seq * shape.batch * shape.heads;
}

TEST(Activations, wholeLayer) {
  for (const Shape &shape : shapes)
    EXPECT_LE(growth(wholeLayers, shape),
              16 * valueBytes(shape) + lseBytes(shape))
        << "hidden " << shape.hidden;
}

TEST(Activations, tensorParallelLayer) {
  for (const Shape &shape : shapes)
    EXPECT_LE(growth(tensorParallel, shape),
              4 * valueBytes(shape) +
                  (12 * valueBytes(shape) + lseBytes(shape)) / shape.tp)
        << "hidden " << shape.hidden << ", tp " << shape.tp;
}

TEST(Activations, sequenceParallelLayer) {
  for (const Shape &shape : shapes)
    EXPECT_LE(growth(sequenceParallel, shape),
              (16 * valueBytes(shape) + lseBytes(shape)) / shape.tp)
        << "hidden " << shape.hidden << ", tp " << shape.tp;
}

/// A step that clips has all gradients at its end, when no activation is left:
/// the larger of the two is what a layer adds.
TEST(Activations, trainingStep) {
  for (const Shape &shape : shapes) {
    int64_t h = shape.hidden;
    // Biases and norms are whole where they are added after a reduction.
    int64_t gradients = 4 * (12 * h * h + 7 * h) / shape.tp + 4 * 6 * h;
    EXPECT_LE(growth(trainingStep, shape),
              std::max((16 * valueBytes(shape) + lseBytes(shape)) / shape.tp,
                       gradients) *
                  1.01)
        << "hidden " << shape.hidden << ", tp " << shape.tp;
  }
}

} // namespace
