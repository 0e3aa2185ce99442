//===- attention.cpp - attention of block layouts beside dense ------------===//
//
//   bench-attention [TOKENS [HEADS [ROUNDS]]]
//
// Prints for each layout and size of its blocks what part of the blocks it
// visits, and how much of the dense attention's time it takes, forward and
// gradient: medians over rounds, of processor time on one thread, each round
// the dense attention and then the layouts. A layout that looks back only is
// causal by tokens as well, and so is what it is compared with.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Attention.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

using namespace hocket;
using runtime::Operand;

namespace {

constexpr int64_t size = 64; // of a head

struct Layout {
  const char *name; // null: dense
  plan::BlockLayout layout;
  bool causal = false;
};

/// The begin of a cache line.
void *aligned(void *data) {
  uintptr_t address = reinterpret_cast<uintptr_t>(data);
  return reinterpret_cast<void *>((address + 63) / 64 * 64);
}

/// Tensors [1, heads, tokens, size] as a projection leaves them, and the calls
/// of one layout.
struct Attention {
  Attention(const Layout &one, int64_t tokens, int64_t heads);
  /// Milliseconds of processor time.
  double forward() { return time(*call); }
  double gradient() { return time(*gradientCall); }
  /// Of the blocks that a dense attention has.
  double visited = 1;

private:
  Operand tensor() {
    std::mt19937 random(uint32_t(buffers.size()));
    std::uniform_real_distribution<float> numbers(-1, 1);
    buffers.emplace_back(tokens * heads * size + 16);
    for (float &number : buffers.back())
      number = numbers(random);
    return {aligned(buffers.back().data()), // as the runtime's are
            plan::DType::F32,
            {1, heads, tokens, size},
            {tokens * heads * size, size, heads * size, 1}};
  }
  void countVisited();
  double time(runtime::Call &one);

  int64_t tokens, heads;
  std::vector<std::vector<float>> buffers;
  std::vector<float> lse;
  std::vector<char> scratch;
  runtime::AttentionGradArguments given;
  std::unique_ptr<runtime::Call> call, gradientCall;
};

} // namespace

Attention::Attention(const Layout &one, int64_t tokens, int64_t heads)
    : tokens(tokens), heads(heads), lse(heads * tokens) {
  runtime::AttentionArguments &forward = given.forward;
  forward.q = tensor(), forward.k = tensor(), forward.v = tensor();
  forward.out = tensor();
  forward.lse = Operand{lse.data(),
                        plan::DType::F32,
                        {1, heads, tokens},
                        {heads * tokens, tokens, 1}};
  forward.scale = 1 / std::sqrt(double(size));
  forward.causal = one.causal;
  if (one.name)
    forward.visited = runtime::VisitedKeys(
        forward, runtime::ruleOf(one.layout, tokens / one.layout.block));
  given.dout = tensor(), given.dq = tensor(), given.dk = tensor();
  given.dv = tensor();
  if (!makeAttention(forward, 1, call).ok() ||
      !makeAttentionGrad(given, 1, gradientCall).ok())
    std::exit(1);
  scratch.resize(std::max(call->scratchBytes(), gradientCall->scratchBytes()) +
                 64);
  if (one.name)
    countVisited();
}

void Attention::countVisited() {
  const runtime::VisitedKeys &keys = *given.forward.visited;
  int64_t blocks = 0, all = 0;
  for (int64_t row = 0; row < keys.rows(); ++row) {
    for (auto [begin, end] : keys.runs(0, row))
      blocks += (end - begin) / keys.block;
    all += given.forward.causal ? row + 1 : keys.rows();
  }
  visited = double(blocks) / double(all);
}

double Attention::time(runtime::Call &one) {
  one.setScratch(aligned(scratch.data()));
  auto now = [] {
    timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return double(at.tv_sec) * 1e3 + double(at.tv_nsec) * 1e-6;
  };
  double start = now();
  if (!one.run().ok())
    std::exit(1);
  return now() - start;
}

static std::vector<Layout> layoutsOf(int64_t block) {
  using plan::LayoutKind;
  plan::BlockLayout fixed, variable, bigBird, longformer, sliding;
  for (plan::BlockLayout *one :
       {&fixed, &variable, &bigBird, &longformer, &sliding})
    one->block = block;
  fixed.kind = LayoutKind::Fixed;
  variable.kind = LayoutKind::Variable;
  variable.locals = {2, 4, 8};
  bigBird.kind = LayoutKind::BigBird;
  bigBird.random = 1;
  longformer.kind = LayoutKind::BSLongformer;
  sliding.kind = LayoutKind::LocalSlidingWindow;
  std::vector<Layout> layouts = {{"fixed", fixed},
                                 {"variable", variable},
                                 {"bigbird", bigBird},
                                 {"bslongformer", longformer},
                                 {"local sliding window", sliding}};
  fixed.unidirectional = true, sliding.unidirectional = true;
  layouts.push_back({"fixed, causal", fixed, true});
  layouts.push_back({"local sliding window, causal", sliding, true});
  return layouts;
}

static double median(std::vector<double> &times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2,
                   times.end());
  return times[times.size() / 2];
}

int main(int argc, char **argv) {
  int64_t tokens = argc > 1 ? std::atoll(argv[1]) : 16384;
  int64_t heads = argc > 2 ? std::atoll(argv[2]) : 1;
  int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  std::vector<Layout> layouts = {{nullptr, {}}, {nullptr, {}, true}};
  for (int64_t block : {64, 16})
    for (const Layout &one : layoutsOf(block))
      layouts.push_back(one);
  std::vector<std::unique_ptr<Attention>> attentions;
  for (const Layout &one : layouts)
    attentions.push_back(std::make_unique<Attention>(one, tokens, heads));
  std::vector<std::vector<double>> forward(layouts.size()),
      gradient(layouts.size()), ratios[2] = {forward, forward};
  for (int round = 0; round < rounds + 1; ++round)
    for (size_t i = 0; i < layouts.size(); ++i) {
      double times[] = {attentions[i]->forward(), attentions[i]->gradient()};
      if (round == 0) // caches and pages
        continue;
      forward[i].push_back(times[0]);
      gradient[i].push_back(times[1]);
      size_t dense = layouts[i].causal ? 1 : 0;
      ratios[0][i].push_back(times[0] / forward[dense].back());
      ratios[1][i].push_back(times[1] / gradient[dense].back());
    }
  std::printf("%ld tokens, %ld heads of %ld\n%-30s %5s %8s %11s %7s %6s %11s "
              "%7s %6s\n",
              long(tokens), long(heads), long(size), "layout", "block",
              "visited", "forward, ms", "ratio", "/ part", "grad., ms", "ratio",
              "/ part");
  for (size_t i = 0; i < layouts.size(); ++i) {
    double ratio[] = {median(ratios[0][i]), median(ratios[1][i])};
    double part = attentions[i]->visited;
    bool isDense = !layouts[i].name;
    std::printf("%-30s %5ld %8.4f %11.2f %7.4f %6.2f %11.2f %7.4f %6.2f\n",
                !isDense            ? layouts[i].name
                : layouts[i].causal ? "dense, causal"
                                    : "dense",
                isDense ? 0 : long(layouts[i].layout.block), part,
                median(forward[i]), ratio[0], ratio[0] / part,
                median(gradient[i]), ratio[1], ratio[1] / part);
  }
}
