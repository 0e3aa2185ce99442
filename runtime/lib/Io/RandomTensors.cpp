//===- RandomTensors.cpp - weights and inputs drawn from a seed -----------===//

#include "hocket/Io/RandomTensors.h"
#include "hocket/Plan/Accesses.h"
#include "hocket/Random/RandomStream.h"
#include "hocket/Runtime/BoxRuns.h"
#include "hocket/Runtime/Elements.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

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

/// Whether what an attention of the class reads as numbers of documents is made
/// of the input.
bool numbersDocuments(const plan::RankClass &rankClass, int64_t input) {
  std::set<int> numbers;
  auto isInteger = [&](const plan::View *view) {
    plan::DType type = rankClass.buffers[view->buffer].type;
    return type == plan::DType::I32 || type == plan::DType::I64;
  };
  for (size_t i = rankClass.step.size(); i-- > 0;) {
    const auto &body = rankClass.step[i].body;
    auto *gradient = std::get_if<plan::AttentionGrad>(&body);
    auto *attention =
        gradient ? &gradient->forward : std::get_if<plan::Attention>(&body);
    if (attention && attention->keyDocuments.buffer >= 0) {
      numbers.insert(attention->queryDocuments.buffer);
      numbers.insert(attention->keyDocuments.buffer);
    }
    plan::Accesses accesses = plan::accessesOf(rankClass.step[i]);
    bool moves = std::holds_alternative<plan::Collective>(body);
    for (size_t w = 0; w < accesses.writes.size(); ++w)
      for (size_t r = 0; r < accesses.reads.size(); ++r)
        if (numbers.count(accesses.writes[w]->buffer) &&
            isInteger(accesses.reads[r]) && (!moves || r == w))
          numbers.insert(accesses.reads[r]->buffer);
  }
  return std::any_of(numbers.begin(), numbers.end(), [&](int number) {
    const plan::Buffer &buffer = rankClass.buffers[number];
    return buffer.region == plan::Region::Input && buffer.offset == input;
  });
}

/// Numbers of documents are drawn below this: some queries see several keys.
constexpr int64_t drawnDocuments = 3;

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
    bool areDocuments = std::any_of(
        plan.classes.begin(), plan.classes.end(),
        [&](const auto &one) { return numbersDocuments(one, int64_t(i)); });
    if (limit == 0)
      limit = areDocuments ? drawnDocuments : smallestVocabulary(plan, -1);
    result.add(plan.inputs[i], {1, std::max<int64_t>(limit, 2)});
  }
  return result;
}

} // namespace hocket::runtime
