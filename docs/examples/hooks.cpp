//===- hooks.cpp - the functions that hooks.hkt puts in place -------------===//

#include "hocket/Hook.h"
#include <cmath>
#include <vector>

namespace {

/// Element (i, j, k) of a tensor of three dims.
float &at(const hocket_tensor &tensor, int64_t i, int64_t j, int64_t k) {
  const int64_t *strides = tensor.strides;
  return static_cast<float *>(
      tensor.data)[i * strides[0] + j * strides[1] + k * strides[2]];
}

/// Element i of a tensor of one dim.
float &at(const hocket_tensor &tensor, int64_t i) {
  return static_cast<float *>(tensor.data)[i * tensor.strides[0]];
}

template <class Body> void forEach(const hocket_tensor &tensor, Body body) {
  for (int64_t i = 0; i < tensor.shape[0]; ++i)
    for (int64_t j = 0; j < tensor.shape[1]; ++j)
      for (int64_t k = 0; k < tensor.shape[2]; ++k)
        body(i, j, k);
}

/// 1 / sqrt(mean of the squares of row (i, j) + 1e-6).
float scaleOf(const hocket_tensor &x, int64_t i, int64_t j) {
  float sum = 0;
  for (int64_t k = 0; k < x.shape[2]; ++k)
    sum += at(x, i, j, k) * at(x, i, j, k);
  return 1 / std::sqrt(sum / static_cast<float>(x.shape[2]) + 1e-6f);
}

} // namespace

HOCKET_HOOK(swiglu) {
  const hocket_tensor &gate = call->inputs[0], &up = call->inputs[1];
  const hocket_tensor &y = call->outputs[0];
  forEach(y, [&](int64_t i, int64_t j, int64_t k) {
    float g = at(gate, i, j, k);
    at(y, i, j, k) = g / (1 + std::exp(-g)) * at(up, i, j, k);
  });
  return 0;
}

HOCKET_HOOK(swiglu_grad) {
  const hocket_tensor &gate = call->inputs[0], &up = call->inputs[1];
  const hocket_tensor &dy = call->inputs[2];
  const hocket_tensor &dgate = call->outputs[0], &dup = call->outputs[1];
  forEach(dy, [&](int64_t i, int64_t j, int64_t k) {
    float g = at(gate, i, j, k), d = at(dy, i, j, k);
    float s = 1 / (1 + std::exp(-g));
    at(dup, i, j, k) = d * g * s;
    at(dgate, i, j, k) = d * at(up, i, j, k) * s * (1 + g * (1 - s));
  });
  return 0;
}

HOCKET_HOOK(rms) {
  const hocket_tensor &x = call->inputs[0], &weight = call->inputs[1];
  const hocket_tensor &y = call->outputs[0];
  for (int64_t i = 0; i < x.shape[0]; ++i)
    for (int64_t j = 0; j < x.shape[1]; ++j) {
      float scale = scaleOf(x, i, j);
      for (int64_t k = 0; k < x.shape[2]; ++k)
        at(y, i, j, k) = at(x, i, j, k) * scale * at(weight, k);
    }
  return 0;
}

HOCKET_HOOK(rms_grad) {
  const hocket_tensor &x = call->inputs[0], &weight = call->inputs[1];
  const hocket_tensor &dy = call->inputs[2];
  const hocket_tensor &dx = call->outputs[0], &dweight = call->outputs[1];
  int64_t hidden = x.shape[2];
  for (int64_t k = 0; k < hidden; ++k)
    at(dweight, k) = 0;
  for (int64_t i = 0; i < x.shape[0]; ++i)
    for (int64_t j = 0; j < x.shape[1]; ++j) {
      float scale = scaleOf(x, i, j), sum = 0;
      for (int64_t k = 0; k < hidden; ++k) {
        float moved = at(x, i, j, k) * scale;
        at(dweight, k) += at(dy, i, j, k) * moved;
        sum += at(dy, i, j, k) * at(weight, k) * moved;
      }
      sum /= static_cast<float>(hidden);
      for (int64_t k = 0; k < hidden; ++k)
        at(dx, i, j, k) = scale * (at(dy, i, j, k) * at(weight, k) -
                                   at(x, i, j, k) * scale * sum);
    }
  return 0;
}

/// Everybody fetches all, and adds in the same order: the same bits everywhere.
HOCKET_HOOK(gathered_sum) {
  const hocket_tensor &x = call->inputs[0], &y = call->outputs[0];
  std::vector<float> mine;
  forEach(x, [&](int64_t i, int64_t j, int64_t k) {
    mine.push_back(at(x, i, j, k));
  });
  std::vector<float> all(mine.size() * call->members);
  if (call->all_gather(call->communicator, mine.data(), all.data(),
                       static_cast<int64_t>(mine.size() * sizeof(float))))
    return 1;
  size_t next = 0;
  forEach(y, [&](int64_t i, int64_t j, int64_t k) {
    float sum = 0;
    for (int64_t member = 0; member < call->members; ++member)
      sum += all[member * mine.size() + next];
    at(y, i, j, k) = sum;
    ++next;
  });
  return 0;
}
