//===- Pooling.cpp - maxima and means of windows, and their gradients -----===//
//
// Work is cut by batch and by 16 channels: with channels innermost these are
// one cache line, and a gradient's sums of one such column lie in scratch, in
// which windows that overlap are added wide and in the order of the results.
//
//===----------------------------------------------------------------------===//

#include "hocket/Cpu/Pooling.h"
#include "hocket/Cpu/Scratch.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hocket::runtime {

namespace {

constexpr int64_t column = 16; // channels that are computed together

/// One spatial dim; see plan::Pooling.
struct PoolingDim {
  int64_t x = 1, y = 1; // held here
  int64_t taps = 1, stride = 1, dilation = 1, low = 0, high = 0;
  int64_t extent = 1, xFirst = 0, yFirst = 0;

  int64_t positionOf(int64_t output, int64_t tap) const {
    return (yFirst + output) * stride - low + tap * dilation;
  }
  bool isData(int64_t position) const {
    return position >= 0 && position < extent;
  }
  bool isCounted(int64_t position) const {
    return position >= -low && position < extent + high;
  }
};

/// Where a position of a window is, if it is data, and whether it counts.
struct Tap {
  bool isData, isCounted;
  std::array<int64_t, 3> index;
};

class PoolingCall : public Call {
public:
  PoolingCall(const PoolingArguments &given, int threads);
  int64_t scratchBytes() const override { return columnBytes * threads; }
  void setScratch(void *memory) override {
    scratch = static_cast<char *>(memory);
  }
  Status run() override {
    parallelFor(threads, [this](int part) { runPart(part); });
    return Status::success();
  }

private:
  void runPart(int part);
  template <typename T>
  void forward(int64_t batch, int64_t first, int64_t count);
  template <typename T>
  void indices(int64_t batch, int64_t first, int64_t count);
  template <typename T>
  void gradient(int64_t batch, int64_t first, int64_t count, char *memory);
  Tap tapOf(const std::array<int64_t, 3> &output, int64_t tap) const;
  int64_t divisorOf(const std::array<int64_t, 3> &output) const;
  template <typename Visit> void forOutputs(Visit visit) const;
  template <typename Visit>
  void forData(const std::array<int64_t, 3> &output, Visit visit) const;
  template <typename T, typename PlaceOf>
  std::array<int64_t, column>
  largestOf(int64_t batch, int64_t first, int64_t count,
            const std::array<int64_t, 3> &output, PlaceOf placeOf) const;

  PoolingArguments given;
  std::array<PoolingDim, 3> dims;
  int64_t taps = 1;
  int threads;
  int64_t columnBytes = 0;
  char *scratch = nullptr;
};

template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The address of channel `c` at an index of the spatial dims.
template <typename T>
T *at(const Operand &operand, int64_t batch, int64_t c,
      const std::array<int64_t, 3> &index) {
  const std::vector<int64_t> &s = operand.strides;
  return static_cast<T *>(operand.data) + batch * s[0] + c * s[1] +
         index[0] * s[2] + index[1] * s[3] + index[2] * s[4];
}

void addDims(Operand &operand) {
  if (operand.shape.empty())
    return;
  size_t missing = 5 - operand.shape.size();
  operand.shape.insert(operand.shape.begin() + 2, missing, 1);
  operand.strides.insert(operand.strides.begin() + 2, missing, 0);
}

} // namespace

PoolingCall::PoolingCall(const PoolingArguments &arguments, int threads)
    : given(arguments), threads(threads) {
  const Operand &input = given.x.shape.empty() ? given.dx : given.x;
  size_t missing = dims.size() - given.taps.size();
  for (size_t i = missing; i < dims.size(); ++i) {
    size_t d = i - missing;
    dims[i] = {input.shape[d + 2], given.y.shape[d + 2], given.taps[d],
               given.strides[d],   given.dilations[d],   given.lows[d],
               given.highs[d],     given.extents[d],     given.xFirst[d],
               given.yFirst[d]};
    taps *= given.taps[d];
  }
  for (Operand *operand : {&given.x, &given.y, &given.dx})
    addDims(*operand);
  constexpr int64_t worthThreads = 1 << 14; // reads
  if (given.y.elements() * taps < worthThreads)
    this->threads = 1;
  if (given.isGradient)
    columnBytes =
        pieceBytes(dims[0].x * dims[1].x * dims[2].x * column * sizeof(double));
}

