//===- ConvolutionPlain.cpp - convolutions in loops of our own ------------===//
//
// A result is summed in an order that depends on nothing but its place: over
// channels, then taps. Rows of the innermost spatial dim are summed together in
// scratch, so that a tap is one multiplication and addition along a row.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Scratch.h"
#include "hocket/Runtime/Elements.h"
#include "runtime/lib/Cpu/ConvolutionProblem.h"
#include <algorithm>

namespace hocket::runtime {

namespace {

/// In what an operand of T is summed.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

class PlainConvolution : public Call {
public:
  PlainConvolution(const ConvolutionArguments &given, int threads)
      : problem(given), threads(threads) {
    constexpr int64_t worthThreads = 1 << 16; // multiplications
    if (problem.y.elements() * problem.weight.elements() < worthThreads)
      this->threads = 1;
    const ConvolutionDim &last = problem.dims[2];
    rowBytes = pieceBytes(std::max(last.x, last.y) * sizeof(double));
  }

  std::string implementation() const override { return "own loops"; }
  int64_t scratchBytes() const override { return rowBytes * threads; }
  void setScratch(void *memory) override {
    scratch = static_cast<char *>(memory);
  }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  void runPart(int part);
  template <typename T, typename Out> void forward(int part);
  template <typename T, typename Out> void inputGradient(int part);
  template <typename T, typename Out> void weightGradient(int part);

