//===- RandomTensors.h - weights and inputs drawn from a seed --*- C++ -*-===//

#ifndef HOCKET_IO_RANDOMTENSORS_H
#define HOCKET_IO_RANDOMTENSORS_H

#include "hocket/Runtime/Tensors.h"
#include <map>

namespace hocket::runtime {

/// Draws every element from (seed, name of the tensor, row-major index of the
/// element), so that what a rank reads does not depend on how a tensor is cut.
/// A number is one of the tensor's own type, also if it is read as a wider one.
/// Floats are normal with mean 0, integers uniform in [0, limit), bools true
/// for half of the elements.
class RandomTensors : public TensorSource {
public:
  struct Distribution {
    double deviation = 1;
    int64_t limit = 2;
  };

  RandomTensors(std::string role, uint64_t seed)
      : role(std::move(role)), seed(seed) {}

  void add(const plan::GlobalTensor &tensor, Distribution distribution);
  std::vector<std::string> tensorNames() const;

  std::string name() const override;
  bool describe(const std::string &tensor,
                TensorDescription &description) const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

private:
  struct Entry {
    TensorDescription description;
    Distribution distribution;
  };
  std::string role;
  uint64_t seed;
  std::map<std::string, Entry> tensors;
};

/// The plan's parameters: floats of deviation 0.02, as for a fresh model.
RandomTensors randomWeights(const plan::Plan &plan, uint64_t seed);

/// The plan's inputs: floats of deviation 1; integers below the vocabulary that
/// they are looked up in, of documents below 3; other integers below the
/// smallest vocabulary of the plan, or 2.
RandomTensors randomInputs(const plan::Plan &plan, uint64_t seed);

} // namespace hocket::runtime

#endif // HOCKET_IO_RANDOMTENSORS_H