Tap PoolingCall::tapOf(const std::array<int64_t, 3> &output,
                       int64_t tap) const {
  Tap result{true, true, {}};
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t position = dims[i].positionOf(output[i], tap % dims[i].taps);
    result.isData &= dims[i].isData(position);
    result.isCounted &= dims[i].isCounted(position);
    result.index[i] = position - dims[i].xFirst;
    tap /= dims[i].taps;
  }
  return result;
}

int64_t PoolingCall::divisorOf(const std::array<int64_t, 3> &output) const {
  int64_t count = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Tap place = tapOf(output, tap);
    count += given.countsBorder ? place.isCounted : place.isData;
  }
  return std::max<int64_t>(count, 1);
}

template <typename Visit> void PoolingCall::forOutputs(Visit visit) const {
  std::array<int64_t, 3> output;
  for (output[0] = 0; output[0] < dims[0].y; ++output[0])
    for (output[1] = 0; output[1] < dims[1].y; ++output[1])
      for (output[2] = 0; output[2] < dims[2].y; ++output[2])
        visit(output);
}

/// The positions of a window that are data, in order.
template <typename Visit>
void PoolingCall::forData(const std::array<int64_t, 3> &output,
                          Visit visit) const {
  for (int64_t tap = 0; tap < taps; ++tap)
    if (Tap here = tapOf(output, tap); here.isData)
      visit(here.index);
}

/// Whether `value` takes the place of the largest so far: a NaN always does.
template <typename Wide> static bool isLarger(Wide value, Wide largest) {
  return value > largest || value != value;
}

/// By channel, the place of a window's largest value; -1 without data.
template <typename T, typename PlaceOf>
std::array<int64_t, column>
PoolingCall::largestOf(int64_t batch, int64_t first, int64_t count,
                       const std::array<int64_t, 3> &output,
                       PlaceOf placeOf) const {
  using Wide = Sum<T>;
  Wide largest[column];
  std::array<int64_t, column> places;
  places.fill(-1);
  forData(output, [&](const std::array<int64_t, 3> &index) {
    int64_t place = placeOf(index);
    const T *x = at<T>(given.x, batch, first, index);
    for (int64_t c = 0; c < count; ++c) {
      Wide value = Wide(x[c * given.x.strides[1]]);
      if (places[c] < 0 || isLarger(value, largest[c]))
        largest[c] = value, places[c] = place;
    }
  });
  return places;
}

template <typename T>
void PoolingCall::forward(int64_t batch, int64_t first, int64_t count) {
  using Wide = Sum<T>;
  bool isMax = given.kind == plan::PoolingKind::Max;
  const Wide start = isMax ? -std::numeric_limits<Wide>::infinity() : Wide(0);
  forOutputs([&](const std::array<int64_t, 3> &output) {
    Wide results[column];
    std::fill(results, results + count, start);
    forData(output, [&](const std::array<int64_t, 3> &index) {
      const T *x = at<T>(given.x, batch, first, index);
      for (int64_t c = 0; c < count; ++c) {
        Wide value = Wide(x[c * given.x.strides[1]]);
        if (!isMax)
          results[c] += value;
        else if (isLarger(value, results[c]))
          results[c] = value;
      }
    });
    Wide divisor = isMax ? Wide(1) : Wide(divisorOf(output));
    T *y = at<T>(given.y, batch, first, output);
    for (int64_t c = 0; c < count; ++c)
      y[c * given.y.strides[1]] = T(results[c] / divisor);
  });
}

