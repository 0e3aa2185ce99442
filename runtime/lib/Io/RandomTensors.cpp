//===- RandomTensors.cpp - weights and inputs drawn from a seed -----------===//

#include "hocket/Io/RandomTensors.h"
#include "hocket/Random/RandomStream.h"
#include "hocket/Runtime/BoxRuns.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace hocket::runtime {

namespace {

/// A draw is at most as wide as f32.
float roundTo(plan::DType type, double value) {
  if (type == plan::DType::F16)
    return Float16(float(value));
  if (type == plan::DType::BF16)
    return BFloat16(float(value));
  return float(value);
}

/// A running variance, by PyTorch's name, is drawn above 0.
bool endsWith(const std::string &name, const std::string &ending) {
  return name.size() >= ending.size() &&
         name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

/// The smallest vocabulary that `input` (or, with -1, any tensor) is looked up
/// in; 0 if there is none.
int64_t smallestVocabulary(const plan::Plan &plan, int64_t input) {
  int64_t limit = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    for (const plan::Instruction &instruction : rankClass.step) {
      int buffer;
      int64_t vocab;
      if (auto *lookup = std::get_if<plan::Embedding>(&instruction.body))
        buffer = lookup->ids.buffer, vocab = lookup->vocab;
      else if (auto *grad = std::get_if<plan::EmbeddingGrad>(&instruction.body))
        buffer = grad->ids.buffer, vocab = grad->vocab;
      else
        continue;
      const plan::Buffer &ids = rankClass.buffers[buffer];
      bool isMeant = input < 0 ||
                     (ids.region == plan::Region::Input && ids.offset == input);
      if (isMeant && (limit == 0 || vocab < limit))
        limit = vocab;
    }
  return limit;
}

} // namespace

void RandomTensors::add(const plan::GlobalTensor &tensor,
                        Distribution distribution) {
  tensors[tensor.name] = {{tensor.type, tensor.dims}, distribution};
}

std::vector<std::string> RandomTensors::tensorNames() const {
  std::vector<std::string> names;
  for (const auto &entry : tensors)
    names.push_back(entry.first);
  return names;
}

std::string RandomTensors::name() const {
  return role + " (random, seed " + std::to_string(seed) + ")";
}

bool RandomTensors::describe(const std::string &tensor,
                             TensorDescription &description) const {
  auto found = tensors.find(tensor);
  if (found == tensors.end())
    return false;
  description = found->second.description;
  return true;
}

Status RandomTensors::read(const std::string &tensor, const Box &box,
                           plan::DType type, void *destination) const {
  auto found = tensors.find(tensor);
  if (found == tensors.end())
    return Status::userError(name() + " has no tensor '" + tensor + "'");
  RandomStream stream(seed, tensor);
  Distribution distribution = found->second.distribution;
  plan::DType described = found->second.description.type;
  // Drawn as the tensor's own type, then read as another one: a reference that
  // reads integers or halves as f64 starts from the same numbers.
  if (type != described) {
    std::vector<uint8_t> own(box.elements() * plan::byteSize(described));
    Status status = read(tensor, box, described, own.data());
    if (status.ok())
      convert(own.data(), described, destination, type, box.elements());
    return status;
  }
  bool isVariance = endsWith(tensor, "running_var");
  visitType(type, [&](auto zero) {
    using T = decltype(zero);
    auto drawn = [&](int64_t index) {
      double value = distribution.deviation * stream.normal(index);
      return isVariance ? std::fabs(value) + 0.1 : value;
    };
    auto draw = [&](int64_t index) {
      if constexpr (std::is_same_v<T, Boolean>)
        return T(int(stream.bits(index) >> 63));
      else if constexpr (std::is_integral_v<T>)
        return T(stream.integer(index, 0, distribution.limit));
      else
        return T(roundTo(described, drawn(index)));
    };
    T *out = static_cast<T *>(destination);
    forEachRun(box, [&](int64_t begin, int64_t done, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        out[done + i] = draw(begin + i);
      return true;
    });
  });
  return Status::success();
}

RandomTensors randomWeights(const plan::Plan &plan, uint64_t seed) {
  RandomTensors result("weights", seed);
  for (const plan::GlobalTensor &tensor : plan.parameters)
    result.add(tensor, {0.02, 2});
  return result;
}

RandomTensors randomInputs(const plan::Plan &plan, uint64_t seed) {
  RandomTensors result("input", seed);
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    int64_t limit = smallestVocabulary(plan, int64_t(i));
    if (limit == 0)
      limit = smallestVocabulary(plan, -1);
    result.add(plan.inputs[i], {1, std::max<int64_t>(limit, 2)});
  }
  return result;
}

} // namespace hocket::runtime