  ConvolutionProblem problem;
  int threads;
  int64_t rowBytes;
  char *scratch = nullptr;
};

template <typename T>
const T *at(const Operand &operand, int64_t a, int64_t b, int64_t c, int64_t d,
            int64_t e) {
  const std::vector<int64_t> &s = operand.strides;
  return static_cast<const T *>(operand.data) + a * s[0] + b * s[1] + c * s[2] +
         d * s[3] + e * s[4];
}

template <typename Out, typename Wide>
void store(const Operand &operand, int64_t a, int64_t b, int64_t c, int64_t d,
           const Wide *row) {
  Out *out = const_cast<Out *>(at<Out>(operand, a, b, c, d, 0));
  for (int64_t i = 0; i < operand.shape[4]; ++i)
    out[i * operand.strides[4]] = Out(row[i]);
}

} // namespace

/// Rows of y: batch, channel, outer dims.
template <typename T, typename Out> void PlainConvolution::forward(int part) {
  using Wide = Sum<T>;
  const auto &[d0, d1, d2] = problem.dims;
  const Operand &x = problem.x, &w = problem.weight, &y = problem.y;
  Wide *sums = reinterpret_cast<Wide *>(scratch + part * rowBytes);
  int64_t channels = y.shape[1];
  int64_t rows = problem.batch * channels * d0.y * d1.y;
  for (int64_t row = rows * part / threads; row < rows * (part + 1) / threads;
       ++row) {
    int64_t o1 = row % d1.y, o0 = row / d1.y % d0.y;
    int64_t c = row / (d1.y * d0.y) % channels;
    int64_t b = row / (d1.y * d0.y * channels);
    Wide first = 0;
    if (problem.bias)
      visitType(problem.bias->type, [&](auto zero) {
        using B = decltype(zero);
        first = Wide(static_cast<const B *>(
            problem.bias->data)[c * problem.bias->strides[0]]);
      });
    std::fill(sums, sums + d2.y, first);
    int64_t group = c / problem.yChannels;
    for (int64_t k = 0; k < problem.xChannels; ++k)
      for (int64_t t0 = 0; t0 < d0.taps; ++t0)
        for (int64_t t1 = 0; t1 < d1.taps; ++t1) {
          int64_t i0 = d0.inputOf(o0, t0), i1 = d1.inputOf(o1, t1);
          if (i0 < 0 || i0 >= d0.x || i1 < 0 || i1 >= d1.x)
            continue;
          const T *from = at<T>(x, b, group * problem.xChannels + k, i0, i1, 0);
          for (int64_t t2 = 0; t2 < d2.taps; ++t2) {
            Wide factor = Wide(*at<T>(w, c, k, t0, t1, t2));
            int64_t begin = d2.firstOutput(t2), end = d2.lastOutput(t2);
            int64_t step = d2.stride * x.strides[4];
            const T *tap = from + d2.inputOf(0, t2) * x.strides[4];
            for (int64_t o = begin; o < end; ++o)
              sums[o] += factor * Wide(tap[o * step]);
          }
        }
    store<Out>(y, b, c, o0, o1, sums);
  }
}

/// Rows of x: batch, channel, outer dims.
template <typename T, typename Out>
void PlainConvolution::inputGradient(int part) {
  using Wide = Sum<T>;
  const auto &[d0, d1, d2] = problem.dims;
  const Operand &x = problem.x, &w = problem.weight, &y = problem.y;
  Wide *sums = reinterpret_cast<Wide *>(scratch + part * rowBytes);
  int64_t channels = x.shape[1];
  int64_t rows = problem.batch * channels * d0.x * d1.x;
  /// The output that meets `input` at `tap`, or -1.
  auto outputOf = [](const ConvolutionDim &dim, int64_t input, int64_t tap) {
    int64_t place = input + dim.low - tap * dim.dilation;
    bool meets = place >= 0 && place % dim.stride == 0;
    return meets && place / dim.stride < dim.y ? place / dim.stride : -1;
  };
  for (int64_t row = rows * part / threads; row < rows * (part + 1) / threads;
       ++row) {
    int64_t i1 = row % d1.x, i0 = row / d1.x % d0.x;
    int64_t c = row / (d1.x * d0.x) % channels;
    int64_t b = row / (d1.x * d0.x * channels);
    std::fill(sums, sums + d2.x, Wide(0));
    int64_t group = c / problem.xChannels;
    for (int64_t k = 0; k < problem.yChannels; ++k)
      for (int64_t t0 = 0; t0 < d0.taps; ++t0)
        for (int64_t t1 = 0; t1 < d1.taps; ++t1) {
          int64_t o0 = outputOf(d0, i0, t0), o1 = outputOf(d1, i1, t1);
          if (o0 < 0 || o1 < 0)
            continue;
          int64_t from = group * problem.yChannels + k;
          const T *dy = at<T>(y, b, from, o0, o1, 0);
          for (int64_t t2 = 0; t2 < d2.taps; ++t2) {
            Wide factor =
                Wide(*at<T>(w, from, c % problem.xChannels, t0, t1, t2));
            Wide *tap = sums + d2.inputOf(0, t2);
            for (int64_t o = d2.firstOutput(t2); o < d2.lastOutput(t2); ++o)
              tap[o * d2.stride] += factor * Wide(dy[o * y.strides[4]]);
          }
        }
    store<Out>(x, b, c, i0, i1, sums);
  }
}

/// Channels of y, and each of its weights: over batch, then outputs.
template <typename T, typename Out>
void PlainConvolution::weightGradient(int part) {
  using Wide = Sum<T>;
  const auto &[d0, d1, d2] = problem.dims;
  const Operand &x = problem.x, &w = problem.weight, &y = problem.y;
  int64_t rows = w.shape[0] * problem.xChannels;
  for (int64_t row = rows * part / threads; row < rows * (part + 1) / threads;
       ++row) {
    int64_t c = row / problem.xChannels, k = row % problem.xChannels;
    int64_t from = c / problem.yChannels * problem.xChannels + k;
    for (int64_t tap = 0; tap < d0.taps * d1.taps * d2.taps; ++tap) {
      int64_t t2 = tap % d2.taps, t1 = tap / d2.taps % d1.taps;
      int64_t t0 = tap / d2.taps / d1.taps;
      // Sums of rows, so that a long sum keeps its low bits.
      Wide sum = 0;
      for (int64_t b = 0; b < problem.batch; ++b)
        for (int64_t o0 = d0.firstOutput(t0); o0 < d0.lastOutput(t0); ++o0)
          for (int64_t o1 = d1.firstOutput(t1); o1 < d1.lastOutput(t1); ++o1) {
            const T *in = at<T>(x, b, from, d0.inputOf(o0, t0),
                                d1.inputOf(o1, t1), d2.inputOf(0, t2));
            const T *dy = at<T>(y, b, c, o0, o1, 0);
            int64_t step = d2.stride * x.strides[4];
            Wide part = 0;
            for (int64_t o = d2.firstOutput(t2); o < d2.lastOutput(t2); ++o)
              part += Wide(in[o * step]) * Wide(dy[o * y.strides[4]]);
            sum += part;
          }
      *const_cast<Out *>(at<Out>(w, c, k, t0, t1, t2)) = Out(sum);
    }
  }
}

void PlainConvolution::runPart(int part) {
  using Pass = plan::ConvolutionPass;
  auto run = [&](auto type, auto outType) {
    using T = decltype(type);
    using Out = decltype(outType);
    if (problem.pass == Pass::Forward)
      forward<T, Out>(part);
    else if (problem.pass == Pass::InputGradient)
      inputGradient<T, Out>(part);
    else
      weightGradient<T, Out>(part);
  };
  const Operand &result = problem.pass == Pass::Forward ? problem.y
                          : problem.pass == Pass::InputGradient
                              ? problem.x
                              : problem.weight;
  const Operand &given = problem.pass == Pass::Forward ? problem.x : problem.y;
  bool wide = result.type != given.type; // F32 from a narrow type
  switch (given.type) {
  case plan::DType::F64:
    return run(double(), double());
  case plan::DType::F16:
    return wide ? run(Float16(), float()) : run(Float16(), Float16());
  case plan::DType::BF16:
    return wide ? run(BFloat16(), float()) : run(BFloat16(), BFloat16());
  default:
    return run(float(), float());
  }
}

std::unique_ptr<Call> makePlainConvolution(const ConvolutionArguments &given,
                                           int threads) {
  return std::make_unique<PlainConvolution>(given, threads);
}

} // namespace hocket::runtime