/// Row-major among all positions, whoever has them.
template <typename T>
void PoolingCall::indices(int64_t batch, int64_t first, int64_t count) {
  auto placeOf = [&](const std::array<int64_t, 3> &index) {
    int64_t place = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      place = place * dims[i].extent + index[i] + dims[i].xFirst;
    return place;
  };
  forOutputs([&](const std::array<int64_t, 3> &output) {
    auto places = largestOf<T>(batch, first, count, output, placeOf);
    int64_t *y = at<int64_t>(given.y, batch, first, output);
    for (int64_t c = 0; c < count; ++c)
      y[c * given.y.strides[1]] = places[c];
  });
}

template <typename T>
void PoolingCall::gradient(int64_t batch, int64_t first, int64_t count,
                           char *memory) {
  using Wide = Sum<T>;
  Wide *sums = reinterpret_cast<Wide *>(memory);
  std::fill(sums, sums + dims[0].x * dims[1].x * dims[2].x * column, Wide(0));
  auto placeOf = [&](const std::array<int64_t, 3> &index) {
    return ((index[0] * dims[1].x + index[1]) * dims[2].x + index[2]) * column;
  };
  int64_t stride = given.y.strides[1];
  auto ofMax = [&](const std::array<int64_t, 3> &output) {
    const T *dy = at<T>(given.y, batch, first, output);
    auto places = largestOf<T>(batch, first, count, output, placeOf);
    for (int64_t c = 0; c < count; ++c)
      if (places[c] >= 0)
        sums[places[c] + c] += Wide(dy[c * stride]);
  };
  auto ofMean = [&](const std::array<int64_t, 3> &output) {
    const T *dy = at<T>(given.y, batch, first, output);
    Wide divisor = Wide(divisorOf(output));
    forData(output, [&](const std::array<int64_t, 3> &index) {
      for (int64_t c = 0; c < count; ++c)
        sums[placeOf(index) + c] += Wide(dy[c * stride]) / divisor;
    });
  };
  if (given.kind == plan::PoolingKind::Max)
    forOutputs(ofMax);
  else
    forOutputs(ofMean);
  std::array<int64_t, 3> index;
  for (index[0] = 0; index[0] < dims[0].x; ++index[0])
    for (index[1] = 0; index[1] < dims[1].x; ++index[1])
      for (index[2] = 0; index[2] < dims[2].x; ++index[2])
        for (int64_t c = 0; c < count; ++c)
          at<T>(given.dx, batch, first, index)[c * given.dx.strides[1]] =
              T(sums[placeOf(index) + c]);
}

void PoolingCall::runPart(int part) {
  int64_t channels = given.y.shape[1];
  int64_t columns = (channels + column - 1) / column;
  int64_t total = given.y.shape[0] * columns;
  auto run = [&](auto type) {
    using T = decltype(type);
    for (int64_t i = total * part / threads; i < total * (part + 1) / threads;
         ++i) {
      int64_t first = i % columns * column;
      int64_t count = std::min(column, channels - first);
      if (given.isGradient)
        gradient<T>(i / columns, first, count, scratch + part * columnBytes);
      else if (given.kind == plan::PoolingKind::MaxIndex)
        indices<T>(i / columns, first, count);
      else
        forward<T>(i / columns, first, count);
    }
  };
  bool isIndex = given.kind == plan::PoolingKind::MaxIndex;
  switch ((isIndex ? given.x : given.y).type) {
  case plan::DType::F64:
    return run(double());
  case plan::DType::F16:
    return run(Float16());
  case plan::DType::BF16:
    return run(BFloat16());
  default:
    return run(float());
  }
}

std::unique_ptr<Call> makePooling(const PoolingArguments &arguments,
                                  int threads) {
  return std::make_unique<PoolingCall>(arguments, threads);
}

} // namespace hocket::runtime
