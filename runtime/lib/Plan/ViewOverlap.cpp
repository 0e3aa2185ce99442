//===- ViewOverlap.cpp - whether two windows share a byte -----------------===//
//
// Byte a.begin + sum i_k s_k + u is byte b.begin + sum j_k t_k + v for some
// 0 <= u < a.width and 0 <= v < b.width: the sum of steps along each stride has
// to come within (-a.width, b.width) of the distance of the two begins. Steps
// along equal strides are one choice, since only their difference counts.
//
//===----------------------------------------------------------------------===//

#include "ViewOverlap.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace hocket::plan {

namespace {

/// Any number of steps from `least` to `most` of `stride` bytes.
struct Steps {
  int64_t stride, least, most;
};

int64_t divideDown(int64_t a, int64_t b) { return a / b - (a % b < 0); }
int64_t divideUp(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/// Looks for steps whose sum lies in [low, high].
class Search {
public:
  explicit Search(std::vector<Steps> given) : steps(std::move(given)) {
    std::sort(steps.begin(), steps.end(), [](const Steps &a, const Steps &b) {
      return a.stride > b.stride;
    });
    least.assign(steps.size() + 1, 0);
    most = least;
    for (size_t i = steps.size(); i-- > 0;) {
      least[i] = least[i + 1] + steps[i].least * steps[i].stride;
      most[i] = most[i + 1] + steps[i].most * steps[i].stride;
    }
  }

  bool find(int64_t low, int64_t high, size_t next = 0) {
    if (most[next] < low || least[next] > high)
      return false;
    if (next == steps.size() || --tries < 0)
      return true;
    const auto &[stride, first, last] = steps[next];
    int64_t from = divideUp(low - most[next + 1], stride);
    int64_t to = divideDown(high - least[next + 1], stride);
    for (int64_t i = std::max(from, first); i <= std::min(to, last); ++i)
      if (find(low - i * stride, high - i * stride, next + 1))
        return true;
    return false;
  }

private:
  std::vector<Steps> steps;
  std::vector<int64_t> least, most; // sums of the steps from here on
  int64_t tries = 1000000;
};

/// Adds the dims of a window, which are steps forth or (sign -1) back.
void addSteps(const ByteWindow &window, int64_t sign,
              std::map<int64_t, Steps> &byStride) {
  for (size_t dim = 0; dim < window.shape.size(); ++dim) {
    int64_t stride = window.strides[dim] * sign, last = window.shape[dim] - 1;
    if (stride == 0 || last == 0)
      continue;
    Steps &steps =
        byStride.try_emplace(std::abs(stride), Steps{std::abs(stride), 0, 0})
            .first->second;
    (stride > 0 ? steps.most : steps.least) += stride > 0 ? last : -last;
  }
}

} // namespace

bool overlap(const ByteWindow &a, const ByteWindow &b) {
  for (const ByteWindow *window : {&a, &b})
    if (std::count(window->shape.begin(), window->shape.end(), 0) > 0)
      return false;
  std::map<int64_t, Steps> byStride;
  addSteps(a, 1, byStride);
  addSteps(b, -1, byStride);
  std::vector<Steps> steps;
  for (const auto &[stride, one] : byStride)
    steps.push_back(one);
  int64_t distance = b.begin - a.begin;
  return Search(std::move(steps))
      .find(distance - a.width + 1, distance + b.width - 1);
}

} // namespace hocket::plan
